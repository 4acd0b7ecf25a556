/* Steps an FMU in a timer interrupt, without an operating system and without a C library.
 *
 * The FMU is models/four_bar, exported with --sources-only. fmu.h is written by run.sh: the GUID and the value references of
 * the FMU, from its modelDescription.xml. A program that has the headers of the FMI standard includes fmi2Functions.h
 * instead of the declarations below, after #define FMI2_FUNCTION_PREFIX four_bar_.
 */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "fmu.h"

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef void (*fmi2CallbackLogger)(void *environment, const char *instance, fmi2Status status, const char *category,
                                   const char *message, ...);
typedef struct {
    fmi2CallbackLogger logger;
    void *(*allocate_memory)(size_t, size_t);
    void (*free_memory)(void *);
    void (*step_finished)(void *, fmi2Status);
    void *environment;
} fmi2CallbackFunctions;
enum { CO_SIMULATION = 1 };

void *four_bar_fmi2Instantiate(const char *name, int type, const char *guid, const char *resources, const fmi2CallbackFunctions *,
                               int visible, int logging);
fmi2Status four_bar_fmi2SetupExperiment(void *, int tolerance_defined, double tolerance, double start, int stop_defined, double stop);
fmi2Status four_bar_fmi2EnterInitializationMode(void *);
fmi2Status four_bar_fmi2ExitInitializationMode(void *);
fmi2Status four_bar_fmi2GetReal(void *, const unsigned references[], size_t count, double values[]);
fmi2Status four_bar_fmi2DoStep(void *, double time, double step, int no_restore);

enum { PERIOD_US = 1000, STEPS = 1000, OUTPUTS = 2 };
static const unsigned references[OUTPUTS] = {LEFT_ANGLE, A0_FORCE_X};

static void *model;
static volatile unsigned steps;
static volatile fmi2Status status;
/* Written by the interrupt; read by the main loop, or by a digital-to-analogue converter. */
static double outputs[OUTPUTS];

static void write_message(void *environment, const char *instance, fmi2Status message_status, const char *category, const char *message,
                          ...)
{
    (void)environment, (void)instance, (void)message_status, (void)category;
    board_write(message);
    board_write("\n");
}

/* The interrupt of the timer. All calls for one instance come from one place after the initialization. */
static void timer_interrupt(void)
{
    if (status != fmi2OK || steps == STEPS) {
        return;
    }
    /* Here a model with inputs calls fmi2SetReal. */
    status = four_bar_fmi2DoStep(model, steps * (PERIOD_US * 1e-6), PERIOD_US * 1e-6, 1);
    if (status == fmi2OK) {
        status = four_bar_fmi2GetReal(model, references, OUTPUTS, outputs);
    }
    steps++;
}

/* Writes the bits of a number. */
static void write_bits(const char *name, double value)
{
    union {
        double value;
        uint64_t bits;
    } number = {value};
    char text[] = " 0000000000000000\n";
    for (int digit = 0; digit < 16; digit++) {
        text[1 + digit] = "0123456789abcdef"[number.bits >> (60 - 4 * digit) & 15];
    }
    board_write(name);
    board_write(text);
}

int main(void)
{
    static const fmi2CallbackFunctions callbacks = {.logger = write_message};
    model = four_bar_fmi2Instantiate("four_bar", CO_SIMULATION, GUID, "", &callbacks, 0, 0);
    if (model == NULL) {
        return 1;
    }
    if (four_bar_fmi2SetupExperiment(model, 0, 0.0, 0.0, 0, 0.0) != fmi2OK || four_bar_fmi2EnterInitializationMode(model) != fmi2OK ||
        four_bar_fmi2ExitInitializationMode(model) != fmi2OK) {
        return 2;
    }
    board_start_timer(PERIOD_US, timer_interrupt);
    while (status == fmi2OK && steps < STEPS) {
        board_sleep();
    }
    if (status != fmi2OK) {
        return 3;
    }
    write_bits("left.angle", outputs[0]);
    write_bits("A0.force.x", outputs[1]);
    return 0;
}
