/* A host in C: loads an FMU (FMI 2.0 Co-Simulation), steps it through its default experiment, prints its outputs as CSV.
 *
 *     ballesta export models/four_bar -o four_bar.fmu
 *     mkdir four_bar && cd four_bar && unzip ../four_bar.fmu && cd ..
 *     cc -std=c11 -I HEADERS examples/host.c -o host -ldl
 *     ./host four_bar > four_bar.csv
 *
 * HEADERS is a folder with the official fmi2Functions.h (the FMI standard's archive has it, and the Python package fmpy in
 * its folder c-code). Linux only; on other systems replace dlopen and the name of the library.
 *
 * A real host reads modelDescription.xml with an XML library. The scanner below is enough for files that ballesta
 * writes: one element per variable, attributes in double quotes, names without escaped characters.
 */
#define _XOPEN_SOURCE 700

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi2Functions.h"

enum { NAME_LENGTH = 256, PATH_LENGTH = 4096 };

typedef enum { REAL, INTEGER, BOOLEAN } Kind;

typedef struct {
    char name[NAME_LENGTH];
    fmi2ValueReference reference;
    Kind kind;
} Output;

typedef struct {
    char identifier[NAME_LENGTH], guid[NAME_LENGTH];
    double start, stop, step;
    Output *outputs;
    size_t output_count;
} Description;

typedef struct {
    fmi2InstantiateTYPE *instantiate;
    fmi2SetupExperimentTYPE *setup_experiment;
    fmi2EnterInitializationModeTYPE *enter_initialization_mode;
    fmi2ExitInitializationModeTYPE *exit_initialization_mode;
    fmi2GetRealTYPE *get_real;
    fmi2GetIntegerTYPE *get_integer;
    fmi2GetBooleanTYPE *get_boolean;
    fmi2DoStepTYPE *do_step;
    fmi2TerminateTYPE *terminate;
    fmi2FreeInstanceTYPE *free_instance;
} Functions;

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "host: %s: %s\n", what, detail);
    exit(1);
}

static void expect_ok(fmi2Status status, const char *function)
{
    if (status != fmi2OK) {
        fail(function, "did not return fmi2OK");
    }
}

