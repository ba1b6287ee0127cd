/*
 * Prepares standard input and output, so that failures are reported by return values.
 * (collector/platform/process.h makes the streams binary.)
 */
#ifndef SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H
#define SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H

#include <stdbool.h>

/*
 * Must be called before any file is opened. Afterwards a write to a closed pipe fails instead of
 * raising a signal. A stream that was closed at the program's start fails when it is used; without
 * this call it would be the next file that is opened.
 */
void standard_streams_prepare(void);

bool standard_output_is_terminal(void);

#endif
