/* Steps one FMU that is linked into the program, with changing inputs, and prints the bits of all Real outputs. A file `model.txt` defines
   MODEL, GUID, OUTPUTS, INPUTS, STARTS, STEP and STEPS. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include MODEL_FILE

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define F(function) JOIN(MODEL, _fmi2##function)

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*free)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;

void *F(Instantiate)(const char *, int, const char *, const char *, const Callbacks *, int, int);
int F(SetupExperiment)(void *, int, double, double, int, double);
int F(EnterInitializationMode)(void *);
int F(ExitInitializationMode)(void *);
int F(SetReal)(void *, const unsigned *, size_t, const double *);
int F(GetReal)(void *, const unsigned *, size_t, double *);
int F(DoStep)(void *, double, double, int);
int F(Terminate)(void *);
void F(FreeInstance)(void *);

static void say(void *environment, const char *name, int status, const char *category, const char *message, ...) {
    (void)environment;
    fprintf(stderr, "%s %d %s: %s\n", name, status, category, message);
}

static int print(void *c) {
    static const unsigned references[] = {OUTPUTS};
    double values[sizeof references / sizeof *references];
    if (F(GetReal)(c, references, sizeof references / sizeof *references, values) != 0) return 1;
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        uint64_t bits;
        memcpy(&bits, &values[k], sizeof bits);
        printf("%08lx%08lx ", (unsigned long)(bits >> 32), (unsigned long)(bits & 0xffffffffu));
    }
    printf("\n");
    return 0;
}

int JOIN(drive_, MODEL)(void) {
    /* The last one is not used: an FMU may have no inputs. */
    static const unsigned inputs[] = {INPUTS 0};
    static const double starts[] = {STARTS 0};
    const size_t count = sizeof inputs / sizeof *inputs - 1;
    const Callbacks callbacks = {say, 0, 0, 0, 0};
    void *c = F(Instantiate)("a", 1, GUID, "", &callbacks, 0, 0);
    if (c == 0 || F(SetupExperiment)(c, 0, 0.0, 0.0, 0, 0.0) != 0) return 1;
    if (F(EnterInitializationMode)(c) != 0 || F(ExitInitializationMode)(c) != 0 || print(c) != 0) return 2;
    for (int k = 0; k < STEPS; k++) {
        for (size_t j = 0; j < count; j++) {
            const double value = starts[j] + 0.0009765625 * (k % 16);
            if (F(SetReal)(c, &inputs[j], 1, &value) != 0) return 3;
        }
        if (F(DoStep)(c, k * STEP, STEP, 1) != 0 || print(c) != 0) return 4;
    }
    F(FreeInstance)(c);
    return 0;
}
