/* Calls every function of FMI 2.0 and FMI 3.0 in one floating-point environment.
 *
 *     every_function LIBRARY GUID FOLDER MODE OUTPUT INPUT FIXED TUNABLE STATES
 *
 * FOLDER is that of the resources, MODE as in hosts.c with an optional "+flags" (all exception flags raised before each call); then value
 * references of a Real output, an input, a fixed and a tunable parameter, and the number of continuous states. Prints the name of each
 * function that was called, then "digest" with a digest over all statuses, results, stored states and messages. A call that changes the
 * environment, and a callback in another environment than the host's, end the program with 3 and the name of the function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"
#include "fmi3Functions.h"

enum { MAX_STATES = 256, MAX_BYTES = 1 << 20, STEPS = 3 };

static void *library;
static const char *present = "no function";
static uint64_t hash = 0xcbf29ce484222325, host_environment, plain_environment;
static long callbacks;

static uint64_t environment(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_stmxcsr();
#else
    uint64_t control, status;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
    return control << 32 | status;
#endif
}

static void set_environment(uint64_t both)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)both);
#else
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(both >> 32), "r"(both & 0xffffffff));
#endif
}

static void check(const char *where)
{
    if (environment() != host_environment) {
        set_environment(plain_environment);
        printf("%s: the environment is not the host's %s\n", present, where);
        exit(3);
    }
}

static void digest(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    }
}

static void *begin(const char *name)
{
    void *address = dlsym(library, name);
    if (!address) {
        printf("%s: missing\n", name);
        exit(2);
    }
    present = name;
    puts(name);
    set_environment(host_environment);
    return address;
}

static int end(int status)
{
    check("after the call");
    set_environment(plain_environment);
    digest(&status, sizeof status);
    return status;
}

static void *end_pointer(void *pointer)
{
    end(pointer != NULL);
    return pointer;
}

#define CALL(name, ...) end((int)((name##TYPE *)begin(#name))(__VA_ARGS__))
#define MAKE(name, ...) end_pointer(((name##TYPE *)begin(#name))(__VA_ARGS__))
#define TEXT(name) end_pointer((void *)(uintptr_t)((name##TYPE *)begin(#name))())
#define FREE(name, c) (((name##TYPE *)begin(#name))(c), end(0))

static void logger2(fmi2ComponentEnvironment own, fmi2String instance, fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)own;
    (void)instance;
    (void)status;
    (void)category;
    check("in the logger");
    callbacks++;
    digest(message, strlen(message));
}

static void logger3(fmi3InstanceEnvironment own, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)own;
    (void)status;
    (void)category;
    check("in the logger");
    callbacks++;
    digest(message, strlen(message));
}

static fmi3Instance updated;
static fmi3ValueReference updated_output;

static void update(fmi3InstanceEnvironment own, fmi3Float64 time, fmi3Boolean set, fmi3Boolean get, fmi3Boolean finished, fmi3Boolean early,
                   fmi3Boolean *request, fmi3Float64 *return_time)
{
    fmi3Float64 value = 0;
    fmi3Status status;
    (void)own;
    (void)set;
    (void)get;
    (void)finished;
    (void)early;
    (void)return_time;
    check("in the intermediate update");
    callbacks++;
    status = ((fmi3GetFloat64TYPE *)dlsym(library, "fmi3GetFloat64"))(updated, &updated_output, 1, &value, 1);
    check("after a call in the intermediate update");
    digest(&time, sizeof time);
    digest(&value, sizeof value);
    digest(&status, sizeof status);
    /* Not granted, which is a warning in the logger after the callbacks. */
    *request = fmi3True;
}

/* Space for results, with the same bytes in every run. */
static double numbers[MAX_STATES];
static int integers[4];
static uint64_t whole[4];
static unsigned char bytes[MAX_BYTES];
static fmi3Boolean truths[4];
static const double ONE = 1, THIRD = 1.0 / 3, TORQUE = 0.1, TINY = 4e-310, STEP = 0.003;

