/* The part of <setjmp.h> that C sources of an FMU need. */
#ifndef SETJMP_H
#define SETJMP_H

/* The registers that a function must preserve, the stack pointer and the return address; functions.c defines the order. */
typedef unsigned long long jmp_buf[32];

int setjmp(jmp_buf place) __attribute__((returns_twice));
void longjmp(jmp_buf place, int value) __attribute__((noreturn));

#endif
