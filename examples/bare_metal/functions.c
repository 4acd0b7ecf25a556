/* The functions of the C library that C sources of an FMU need, for a system that has no C library.
 *
 * The declarations are in libc/. Compile this file with -ffreestanding.
 */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

/* Without this, GCC replaces the loop in memcpy by a call of memcpy. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    while (count-- > 0) {
        *target++ = *source++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t count)
{
    unsigned char *target = to;
    const unsigned char *source = from;
    if ((uintptr_t)to - (uintptr_t)from >= count) { /* The end of `from` is not overwritten before it is read. */
        return memcpy(to, from, count);
    }
    while (count-- > 0) {
        target[count] = source[count];
    }
    return to;
}

void *memset(void *to, int value, size_t count)
{
    unsigned char *target = to;
    while (count-- > 0) {
        *target++ = (unsigned char)value;
    }
    return to;
}

/* No source calls strlen, but GCC makes a call of it from a loop (-O2). */
size_t strlen(const char *text)
{
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

/* The square root, rounded to nearest, for a processor that has no instruction for it. */
double sqrt(double x)
{
    union {
        double value;
        uint64_t bits;
    } number = {x};
    int exponent = (int)(number.bits >> 52 & 0x7ff);
    uint64_t mantissa = number.bits & 0xfffffffffffffu, root = 0, rest = 0;
    if (x == 0.0 || exponent == 0x7ff || number.bits >> 63 != 0) {
        return x == 0.0 || x > 0.0 ? x : (x - x) / (x - x); /* 0, infinity; NaN for negative numbers and NaN */
    }
    if (exponent == 0) { /* Subnormal: shift the mantissa. */
        exponent = 1;
        while (mantissa >> 52 == 0) {
            mantissa <<= 1;
            exponent--;
        }
    }
    mantissa |= (uint64_t)1 << 52;
    /* x = mantissa * 2^(exponent - 1075); the power of two must be even. */
    if (exponent % 2 == 0) {
        mantissa <<= 1;
        exponent--;
    }
    /* 54 digits of the root, one for each pair of digits of mantissa * 2^54. */
    for (int pair = 53; pair >= 0; pair--) {
        const uint64_t next = pair >= 27 ? mantissa >> 2 * (pair - 27) & 3 : 0;
        rest = rest << 2 | next;
        const uint64_t trial = root << 2 | 1;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1;
        }
    }
    /* The last digit decides the rounding; the root of a double is never halfway between two doubles. */
    number.bits = ((uint64_t)((exponent - 1) / 2 + 511) << 52) + (root >> 1) + (root & 1);
    return number.value;
}

/* setjmp and longjmp: save and load the registers that a function must preserve. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl setjmp\n"
        ".type setjmp, @function\n"
        "setjmp:\n"
        "  movq %rbx, 0(%rdi)\n"
        "  movq %rbp, 8(%rdi)\n"
        "  movq %r12, 16(%rdi)\n"
        "  movq %r13, 24(%rdi)\n"
        "  movq %r14, 32(%rdi)\n"
        "  movq %r15, 40(%rdi)\n"
        "  leaq 8(%rsp), %rdx\n" /* The stack pointer after the return. */
        "  movq %rdx, 48(%rdi)\n"
        "  movq (%rsp), %rdx\n" /* The return address. */
        "  movq %rdx, 56(%rdi)\n"
        "  xorl %eax, %eax\n"
        "  ret\n"
        ".globl longjmp\n"
        ".type longjmp, @function\n"
        "longjmp:\n"
        "  movl %esi, %eax\n"
        "  testl %eax, %eax\n"
        "  jnz 1f\n"
        "  incl %eax\n" /* setjmp returns 1 if the value is 0. */
        "1:\n"
        "  movq 0(%rdi), %rbx\n"
        "  movq 8(%rdi), %rbp\n"
        "  movq 16(%rdi), %r12\n"
        "  movq 24(%rdi), %r13\n"
        "  movq 32(%rdi), %r14\n"
        "  movq 40(%rdi), %r15\n"
        "  movq 48(%rdi), %rsp\n"
        "  jmpq *56(%rdi)\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl setjmp\n"
        ".type setjmp, %function\n"
        "setjmp:\n"
        "  stp x19, x20, [x0, #0]\n"
        "  stp x21, x22, [x0, #16]\n"
        "  stp x23, x24, [x0, #32]\n"
        "  stp x25, x26, [x0, #48]\n"
        "  stp x27, x28, [x0, #64]\n"
        "  stp x29, x30, [x0, #80]\n"
        "  mov x2, sp\n"
        "  str x2, [x0, #96]\n"
        "  stp d8, d9, [x0, #112]\n"
        "  stp d10, d11, [x0, #128]\n"
        "  stp d12, d13, [x0, #144]\n"
        "  stp d14, d15, [x0, #160]\n"
        "  mov w0, #0\n"
        "  ret\n"
        ".globl longjmp\n"
        ".type longjmp, %function\n"
        "longjmp:\n"
        "  ldp x19, x20, [x0, #0]\n"
        "  ldp x21, x22, [x0, #16]\n"
        "  ldp x23, x24, [x0, #32]\n"
        "  ldp x25, x26, [x0, #48]\n"
        "  ldp x27, x28, [x0, #64]\n"
        "  ldp x29, x30, [x0, #80]\n"
        "  ldr x2, [x0, #96]\n"
        "  mov sp, x2\n"
        "  ldp d8, d9, [x0, #112]\n"
        "  ldp d10, d11, [x0, #128]\n"
        "  ldp d12, d13, [x0, #144]\n"
        "  ldp d14, d15, [x0, #160]\n"
        "  cmp w1, #0\n"
        "  csinc w0, w1, wzr, ne\n" /* setjmp returns 1 if the value is 0. */
        "  br x30\n");
#elif defined(__arm__)
__asm__(".text\n"
        ".syntax unified\n"
#if defined(__thumb__)
        ".thumb\n"
#else
        ".arm\n"
#endif
        ".globl setjmp\n"
        ".type setjmp, %function\n"
        "setjmp:\n"
        "  stmia r0!, {r4-r11}\n"
        "  mov r2, sp\n"
        "  str r2, [r0], #4\n"
        "  str lr, [r0], #4\n"
#if defined(__ARM_FP)
        "  vstmia r0!, {d8-d15}\n"
#endif
        "  mov r0, #0\n"
        "  bx lr\n"
        ".globl longjmp\n"
        ".type longjmp, %function\n"
        "longjmp:\n"
        "  ldmia r0!, {r4-r11}\n"
        "  ldr r2, [r0], #4\n"
        "  mov sp, r2\n"
        "  ldr lr, [r0], #4\n"
#if defined(__ARM_FP)
        "  vldmia r0!, {d8-d15}\n"
#endif
        "  movs r0, r1\n"
        "  it eq\n"
        "  moveq r0, #1\n" /* setjmp returns 1 if the value is 0. */
        "  bx lr\n");
#else
#error "Write setjmp and longjmp for this processor, or use those of its C library."
#endif
