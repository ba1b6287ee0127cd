/*
 * Catches requests to stop the program: SIGINT and SIGTERM, or Ctrl-C and Ctrl-Break on Windows. A
 * request sets a flag that a loop can check. CMake selects the implementation in tools/platform/.
 */
#ifndef SLUICE_TOOLS_COMMAND_INTERRUPT_H
#define SLUICE_TOOLS_COMMAND_INTERRUPT_H

#include <stdbool.h>

/* Begins to catch requests. The first one sets the flag; a second one ends the program. */
void interrupt_catch(void);

/*
 * Sets a function that is called when a request arrives, to end a wait that would not end by
 * itself. It is called in a signal handler or on another thread, so it must be safe in both. NULL
 * removes the function. When interrupt_call returns, the function that was set before is not
 * running.
 */
void interrupt_call(void (*run)(void *context), void *context);

/* Returns true if a request has arrived. */
bool interrupt_seen(void);

#endif