static void results(void)
{
    digest(numbers, sizeof numbers);
    digest(integers, sizeof integers);
    digest(whole, sizeof whole);
    digest(truths, sizeof truths);
}

static void call_fmi2(const char *guid, const char *uri, const fmi2ValueReference *output, const fmi2ValueReference *input,
                      const fmi2ValueReference *fixed, const fmi2ValueReference *tunable, size_t states)
{
    const fmi2CallbackFunctions functions = {.logger = logger2};
    const fmi2Integer order = 1;
    const fmi2String category = "logStatusError", text = NULL;
    fmi2String read = NULL;
    fmi2Status status = fmi2OK;
    fmi2EventInfo event = {0};
    fmi2FMUstate state = NULL, second = NULL;
    fmi2Component c;
    size_t size = 0;
    TEXT(fmi2GetTypesPlatform);
    TEXT(fmi2GetVersion);
    c = MAKE(fmi2Instantiate, "every", fmi2CoSimulation, "{wrong}", uri, &functions, fmi2False, fmi2True);
    c = MAKE(fmi2Instantiate, "every", fmi2CoSimulation, guid, uri, &functions, fmi2False, fmi2True);
    CALL(fmi2SetDebugLogging, c, fmi2True, 0, NULL);
    CALL(fmi2SetupExperiment, c, fmi2False, 0, 0, fmi2True, 100);
    CALL(fmi2SetReal, c, fixed, 1, &THIRD);
    CALL(fmi2EnterInitializationMode, c);
    CALL(fmi2SetReal, c, input, 1, &TORQUE);
    CALL(fmi2GetReal, c, output, 1, numbers);
    CALL(fmi2GetDirectionalDerivative, c, output, 1, input, 1, &ONE, numbers + 1);
    CALL(fmi2ExitInitializationMode, c);
    for (int i = 0; i < STEPS; i++) {
        CALL(fmi2SetReal, c, tunable, 1, &THIRD);
        CALL(fmi2SetReal, c, input, 1, i % 2 ? &TORQUE : &TINY);
        CALL(fmi2SetRealInputDerivatives, c, input, 1, &order, &THIRD);
        CALL(fmi2DoStep, c, i * STEP, STEP, fmi2True);
        CALL(fmi2GetReal, c, output, 1, numbers);
        CALL(fmi2GetRealOutputDerivatives, c, output, 1, &order, numbers + 1);
        CALL(fmi2GetDirectionalDerivative, c, output, 1, input, 1, &ONE, numbers + 2);
        CALL(fmi2GetRealStatus, c, fmi2LastSuccessfulTime, numbers + 3);
        results();
    }
    CALL(fmi2GetInteger, c, NULL, 0, NULL);
    CALL(fmi2GetBoolean, c, NULL, 0, NULL);
    CALL(fmi2GetString, c, NULL, 0, &read);
    CALL(fmi2SetInteger, c, NULL, 0, NULL);
    CALL(fmi2SetBoolean, c, NULL, 0, NULL);
    CALL(fmi2SetString, c, NULL, 0, &text);
    CALL(fmi2GetFMUstate, c, &state);
    CALL(fmi2SerializedFMUstateSize, c, state, &size);
    CALL(fmi2SerializeFMUstate, c, state, (fmi2Byte *)bytes, size);
    digest(bytes, size);
    CALL(fmi2DeSerializeFMUstate, c, (fmi2Byte *)bytes, size, &second);
    CALL(fmi2SetFMUstate, c, second);
    CALL(fmi2FreeFMUstate, c, &second);
    CALL(fmi2FreeFMUstate, c, &state);
    CALL(fmi2GetStatus, c, fmi2DoStepStatus, &status);
    CALL(fmi2GetIntegerStatus, c, fmi2DoStepStatus, integers);
    CALL(fmi2GetBooleanStatus, c, fmi2Terminated, integers + 1);
    CALL(fmi2GetStringStatus, c, fmi2PendingStatus, &read);
    CALL(fmi2SetDebugLogging, c, fmi2True, 1, &category);
    CALL(fmi2DoStep, c, STEPS * STEP, -STEP, fmi2True);
    CALL(fmi2Reset, c);
    CALL(fmi2CancelStep, c);
    CALL(fmi2Reset, c);
    CALL(fmi2SetupExperiment, c, fmi2False, 0, 0, fmi2False, 0);
    CALL(fmi2EnterInitializationMode, c);
    CALL(fmi2ExitInitializationMode, c);
    CALL(fmi2Terminate, c);
    FREE(fmi2FreeInstance, c);
    c = MAKE(fmi2Instantiate, "every", fmi2ModelExchange, guid, uri, &functions, fmi2False, fmi2True);
    CALL(fmi2SetupExperiment, c, fmi2False, 0, 0, fmi2False, 0);
    CALL(fmi2EnterInitializationMode, c);
    CALL(fmi2ExitInitializationMode, c);
    CALL(fmi2NewDiscreteStates, c, &event);
    CALL(fmi2EnterContinuousTimeMode, c);
    CALL(fmi2GetContinuousStates, c, numbers, states);
    numbers[0] = THIRD;
    CALL(fmi2SetTime, c, THIRD);
    CALL(fmi2SetContinuousStates, c, numbers, states);
    CALL(fmi2GetDerivatives, c, numbers, states);
    results();
    CALL(fmi2GetNominalsOfContinuousStates, c, numbers, states);
    CALL(fmi2GetEventIndicators, c, NULL, 0);
    CALL(fmi2CompletedIntegratorStep, c, fmi2True, integers, integers + 1);
    CALL(fmi2EnterEventMode, c);
    results();
    CALL(fmi2Terminate, c);
    FREE(fmi2FreeInstance, c);
}

