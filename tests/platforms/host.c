/* A host that does what a script says: loads the library of an FMU, calls its functions, and writes what they return.
 *
 *     host SCRIPT ANSWERS
 *
 * Numbers go in and out as the 16 hexadecimal digits of their bits, so that no system's printf or strtod comes between; times
 * are in the script, so that the host computes nothing. The same script on two systems must give the same answers, byte by byte.
 * Compiles for Linux and for Windows (mingw-w64); what differs stands in the first part.
 *
 * One command per line, words separated by tabs, text in UTF-8:
 *
 *     load LIBRARY                     the functions below are those of this library
 *     new NAME GUID URI                fmi2Instantiate; the instance that the other commands are about
 *     setup START STOP | enter | exit | terminate | reset | free
 *     step TIME SIZE
 *     outputs KIND REFERENCE ...       what `row` gets: KIND is r, i or b
 *     row                              gets them
 *     get KIND REFERENCE ... | set KIND REFERENCE VALUE
 *     slope REFERENCE ORDER VALUE      fmi2SetRealInputDerivatives
 *     derivative REFERENCE ORDER       fmi2GetRealOutputDerivatives
 *     directional UNKNOWN KNOWN SEED   fmi2GetDirectionalDerivative
 *     remember | restore | forget      fmi2GetFMUstate, fmi2SetFMUstate, fmi2FreeFMUstate
 *     store FILE | fetch FILE          serialized, to a file; from a file
 *     logging ON CATEGORY ...
 *     ask KIND                         the fmi2Get...Status functions, KIND s, r, i, b or t
 *     cancel | about                   fmi2CancelStep; version and types of the library
 *     exchange                         each function of Model Exchange
 */
#define _XOPEN_SOURCE 700

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "fmi2Functions.h"

enum { LINE_LENGTH = 65536, MOST_WORDS = 4096, MOST_OUTPUTS = 2048, PATH_LENGTH = 4096 };

static FILE *answers;
/* What is logged while a function runs; written after its answer. */
static char logged[1 << 20];
static size_t logged_length;
static long line_number;

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "host: line %ld: %s: %s\n", line_number, what, detail);
    exit(1);
}

#ifdef _WIN32

static void wide(const char *text, wchar_t out[PATH_LENGTH])
{
    if (!MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, PATH_LENGTH)) {
        fail("not UTF-8, or too long", text);
    }
}

static void *load_library(const char *path)
{
    wchar_t name[PATH_LENGTH];
    HMODULE library;
    wide(path, name);
    library = LoadLibraryW(name);
    if (!library) {
        fprintf(stderr, "host: LoadLibrary fails with %lu\n", GetLastError());
        fail("cannot load", path);
    }
    return (void *)library;
}

static void *look_up(void *library, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
}

static FILE *open_file(const char *path, const char *mode)
{
    wchar_t name[PATH_LENGTH];
    wide(path, name);
    return _wfopen(name, mode[0] == 'r' ? L"rb" : L"wb");
}

#else

static void *load_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail("cannot load", dlerror());
    }
    return library;
}

static void *look_up(void *library, const char *name)
{
    return dlsym(library, name);
}

static FILE *open_file(const char *path, const char *mode)
{
    return fopen(path, mode);
}

#endif

/* Every function of the standard: a library without one of them is not loaded. */
#define FUNCTIONS(F) \
    F(GetTypesPlatform) F(GetVersion) F(SetDebugLogging) F(Instantiate) F(FreeInstance) F(SetupExperiment) \
    F(EnterInitializationMode) F(ExitInitializationMode) F(Terminate) F(Reset) F(GetReal) F(GetInteger) F(GetBoolean) \
    F(GetString) F(SetReal) F(SetInteger) F(SetBoolean) F(SetString) F(GetFMUstate) F(SetFMUstate) F(FreeFMUstate) \
    F(SerializedFMUstateSize) F(SerializeFMUstate) F(DeSerializeFMUstate) F(GetDirectionalDerivative) \
    F(EnterEventMode) F(NewDiscreteStates) F(EnterContinuousTimeMode) F(CompletedIntegratorStep) F(SetTime) \
    F(SetContinuousStates) F(GetDerivatives) F(GetEventIndicators) F(GetContinuousStates) \
    F(GetNominalsOfContinuousStates) F(SetRealInputDerivatives) F(GetRealOutputDerivatives) F(DoStep) F(CancelStep) \
    F(GetStatus) F(GetRealStatus) F(GetIntegerStatus) F(GetBooleanStatus) F(GetStringStatus)

