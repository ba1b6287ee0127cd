/*
 * Prepares standard input and output, so that failures are reported by return values.
 * (collector/platform/process.h makes the streams binary.)
 */
#ifndef SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H
#define SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H

#include <stdbool.h>

/*
 * Must be called before any file is opened. After that, a write to a closed pipe fails instead of
 * raising a signal. If a standard stream was already closed when the program started, using it
 * fails. Without this call, the next opened file would become that stream.
 */
void standard_streams_prepare(void);

bool standard_output_is_terminal(void);

#endif