/* The functions for kinds of variables that there are none of. */
static void call_fmi3_kinds(fmi3Instance c)
{
    CALL(fmi3GetFloat32, c, NULL, 0, NULL, 0);
    CALL(fmi3GetInt8, c, NULL, 0, NULL, 0);
    CALL(fmi3GetUInt8, c, NULL, 0, NULL, 0);
    CALL(fmi3GetInt16, c, NULL, 0, NULL, 0);
    CALL(fmi3GetUInt16, c, NULL, 0, NULL, 0);
    CALL(fmi3GetInt32, c, NULL, 0, NULL, 0);
    CALL(fmi3GetUInt32, c, NULL, 0, NULL, 0);
    CALL(fmi3GetInt64, c, NULL, 0, NULL, 0);
    CALL(fmi3GetUInt64, c, NULL, 0, NULL, 0);
    CALL(fmi3GetBoolean, c, NULL, 0, NULL, 0);
    CALL(fmi3GetString, c, NULL, 0, NULL, 0);
    CALL(fmi3GetBinary, c, NULL, 0, NULL, NULL, 0);
    CALL(fmi3SetFloat32, c, NULL, 0, NULL, 0);
    CALL(fmi3SetInt8, c, NULL, 0, NULL, 0);
    CALL(fmi3SetUInt8, c, NULL, 0, NULL, 0);
    CALL(fmi3SetInt16, c, NULL, 0, NULL, 0);
    CALL(fmi3SetUInt16, c, NULL, 0, NULL, 0);
    CALL(fmi3SetInt32, c, NULL, 0, NULL, 0);
    CALL(fmi3SetUInt32, c, NULL, 0, NULL, 0);
    CALL(fmi3SetInt64, c, NULL, 0, NULL, 0);
    CALL(fmi3SetUInt64, c, NULL, 0, NULL, 0);
    CALL(fmi3SetBoolean, c, NULL, 0, NULL, 0);
    CALL(fmi3SetString, c, NULL, 0, NULL, 0);
    CALL(fmi3SetBinary, c, NULL, 0, NULL, NULL, 0);
}

