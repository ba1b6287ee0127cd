/*
 * Requests to stop, by SIGINT or SIGTERM, on Windows by Ctrl-C or Ctrl-Break, as a flag that a loop
 * can check. CMake chooses the implementation under tools/platform/.
 */
#ifndef SLUICE_TOOLS_COMMAND_INTERRUPT_H
#define SLUICE_TOOLS_COMMAND_INTERRUPT_H

#include <stdbool.h>

/* From now on the first request sets the flag; a second one ends the program. */
void interrupt_catch(void);

/*
 * `run` is called when the request arrives, for a wait that would not end by itself. It runs in a
 * signal handler or on another thread, and may only do what is allowed in both. NULL: removes it;
 * when this returns no call is running.
 */
void interrupt_call(void (*run)(void *context), void *context);

/* Whether the request has arrived. */
bool interrupt_seen(void);

#endif
