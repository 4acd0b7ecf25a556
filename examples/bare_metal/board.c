/* The board, simulated by a process of Linux. Replace this file for your hardware.
 *
 * It is the only file with system calls: write for the serial line, and exit. There is no clock: the timer
 * interrupts as soon as the program sleeps. On hardware, board_start_timer sets a timer, and board_sleep is the
 * instruction that waits for an interrupt (wfi, hlt).
 */
#include "board.h"

int main(void);
void board_main(void);
int raise(int signal);

static void (*timer_interrupt)(void);

#if defined(__x86_64__)
enum { SYSTEM_WRITE = 1, SYSTEM_EXIT = 60 };
__asm__(".text\n.globl _start\n_start:\n  xorl %ebp, %ebp\n  call board_main\n");
static void system_call(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
}
#elif defined(__aarch64__)
enum { SYSTEM_WRITE = 64, SYSTEM_EXIT = 93 };
__asm__(".text\n.globl _start\n_start:\n  mov x29, #0\n  bl board_main\n");
static void system_call(long number, long a, long b, long c)
{
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
}
#elif defined(__arm__)
enum { SYSTEM_WRITE = 4, SYSTEM_EXIT = 1 };
#if defined(__thumb__)
#define CODE ".thumb\n"
#else
#define CODE ".arm\n"
#endif
__asm__(".text\n.syntax unified\n" CODE ".globl _start\n.type _start, %function\n_start:\n  mov r11, #0\n  bl board_main\n");
/* A function of its own, because r7 has another use in Thumb code. */
__asm__(".text\n.syntax unified\n" CODE ".type system_call, %function\nsystem_call:\n  push {r7, lr}\n  mov r7, r0\n  mov r0, r1\n"
        "  mov r1, r2\n  mov r2, r3\n  svc #0\n  pop {r7, pc}\n");
void system_call(long number, long a, long b, long c);

/* The libgcc of Linux calls this function after a division by zero, which the sources never do. */
int raise(int signal)
{
    board_stop(128 + signal);
}
#else
#error "This board exists for x86-64 and ARM only."
#endif

/* What a reset handler does after it has set the stack pointer, cleared .bss and switched the floating-point unit on. */
void board_main(void)
{
    board_stop(main());
}

void board_start_timer(unsigned period_us, void (*interrupt)(void))
{
    (void)period_us;
    timer_interrupt = interrupt;
}

void board_sleep(void)
{
    timer_interrupt();
}

void board_write(const char *text)
{
    long length = 0;
    while (text[length] != 0) {
        length++;
    }
    system_call(SYSTEM_WRITE, 1, (long)text, length);
}

void board_stop(int code)
{
    for (;;) {
        system_call(SYSTEM_EXIT, code, 0, 0);
    }
}
