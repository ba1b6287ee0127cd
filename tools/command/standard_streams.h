/*
 * Prepares standard input and output, so that a failure is reported by a return value.
 * (collector/platform/process.h makes the streams binary.)
 */
#ifndef SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H
#define SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H

#include <stdbool.h>

/*
 * Must be called before any file is opened. Afterwards a write to a closed pipe fails instead of
 * raising a signal. A stream that was closed when the program started fails when it is used;
 * without this call it would refer to the next file that is opened.
 */
void standard_streams_prepare(void);

/* Whether standard output is a terminal. */
bool standard_output_is_terminal(void);

#endif