static void logger(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    va_list arguments;
    (void)environment;
    fprintf(stderr, "%s (status %d, %s): ", instance, (int)status, category ? category : "no category");
    va_start(arguments, message);
    vfprintf(stderr, message, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

/* `folder` and `rest` as one path or URI. */
static void join(char path[PATH_LENGTH], const char *prefix, const char *folder, const char *rest)
{
    int length = snprintf(path, PATH_LENGTH, "%s%s/%s", prefix, folder, rest);
    if (length < 0 || length >= PATH_LENGTH) {
        fail("path too long", folder);
    }
}

/* The whole text of a file; the caller frees it. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    long length;
    char *text;
    if (!file || fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0) {
        fail("cannot read", path);
    }
    rewind(file);
    text = malloc((size_t)length + 1);
    if (!text || fread(text, 1, (size_t)length, file) != (size_t)length) {
        fail("cannot read", path);
    }
    text[length] = '\0';
    fclose(file);
    return text;
}

/* Copies the value of an attribute of the element whose text starts at `element`; 0 when the element has none. */
static int attribute(const char *element, const char *name, char value[NAME_LENGTH])
{
    const char *end = strchr(element, '>');
    char pattern[64];
    const char *at, *close;
    snprintf(pattern, sizeof pattern, " %s=\"", name);
    /* Attributes may stand on lines of their own. */
    for (at = element; (at = strstr(at, pattern + 1)) != NULL && at < end; at++) {
        if (at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\t') {
            at += strlen(pattern + 1);
            close = strchr(at, '"');
            if (!close || (size_t)(close - at) >= NAME_LENGTH) {
                fail("attribute without end, or too long", name);
            }
            memcpy(value, at, (size_t)(close - at));
            value[close - at] = '\0';
            return 1;
        }
    }
    return 0;
}

static double number(const char *element, const char *name)
{
    char value[NAME_LENGTH];
    if (!attribute(element, name, value)) {
        fail("modelDescription.xml has no attribute", name);
    }
    return strtod(value, NULL);
}

static const char *find(const char *text, const char *element)
{
    const char *at = strstr(text, element);
    if (!at) {
        fail("modelDescription.xml has no element", element);
    }
    return at;
}

static Description read_description(const char *folder)
{
    Description description = {.output_count = 0};
    char path[PATH_LENGTH], value[NAME_LENGTH];
    const char *experiment, *at;
    char *text;
    join(path, "", folder, "modelDescription.xml");
    text = read_text(path);
    if (!attribute(find(text, "<fmiModelDescription"), "guid", description.guid) ||
        !attribute(find(text, "<CoSimulation"), "modelIdentifier", description.identifier)) {
        fail("no guid or no modelIdentifier in", path);
    }
    experiment = find(text, "<DefaultExperiment");
    description.start = number(experiment, "startTime");
    description.stop = number(experiment, "stopTime");
    description.step = number(experiment, "stepSize");
    for (at = text; (at = strstr(at, "<ScalarVariable ")) != NULL; at++) {
        const char *type = strchr(at, '>') + 1;
        Output *output;
        if (!attribute(at, "causality", value) || strcmp(value, "output") != 0) {
            continue;
        }
        description.outputs = realloc(description.outputs, (description.output_count + 1) * sizeof(Output));
        if (!description.outputs) {
            fail("out of memory", path);
        }
        output = &description.outputs[description.output_count++];
        attribute(at, "name", output->name);
        output->reference = (fmi2ValueReference)number(at, "valueReference");
        type += strspn(type, " \t\r\n");
        output->kind = strncmp(type, "<Real", 5) == 0 ? REAL : strncmp(type, "<Integer", 8) == 0 ? INTEGER : BOOLEAN;
    }
    free(text);
    return description;
}

static void *function(void *library, const char *name)
{
    void *address = dlsym(library, name);
    if (!address) {
        fail("the library has no function", name);
    }
    return address;
}

static Functions load(const char *folder, const char *identifier)
{
    char path[PATH_LENGTH], file[NAME_LENGTH + 32];
    void *library;
    snprintf(file, sizeof file, "binaries/linux64/%s.so", identifier);
    join(path, "", folder, file);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail("cannot load", dlerror());
    }
    return (Functions){
        .instantiate = (fmi2InstantiateTYPE *)function(library, "fmi2Instantiate"),
        .setup_experiment = (fmi2SetupExperimentTYPE *)function(library, "fmi2SetupExperiment"),
        .enter_initialization_mode =
            (fmi2EnterInitializationModeTYPE *)function(library, "fmi2EnterInitializationMode"),
        .exit_initialization_mode = (fmi2ExitInitializationModeTYPE *)function(library, "fmi2ExitInitializationMode"),
        .get_real = (fmi2GetRealTYPE *)function(library, "fmi2GetReal"),
        .get_integer = (fmi2GetIntegerTYPE *)function(library, "fmi2GetInteger"),
        .get_boolean = (fmi2GetBooleanTYPE *)function(library, "fmi2GetBoolean"),
        .do_step = (fmi2DoStepTYPE *)function(library, "fmi2DoStep"),
        .terminate = (fmi2TerminateTYPE *)function(library, "fmi2Terminate"),
        .free_instance = (fmi2FreeInstanceTYPE *)function(library, "fmi2FreeInstance"),
    };
}

/* One row of the CSV; 17 digits give back the same bits. */
static void print_row(const Functions *fmi, fmi2Component instance, const Description *description, double time)
{
    printf("%.17g", time);
    for (size_t i = 0; i < description->output_count; i++) {
        const Output *output = &description->outputs[i];
        fmi2Real real;
        fmi2Integer integer;
        fmi2Boolean boolean;
        switch (output->kind) {
        case REAL:
            expect_ok(fmi->get_real(instance, &output->reference, 1, &real), "fmi2GetReal");
            printf(",%.17g", real);
            break;
        case INTEGER:
            expect_ok(fmi->get_integer(instance, &output->reference, 1, &integer), "fmi2GetInteger");
            printf(",%d", integer);
            break;
        case BOOLEAN:
            expect_ok(fmi->get_boolean(instance, &output->reference, 1, &boolean), "fmi2GetBoolean");
            printf(",%d", boolean != fmi2False);
            break;
        }
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    /* ballesta takes memory from the system (canNotUseMemoryManagementFunctions), so these may be NULL. */
    const fmi2CallbackFunctions callbacks = {.logger = logger};
    char folder[PATH_LENGTH], resources[PATH_LENGTH];
    Description description;
    Functions fmi;
    fmi2Component instance;
    double time;

    if (argc != 2 || !realpath(argv[1], folder)) {
        fprintf(stderr, "usage: host FOLDER_OF_THE_UNPACKED_FMU\n");
        return 2;
    }
    description = read_description(folder);
    fmi = load(folder, description.identifier);
    /* A host for users' folders must percent-encode the path: spaces, braces, and everything that is not ASCII. */
    join(resources, "file://", folder, "resources");

    instance = fmi.instantiate("host", fmi2CoSimulation, description.guid, resources, &callbacks, fmi2False, fmi2True);
    if (!instance) {
        fail("fmi2Instantiate", "returned NULL");
    }
    expect_ok(fmi.setup_experiment(instance, fmi2False, 0, description.start, fmi2True, description.stop),
              "fmi2SetupExperiment");
    expect_ok(fmi.enter_initialization_mode(instance), "fmi2EnterInitializationMode");
    expect_ok(fmi.exit_initialization_mode(instance), "fmi2ExitInitializationMode");

    printf("time");
    for (size_t i = 0; i < description.output_count; i++) {
        printf(",%s", description.outputs[i].name);
    }
    putchar('\n');
    print_row(&fmi, instance, &description, description.start);
    time = description.start;
    /* Points by multiplication, so that round-off does not add up; the last step ends at the stop time. */
    for (long k = 1; time < description.stop; k++) {
        double next = description.start + (double)k * description.step;
        if (next > description.stop - 1e-9 * description.step) {
            next = description.stop;
        }
        expect_ok(fmi.do_step(instance, time, next - time, fmi2True), "fmi2DoStep");
        time = next;
        print_row(&fmi, instance, &description, time);
    }
    expect_ok(fmi.terminate(instance), "fmi2Terminate");
    fmi.free_instance(instance);
    free(description.outputs);
    return 0;
}
