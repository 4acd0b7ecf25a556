/* Loaded before a program (LD_PRELOAD), it stops the program at the first floating-point operation that is invalid, divides by zero
 * or overflows, as hosts do that trap exceptions, and says in which library: `addr2line -fe LIBRARY OFFSET` names the line.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void stop(int signal, siginfo_t *information, void *context)
{
    const char *what = information->si_code == FPE_FLTINV   ? "invalid operation"
                       : information->si_code == FPE_FLTDIV ? "division by zero"
                                                            : "overflow";
    Dl_info library;
    (void)signal;
    (void)context;
    /* Enough for a test: the program ends here. */
    if (dladdr(information->si_addr, &library) && library.dli_fname) {
        fprintf(stderr, "trap: %s at %s+%#lx (%s)\n", what, library.dli_fname,
                (unsigned long)((char *)information->si_addr - (char *)library.dli_fbase),
                library.dli_sname ? library.dli_sname : "no symbol");
    }
    _exit(3);
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_SIGINFO};
    sigaction(SIGFPE, &action, NULL);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
}