/* Those that are refused; each leaves the error state, which the reset after it leaves. */
static void call_fmi3_refused(fmi3Instance c, fmi3ValueReference input)
{
    CALL(fmi3GetClock, c, &input, 1, truths);
    CALL(fmi3SetClock, c, &input, 1, truths);
    CALL(fmi3GetIntervalDecimal, c, &input, 1, numbers, NULL);
    CALL(fmi3GetIntervalFraction, c, &input, 1, whole, whole + 1, NULL);
    CALL(fmi3GetShiftDecimal, c, &input, 1, numbers);
    CALL(fmi3GetShiftFraction, c, &input, 1, whole, whole + 1);
    CALL(fmi3SetIntervalDecimal, c, &input, 1, numbers);
    CALL(fmi3SetIntervalFraction, c, &input, 1, whole, whole + 1);
    CALL(fmi3SetShiftDecimal, c, &input, 1, numbers);
    CALL(fmi3SetShiftFraction, c, &input, 1, whole, whole + 1);
    CALL(fmi3EnterConfigurationMode, c);
    CALL(fmi3ExitConfigurationMode, c);
    CALL(fmi3EnterStepMode, c);
    CALL(fmi3EvaluateDiscreteStates, c);
    CALL(fmi3ActivateModelPartition, c, input, THIRD);
    CALL(fmi3Reset, c);
}

static void call_fmi3(const char *guid, const char *folder, const fmi3ValueReference *output, const fmi3ValueReference *input,
                      const fmi3ValueReference *fixed, const fmi3ValueReference *tunable, size_t states)
{
    const fmi3Int32 order = 1;
    fmi3FMUState state = NULL, second = NULL;
    fmi3Instance c;
    size_t size = 0, dependencies = 0, elements[64], others[64];
    fmi3ValueReference independents[64];
    fmi3DependencyKind kinds[64];
    TEXT(fmi3GetVersion);
    c = MAKE(fmi3InstantiateScheduledExecution, "every", guid, folder, fmi3False, fmi3True, NULL, logger3, NULL, NULL, NULL);
    updated_output = *output;
    c = MAKE(fmi3InstantiateCoSimulation, "every", guid, folder, fmi3False, fmi3True, fmi3False, fmi3False, NULL, 0, NULL, logger3, update);
    updated = c;
    CALL(fmi3SetDebugLogging, c, fmi3True, 0, NULL);
    CALL(fmi3SetFloat64, c, fixed, 1, &THIRD, 1);
    CALL(fmi3EnterInitializationMode, c, fmi3False, 0, 0, fmi3True, 100);
    CALL(fmi3SetFloat64, c, input, 1, &TORQUE, 1);
    CALL(fmi3GetFloat64, c, output, 1, numbers, 1);
    CALL(fmi3ExitInitializationMode, c);
    call_fmi3_kinds(c);
    for (int i = 0; i < STEPS; i++) {
        CALL(fmi3SetFloat64, c, tunable, 1, &THIRD, 1);
        CALL(fmi3SetFloat64, c, input, 1, i % 2 ? &TORQUE : &TINY, 1);
        CALL(fmi3DoStep, c, i * STEP, STEP, fmi3True, truths, truths + 1, truths + 2, numbers + 4);
        CALL(fmi3GetFloat64, c, output, 1, numbers, 1);
        CALL(fmi3GetOutputDerivatives, c, output, 1, &order, numbers + 1, 1);
        CALL(fmi3GetDirectionalDerivative, c, output, 1, input, 1, &ONE, 1, numbers + 2, 1);
        CALL(fmi3GetAdjointDerivative, c, output, 1, input, 1, &ONE, 1, numbers + 3, 1);
        results();
    }
    CALL(fmi3GetNumberOfVariableDependencies, c, *output, &dependencies);
    CALL(fmi3GetVariableDependencies, c, *output, elements, independents, others, kinds, dependencies);
    CALL(fmi3GetFMUState, c, &state);
    CALL(fmi3SerializedFMUStateSize, c, state, &size);
    CALL(fmi3SerializeFMUState, c, state, bytes, size);
    digest(bytes, size);
    CALL(fmi3DeserializeFMUState, c, bytes, size, &second);
    CALL(fmi3SetFMUState, c, second);
    CALL(fmi3FreeFMUState, c, &second);
    CALL(fmi3FreeFMUState, c, &state);
    CALL(fmi3Terminate, c);
    call_fmi3_refused(c, *input);
    FREE(fmi3FreeInstance, c);
    c = MAKE(fmi3InstantiateModelExchange, "every", guid, folder, fmi3False, fmi3True, NULL, logger3);
    CALL(fmi3EnterInitializationMode, c, fmi3False, 0, 0, fmi3False, 0);
    CALL(fmi3ExitInitializationMode, c);
    CALL(fmi3UpdateDiscreteStates, c, truths, truths + 1, truths + 2, truths + 3, truths, numbers);
    CALL(fmi3EnterContinuousTimeMode, c);
    CALL(fmi3GetNumberOfEventIndicators, c, &size);
    CALL(fmi3GetNumberOfContinuousStates, c, &size);
    CALL(fmi3GetContinuousStates, c, numbers, states);
    numbers[0] = THIRD;
    CALL(fmi3SetTime, c, THIRD);
    CALL(fmi3SetContinuousStates, c, numbers, states);
    CALL(fmi3GetContinuousStateDerivatives, c, numbers, states);
    results();
    CALL(fmi3GetNominalsOfContinuousStates, c, numbers, states);
    CALL(fmi3GetEventIndicators, c, NULL, 0);
    CALL(fmi3CompletedIntegratorStep, c, fmi3True, truths, truths + 1);
    CALL(fmi3EnterEventMode, c);
    results();
    FREE(fmi3FreeInstance, c);
}

