/*
 * Being asked to stop, by SIGINT or SIGTERM, as a question that a loop puts to itself.
 */
#ifndef SLUICE_TOOLS_COMMAND_INTERRUPT_H
#define SLUICE_TOOLS_COMMAND_INTERRUPT_H

#include <stdbool.h>

/* From now on the first such signal is kept for interrupt_seen; a second one ends the program. */
void interrupt_catch(void);

/*
 * Has `told` called when the signal comes, for a wait that would not end by it. It runs in the
 * signal's handler and may do only what is allowed there. NULL: nothing any more.
 */
void interrupt_tell(void (*told)(void *context), void *context);

/* Whether the signal came. */
bool interrupt_seen(void);

#endif
