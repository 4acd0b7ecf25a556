/* A Co-Simulation FMU that is not ballesta's: its steps last as long as its input says, in s. It counts them, sums the
 * square of its input up to show that the input arrives, and refuses a step once the input is negative. Only what an
 * importer cannot do without is there. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  double pause, sum;
  int steps;
} Sleeper;

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources, const void *functions,
                      int visible, int logging) {
  (void)name, (void)resources, (void)functions, (void)visible, (void)logging;
  return type == 1 && strcmp(guid, "sleeper-1") == 0 ? calloc(1, sizeof(Sleeper)) : NULL;
}

void fmi2FreeInstance(void *c) { free(c); }

int fmi2SetupExperiment(void *c, int has_tolerance, double tolerance, double start, int has_stop, double stop) {
  (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
  return 0;
}

int fmi2EnterInitializationMode(void *c) { return c == NULL ? 3 : 0; }
int fmi2ExitInitializationMode(void *c) { return c == NULL ? 3 : 0; }
int fmi2Terminate(void *c) { return c == NULL ? 3 : 0; }

int fmi2Reset(void *c) {
  memset(c, 0, sizeof(Sleeper));
  return 0;
}

int fmi2SetReal(void *c, const unsigned *references, size_t count, const double *values) {
  for (size_t i = 0; i < count; i++) {
    if (references[i] != 0) return 3;
    ((Sleeper *)c)->pause = values[i];
  }
  return 0;
}

int fmi2GetReal(void *c, const unsigned *references, size_t count, double *values) {
  for (size_t i = 0; i < count; i++) {
    if (references[i] != 1) return 3;
    values[i] = ((Sleeper *)c)->sum;
  }
  return 0;
}

int fmi2GetInteger(void *c, const unsigned *references, size_t count, int *values) {
  for (size_t i = 0; i < count; i++) {
    if (references[i] != 0) return 3;
    values[i] = ((Sleeper *)c)->steps;
  }
  return 0;
}

int fmi2DoStep(void *c, double time, double step, int no_return) {
  Sleeper *sleeper = c;
  (void)time, (void)step, (void)no_return;
  if (sleeper->pause < 0) return 3;
  sleeper->steps++;
  sleeper->sum += sleeper->pause * sleeper->pause;
  struct timespec rest = {(time_t)sleeper->pause, (long)((sleeper->pause - (double)(time_t)sleeper->pause) * 1e9)};
  while (nanosleep(&rest, &rest) != 0) {
  }
  return 0;
}