/* The environment of the host: a mode as in hosts.c. */
static uint64_t of_mode(const char *mode)
{
    uint64_t made;
    fesetround(strncmp(mode, "down", 4) == 0   ? FE_DOWNWARD
               : strncmp(mode, "up", 2) == 0   ? FE_UPWARD
               : strncmp(mode, "zero", 4) == 0 ? FE_TOWARDZERO
                                               : FE_TONEAREST);
    if (strstr(mode, "+trap")) {
        feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    }
    made = environment();
#if defined(__x86_64__)
    made |= strstr(mode, "+flush") ? 0x8040 : 0;
    made |= strstr(mode, "+flags") ? 0x3f : 0;
#else
    made |= strstr(mode, "+flush") ? (uint64_t)1 << 56 : 0;
    made |= strstr(mode, "+flags") ? 0x1f : 0;
#endif
    return made;
}

int main(int argc, char **argv)
{
    char uri[4096];
    unsigned references[4];
    if (argc != 10 || !(library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))) {
        fprintf(stderr, "usage: every_function LIBRARY GUID FOLDER MODE OUTPUT INPUT FIXED TUNABLE STATES\n");
        return 2;
    }
    snprintf(uri, sizeof uri, "file://%s", argv[3]);
    for (int i = 0; i < 4; i++) {
        references[i] = (unsigned)atol(argv[5 + i]);
    }
    plain_environment = environment();
    host_environment = of_mode(argv[4]);
    set_environment(plain_environment);
    call_fmi2(argv[2], uri, references, references + 1, references + 2, references + 3, (size_t)atol(argv[9]));
    call_fmi3(argv[2], argv[3], references, references + 1, references + 2, references + 3, (size_t)atol(argv[9]));
    printf("digest %016llx of %ld callbacks\n", (unsigned long long)hash, callbacks);
    return 0;
}