#define MEMBER(name) fmi2##name##TYPE *name;
static struct { FUNCTIONS(MEMBER) } fmi;

static void load(const char *path)
{
    void *library = load_library(path), *address;
#define LOOK_UP(name) \
    if (!(address = look_up(library, "fmi2" #name))) { \
        fail("the library has no function", "fmi2" #name); \
    } \
    fmi.name = (fmi2##name##TYPE *)(uintptr_t)address;
    FUNCTIONS(LOOK_UP)
}

static fmi2Component instance;
static fmi2FMUstate remembered;
static struct { char kind; fmi2ValueReference reference; } outputs[MOST_OUTPUTS];
static size_t output_count;

static void note_list(const char *format, va_list arguments)
{
    int length = vsnprintf(logged + logged_length, sizeof logged - logged_length, format, arguments);
    if (length < 0 || (size_t)length >= sizeof logged - logged_length) {
        fail("too much is logged", format);
    }
    logged_length += (size_t)length;
}

static void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note_list(format, arguments);
    va_end(arguments);
}

static void logger(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    va_list arguments;
    (void)environment;
    note("log %s %d %s ", name, (int)status, category ? category : "-");
    va_start(arguments, message);
    note_list(message, arguments);
    va_end(arguments);
    note("\n");
}

static double real(const char *digits)
{
    uint64_t bits = strtoull(digits, NULL, 16);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void write_real(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fprintf(answers, " %08" PRIx32 "%08" PRIx32, (uint32_t)(bits >> 32), (uint32_t)bits);
}

/* The value of a variable, or the status when it has none. */
static void get(char kind, fmi2ValueReference reference)
{
    fmi2Real real = 0;
    fmi2Integer integer = 0;
    fmi2Boolean boolean = 0;
    fmi2String string = NULL;
    fmi2Status status;
    switch (kind) {
    case 'r':
        status = fmi.GetReal(instance, &reference, 1, &real);
        break;
    case 'i':
        status = fmi.GetInteger(instance, &reference, 1, &integer);
        break;
    case 'b':
        status = fmi.GetBoolean(instance, &reference, 1, &boolean);
        break;
    default:
        status = fmi.GetString(instance, &reference, 1, &string);
    }
    if (status != fmi2OK) {
        fprintf(answers, " status%d", (int)status);
    } else if (kind == 'r') {
        write_real(real);
    } else {
        fprintf(answers, " %d", kind == 'i' ? integer : boolean);
    }
}

static fmi2Status set(char kind, fmi2ValueReference reference, const char *value)
{
    fmi2Real number = real(value);
    fmi2Integer integer = (fmi2Integer)strtol(value, NULL, 10);
    fmi2Boolean boolean = integer != 0;
    switch (kind) {
    case 'r':
        return fmi.SetReal(instance, &reference, 1, &number);
    case 'i':
        return fmi.SetInteger(instance, &reference, 1, &integer);
    case 'b':
        return fmi.SetBoolean(instance, &reference, 1, &boolean);
    default:
        return fmi.SetString(instance, &reference, 1, &value);
    }
}

static fmi2Status store(const char *path)
{
    size_t size = 0;
    char *bytes;
    FILE *file;
    fmi2Status status = fmi.SerializedFMUstateSize(instance, remembered, &size);
    if (status != fmi2OK) {
        return status;
    }
    bytes = malloc(size);
    status = fmi.SerializeFMUstate(instance, remembered, bytes, size);
    file = status == fmi2OK ? open_file(path, "wb") : NULL;
    if (status == fmi2OK && (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)) {
        fail("cannot write", path);
    }
    free(bytes);
    return status;
}

static fmi2Status fetch(const char *path)
{
    static char bytes[1 << 24];
    FILE *file = open_file(path, "rb");
    size_t size;
    if (!file) {
        fail("cannot read", path);
    }
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return fmi.DeSerializeFMUstate(instance, bytes, size, &remembered);
}

static void ask(char kind)
{
    fmi2Status status, answer = fmi2OK;
    fmi2Real number = 0;
    fmi2Integer integer = 0;
    fmi2Boolean boolean = 0;
    fmi2String string = NULL;
    switch (kind) {
    case 's':
        status = fmi.GetStatus(instance, fmi2DoStepStatus, &answer);
        break;
    case 'r':
        status = fmi.GetRealStatus(instance, fmi2LastSuccessfulTime, &number);
        break;
    case 'i':
        status = fmi.GetIntegerStatus(instance, fmi2PendingStatus, &integer);
        break;
    case 'b':
        status = fmi.GetBooleanStatus(instance, fmi2Terminated, &boolean);
        break;
    default:
        status = fmi.GetStringStatus(instance, fmi2PendingStatus, &string);
    }
    fprintf(answers, " %d", (int)status);
    write_real(number);
    fprintf(answers, " %d %d", integer, boolean);
}

static void exchange(void)
{
    fmi2EventInfo event;
    fmi2Boolean one = 0, other = 0;
    fmi2Real value = 0;
    fprintf(answers, " %d", (int)fmi.EnterEventMode(instance));
    fprintf(answers, " %d", (int)fmi.NewDiscreteStates(instance, &event));
    fprintf(answers, " %d", (int)fmi.EnterContinuousTimeMode(instance));
    fprintf(answers, " %d", (int)fmi.CompletedIntegratorStep(instance, fmi2True, &one, &other));
    fprintf(answers, " %d", (int)fmi.SetTime(instance, 0));
    fprintf(answers, " %d", (int)fmi.SetContinuousStates(instance, &value, 1));
    fprintf(answers, " %d", (int)fmi.GetDerivatives(instance, &value, 1));
    fprintf(answers, " %d", (int)fmi.GetEventIndicators(instance, &value, 1));
    fprintf(answers, " %d", (int)fmi.GetContinuousStates(instance, &value, 1));
    fprintf(answers, " %d", (int)fmi.GetNominalsOfContinuousStates(instance, &value, 1));
}

static fmi2ValueReference reference(const char *word)
{
    return (fmi2ValueReference)strtoul(word, NULL, 10);
}

static void run(char **word, size_t count)
{
    static const fmi2CallbackFunctions callbacks = {.logger = logger};
    const char *command = word[0];
    fmi2Status status = fmi2OK;
#define IS(name, least) (strcmp(command, name) == 0 && (count > least || (fail("too few words", command), 0)))
    fprintf(answers, "%s", command);
    if (IS("load", 1)) {
        load(word[1]);
    } else if (IS("new", 3)) {
        instance = fmi.Instantiate(word[1], fmi2CoSimulation, word[2], word[3], &callbacks, fmi2False, fmi2True);
        fprintf(answers, " %s", instance ? "instance" : "NULL");
    } else if (IS("free", 0)) {
        fmi.FreeInstance(instance);
        instance = NULL;
    } else if (IS("outputs", 0)) {
        output_count = 0;
        for (size_t i = 1; i + 1 < count && output_count < MOST_OUTPUTS; i += 2) {
            outputs[output_count].kind = word[i][0];
            outputs[output_count++].reference = reference(word[i + 1]);
        }
    } else if (IS("row", 0)) {
        for (size_t i = 0; i < output_count; i++) {
            get(outputs[i].kind, outputs[i].reference);
        }
    } else if (IS("get", 2)) {
        for (size_t i = 1; i + 1 < count; i += 2) {
            get(word[i][0], reference(word[i + 1]));
        }
    } else if (IS("ask", 1)) {
        ask(word[1][0]);
    } else if (IS("about", 0)) {
        fprintf(answers, " %s %s", fmi.GetVersion(), fmi.GetTypesPlatform());
    } else if (IS("exchange", 0)) {
        exchange();
    } else if (IS("derivative", 2)) {
        fmi2ValueReference output = reference(word[1]);
        fmi2Integer order = atoi(word[2]);
        double value = 0;
        status = fmi.GetRealOutputDerivatives(instance, &output, 1, &order, &value);
        fprintf(answers, " %d", (int)status);
        write_real(value);
    } else if (IS("directional", 3)) {
        fmi2ValueReference unknown = reference(word[1]), known = reference(word[2]);
        double seed = real(word[3]), value = 0;
        status = fmi.GetDirectionalDerivative(instance, &unknown, 1, &known, 1, &seed, &value);
        fprintf(answers, " %d", (int)status);
        write_real(value);
    } else {
        if (IS("setup", 2)) {
            status = fmi.SetupExperiment(instance, fmi2False, 0, real(word[1]), fmi2True, real(word[2]));
        } else if (IS("enter", 0)) {
            status = fmi.EnterInitializationMode(instance);
        } else if (IS("exit", 0)) {
            status = fmi.ExitInitializationMode(instance);
        } else if (IS("step", 2)) {
            status = fmi.DoStep(instance, real(word[1]), real(word[2]), fmi2False);
        } else if (IS("terminate", 0)) {
            status = fmi.Terminate(instance);
        } else if (IS("reset", 0)) {
            status = fmi.Reset(instance);
        } else if (IS("set", 3)) {
            status = set(word[1][0], reference(word[2]), word[3]);
        } else if (IS("slope", 3)) {
            fmi2ValueReference input = reference(word[1]);
            fmi2Integer order = atoi(word[2]);
            double value = real(word[3]);
            status = fmi.SetRealInputDerivatives(instance, &input, 1, &order, &value);
        } else if (IS("remember", 0)) {
            status = fmi.GetFMUstate(instance, &remembered);
        } else if (IS("restore", 0)) {
            status = fmi.SetFMUstate(instance, remembered);
        } else if (IS("forget", 0)) {
            status = fmi.FreeFMUstate(instance, &remembered);
            fprintf(answers, " %s", remembered ? "kept" : "NULL");
        } else if (IS("store", 1)) {
            status = store(word[1]);
        } else if (IS("fetch", 1)) {
            status = fetch(word[1]);
        } else if (IS("logging", 1)) {
            status = fmi.SetDebugLogging(instance, atoi(word[1]), count - 2, (const fmi2String *)(word + 2));
        } else if (IS("cancel", 0)) {
            status = fmi.CancelStep(instance);
        } else {
            fail("unknown command", command);
        }
        fprintf(answers, " %d", (int)status);
    }
    fputc('\n', answers);
    fwrite(logged, 1, logged_length, answers);
    logged_length = 0;
}

int main(int argc, char **argv)
{
    static char line[LINE_LENGTH];
    static char *word[MOST_WORDS];
    FILE *script;
    if (argc != 3) {
        fprintf(stderr, "usage: host SCRIPT ANSWERS\n");
        return 2;
    }
    script = open_file(argv[1], "rb");
    answers = open_file(argv[2], "wb");
    if (!script || !answers) {
        fail("cannot open", script ? argv[2] : argv[1]);
    }
    while (fgets(line, sizeof line, script)) {
        size_t count = 0, length = strlen(line);
        line_number++;
        if (length == 0 || line[length - 1] != '\n') {
            fail("line without end, or too long", line);
        }
        line[length - 1] = '\0';
        for (char *at = strtok(line, "\t"); at && count < MOST_WORDS; at = strtok(NULL, "\t")) {
            word[count++] = at;
        }
        if (count > 0) {
            run(word, count);
        }
    }
    fclose(script);
    if (ferror(answers) || fclose(answers) != 0) {
        fail("cannot write", argv[2]);
    }
    return 0;
}
