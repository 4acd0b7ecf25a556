/* Runs an FMU (FMI 2.0 Co-Simulation) in hosts that are not kind: other rounding modes, subnormal numbers flushed to zero, exceptions
 * trapped, a thread with a small stack, little memory. Each SCENARIO runs in a process of its own, which has loaded the library before.
 *
 *     hosts LIBRARY GUID RESOURCES START STEP COUNT REALS INTEGERS BOOLEANS SCENARIO...
 *
 * REALS, INTEGERS and BOOLEANS are the value references of the outputs, separated by commas, or "-". Scenarios:
 *
 *     ROUNDING[+flush][+trap]   nearest, down, up or zero; FTZ and DAZ; invalid operation, division by zero and overflow unmasked
 *     stack=KIB                 a thread with a stack of so many KiB, with a guard page below
 *     used                      a thread with 4 MiB; the result is the number of bytes of its stack that were used
 *     memory=KIB                RLIMIT_AS at the present size plus so many KiB
 *     need                      by how much the address space grows at most up to the end of the first step, KiB
 *
 * Prints a line per scenario: the scenario, a result, a digest over the bits of all outputs, the number of messages of the logger, and
 * the last message. Results: "ok", "null" (no instance), "status N", "signal N", "environment" (changed by a call, or wrong in the
 * logger), or a number.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fmi2Functions.h"

enum { KIB = 1024, PAINTED_STACK = 4096 * KIB, PAINT = 0xA5 };

/* Where the child writes, shared with its parent. */
typedef struct {
    char result[64], message[400];
    uint64_t digest;
    long messages;
} Report;

typedef struct {
    fmi2ValueReference *references;
    size_t count;
} References;

static Report *report;
static const char *guid, *resources;
static double *times;
static size_t count;
static References reals, integers, booleans;
static fmi2Real *real_values;
static fmi2Integer *integer_values;
static fmi2Boolean *boolean_values;
static long size_before;

static fmi2InstantiateTYPE *instantiate;
static fmi2SetupExperimentTYPE *setup_experiment;
static fmi2EnterInitializationModeTYPE *enter_initialization_mode;
static fmi2ExitInitializationModeTYPE *exit_initialization_mode;
static fmi2GetRealTYPE *get_real;
static fmi2GetIntegerTYPE *get_integer;
static fmi2GetBooleanTYPE *get_boolean;
static fmi2DoStepTYPE *do_step;
static fmi2TerminateTYPE *terminate;
static fmi2FreeInstanceTYPE *free_instance;

/* The register with rounding, flushing, masks and flags. */
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

static uint64_t environment_wanted;

static void flush_subnormal_numbers(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#else
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    __asm__ volatile("msr fpcr, %0" : : "r"(control | 1 << 24));
#endif
}

static void finish(const char *result)
{
    if (!*report->result) {
        snprintf(report->result, sizeof report->result, "%s", result);
    }
    _exit(0);
}

static void check_environment(void)
{
    if (environment() != environment_wanted) {
        strcpy(report->result, "environment");
    }
}

static void logger(fmi2ComponentEnvironment own, fmi2String instance, fmi2Status status, fmi2String category, fmi2String message, ...)
{
    (void)own;
    (void)instance;
    (void)status;
    (void)category;
    check_environment();
    report->messages++;
    strncpy(report->message, message, sizeof report->message - 1);
}

static const fmi2CallbackFunctions callbacks = {.logger = logger};

static void expect_ok(fmi2Status status)
{
    check_environment();
    if (status != fmi2OK) {
        char text[64];
        snprintf(text, sizeof text, "status %d", (int)status);
        finish(text);
    }
}

static void digest(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        report->digest = (report->digest ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    }
}

static void read_outputs(fmi2Component instance)
{
    expect_ok(get_real(instance, reals.references, reals.count, real_values));
    expect_ok(get_integer(instance, integers.references, integers.count, integer_values));
    expect_ok(get_boolean(instance, booleans.references, booleans.count, boolean_values));
    digest(real_values, reals.count * sizeof *real_values);
    digest(integer_values, integers.count * sizeof *integer_values);
    digest(boolean_values, booleans.count * sizeof *boolean_values);
}

/* A size of the address space, KiB: "VmSize", the present one, or "VmPeak", the largest so far. */
static long address_space(const char *name)
{
    char line[256];
    size_t length = strlen(name);
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            fclose(file);
            return atol(line + length + 1);
        }
    }
    finish("no /proc/self/status");
    return 0;
}

static void *simulate(void *with_need)
{
    fmi2Component instance;
    environment_wanted = environment();
    report->digest = 0xcbf29ce484222325;
    instance = instantiate("host", fmi2CoSimulation, guid, resources, &callbacks, fmi2False, fmi2False);
    check_environment();
    if (!instance) {
        finish("null");
    }
    /* Times are copied, so the host itself computes with no floating-point number here. */
    expect_ok(setup_experiment(instance, fmi2False, 0, times[0], fmi2False, 0));
    expect_ok(enter_initialization_mode(instance));
    expect_ok(exit_initialization_mode(instance));
    read_outputs(instance);
    for (size_t i = 0; i < count; i++) {
        expect_ok(do_step(instance, times[2 * i], times[2 * i + 1], fmi2True));
        read_outputs(instance);
        if (with_need && i == 0) {
            snprintf(report->result, sizeof report->result, "%ld", address_space("VmPeak") - size_before);
        }
    }
    (void)terminate(instance);
    check_environment();
    free_instance(instance);
    check_environment();
    return NULL;
}

