/* The hardware of the example. */
#ifndef BOARD_H
#define BOARD_H

/* Calls `interrupt` in every period from now on. */
void board_start_timer(unsigned period_us, void (*interrupt)(void));
/* Waits for the next interrupt. */
void board_sleep(void);
/* Writes a text to the serial line. */
void board_write(const char *text);
/* Ends the program; 0 is success. */
void board_stop(int code) __attribute__((noreturn));

#endif
