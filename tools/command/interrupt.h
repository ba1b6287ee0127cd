/*
 * Being asked to stop, by SIGINT or SIGTERM, as a question that a loop puts to itself.
 */
#ifndef SLUICE_TOOLS_COMMAND_INTERRUPT_H
#define SLUICE_TOOLS_COMMAND_INTERRUPT_H

#include <stdbool.h>

/* From now on the first such signal is kept for interrupt_seen; a second one ends the program. */
void interrupt_catch(void);

/* Whether the signal came. */
bool interrupt_seen(void);

#endif
