/*
 * The terminals that standard error and standard output lead to, if they do.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_TERMINAL_H
#define SLUICE_COLLECTOR_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * How many columns standard error's has now; 80 where it does not say. 0: there is no terminal, or
 * none that takes control sequences (ECMA-48): a console of old, or one whose TERM is "dumb" or
 * empty. Any thread.
 */
size_t terminal_columns(void);

/* Whether standard error leads to one that takes colours, and the user has not asked for none:
 * NO_COLOR in the environment, with any text. While the environment does not change. */
bool terminal_has_colour(void);

enum terminal_kind {
    TERMINAL_NONE,  /* there is none */
    TERMINAL_PLAIN, /* one that takes no colours, or for a user who has asked for none, as above */
    TERMINAL_COLOUR,
};

/* What standard output leads to. While the environment does not change. */
enum terminal_kind terminal_of_output(void);

#endif
