/*
 * Being asked to stop, as a question that a loop puts to itself: by SIGINT or SIGTERM, on Windows
 * by Ctrl-C or Ctrl-Break. CMake picks the implementation under tools/platform/.
 */
#ifndef SLUICE_TOOLS_COMMAND_INTERRUPT_H
#define SLUICE_TOOLS_COMMAND_INTERRUPT_H

#include <stdbool.h>

/* From now on the first such request is kept for interrupt_seen; a second one ends the program. */
void interrupt_catch(void);

/*
 * Has `run` called when the request comes, for a wait that would not end by it. It runs in a
 * signal's handler or on another thread, and may do only what is allowed in either. NULL: nothing
 * any more; no call is under way when this returns.
 */
void interrupt_call(void (*run)(void *context), void *context);

/* Whether the request came. */
bool interrupt_seen(void);

#endif
