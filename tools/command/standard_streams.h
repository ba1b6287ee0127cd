/*
 * Makes failures of standard input and output return values. (collector/platform/process.h makes
 * them binary.)
 */
#ifndef SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H
#define SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H

#include <stdbool.h>

/*
 * Must be called before any file is opened. Afterwards a write to a closed pipe fails instead of
 * raising a signal, and a stream that was closed at program start fails when it is used, instead of
 * referring to the next file that is opened.
 */
void standard_streams_prepare(void);

/* Whether standard output is a terminal. */
bool standard_output_is_terminal(void);

#endif