/* Runs in a thread with a stack of `size` bytes that begins above a guard page; returns how many were used. */
static size_t on_stack(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), untouched = 0;
    unsigned char *memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attributes;
    pthread_t thread;
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
        finish("no stack");
    }
    memset(memory + page, PAINT, size);
    pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, memory + page, size) != 0 || pthread_create(&thread, &attributes, simulate, NULL) != 0) {
        finish("no thread");
    }
    pthread_join(thread, NULL);
    while (untouched < size && memory[page + untouched] == PAINT) {
        untouched++;
    }
    return size - untouched;
}

static void run(const char *scenario)
{
    const char *value = strchr(scenario, '=');
    long number = value ? atol(value + 1) : 0;
    alarm(120);
    if (strncmp(scenario, "stack=", 6) == 0) {
        on_stack((size_t)number * KIB);
    } else if (strcmp(scenario, "used") == 0) {
        size_t used = on_stack(PAINTED_STACK);
        snprintf(report->result, sizeof report->result, "%zu", used);
    } else if (strncmp(scenario, "memory=", 7) == 0) {
        rlim_t limit = (rlim_t)(address_space("VmSize") + number) * KIB;
        struct rlimit both = {limit, limit};
        if (setrlimit(RLIMIT_AS, &both) != 0) {
            finish("no limit");
        }
        simulate(NULL);
    } else if (strcmp(scenario, "need") == 0) {
        size_before = address_space("VmSize");
        simulate(&size_before);
    } else {
        fesetround(strncmp(scenario, "down", 4) == 0   ? FE_DOWNWARD
                   : strncmp(scenario, "up", 2) == 0   ? FE_UPWARD
                   : strncmp(scenario, "zero", 4) == 0 ? FE_TOWARDZERO
                                                       : FE_TONEAREST);
        if (strstr(scenario, "+flush")) {
            flush_subnormal_numbers();
        }
        if (strstr(scenario, "+trap")) {
            feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
        }
        simulate(NULL);
    }
    finish("ok");
}

static References read_references(char *text)
{
    References list = {calloc(strlen(text) + 1, sizeof(fmi2ValueReference)), 0};
    if (strcmp(text, "-") != 0) {
        for (char *at = strtok(text, ","); at; at = strtok(NULL, ",")) {
            list.references[list.count++] = (fmi2ValueReference)atol(at);
        }
    }
    return list;
}

static void *function(void *library, const char *name)
{
    void *address = dlsym(library, name);
    if (!address) {
        fprintf(stderr, "hosts: no function %s\n", name);
        exit(2);
    }
    return address;
}

int main(int argc, char **argv)
{
    double start, step;
    void *library;
    if (argc < 11) {
        fprintf(stderr, "usage: hosts LIBRARY GUID RESOURCES START STEP COUNT REALS INTEGERS BOOLEANS SCENARIO...\n");
        return 2;
    }
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "hosts: %s\n", dlerror());
        return 2;
    }
    guid = argv[2];
    resources = argv[3];
    start = strtod(argv[4], NULL);
    step = strtod(argv[5], NULL);
    count = (size_t)atol(argv[6]);
    times = calloc(2 * count + 2, sizeof *times);
    for (size_t i = 0; i < count; i++) {
        times[2 * i] = start + (double)i * step;
        times[2 * i + 1] = start + (double)(i + 1) * step - times[2 * i];
    }
    reals = read_references(argv[7]);
    integers = read_references(argv[8]);
    booleans = read_references(argv[9]);
    real_values = calloc(reals.count + 1, sizeof *real_values);
    integer_values = calloc(integers.count + 1, sizeof *integer_values);
    boolean_values = calloc(booleans.count + 1, sizeof *boolean_values);
    instantiate = (fmi2InstantiateTYPE *)function(library, "fmi2Instantiate");
    setup_experiment = (fmi2SetupExperimentTYPE *)function(library, "fmi2SetupExperiment");
    enter_initialization_mode = (fmi2EnterInitializationModeTYPE *)function(library, "fmi2EnterInitializationMode");
    exit_initialization_mode = (fmi2ExitInitializationModeTYPE *)function(library, "fmi2ExitInitializationMode");
    get_real = (fmi2GetRealTYPE *)function(library, "fmi2GetReal");
    get_integer = (fmi2GetIntegerTYPE *)function(library, "fmi2GetInteger");
    get_boolean = (fmi2GetBooleanTYPE *)function(library, "fmi2GetBoolean");
    do_step = (fmi2DoStepTYPE *)function(library, "fmi2DoStep");
    terminate = (fmi2TerminateTYPE *)function(library, "fmi2Terminate");
    free_instance = (fmi2FreeInstanceTYPE *)function(library, "fmi2FreeInstance");
    report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 10; i < argc; i++) {
        int status;
        pid_t child;
        memset(report, 0, sizeof *report);
        fflush(stdout);
        child = fork();
        if (child == 0) {
            run(argv[i]);
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) {
            snprintf(report->result, sizeof report->result, "signal %d", WTERMSIG(status));
        }
        for (char *at = report->message; *at; at++) {
            *at = *at == '\n' || *at == '\t' ? ' ' : *at;
        }
        printf("%s\t%s\t%016llx\t%ld\t%s\n", argv[i], *report->result ? report->result : "no report",
               (unsigned long long)report->digest, report->messages, report->message);
    }
    return 0;
}
