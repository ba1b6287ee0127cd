/*
 * The terminal that standard error leads to, if it does.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_TERMINAL_H
#define SLUICE_COLLECTOR_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How many columns it has now; 80 where it does not say. 0: there is no terminal, or none that
 * takes control sequences (ECMA-48): a console of old, or one whose TERM is "dumb" or empty. Any
 * thread.
 */
size_t terminal_columns(void);

/* Whether it is one, and takes colours, and the user has not asked for none: NO_COLOR in the
 * environment, with any text. While the environment does not change. */
bool terminal_has_colour(void);

/* Whether standard output leads to a terminal. */
bool terminal_is_output(void);

#endif
