/*
 * Standard input and output as streams whose failures are return values. (That bytes pass as they
 * are is collector/platform/process.h's.)
 */
#ifndef SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H
#define SLUICE_TOOLS_COMMAND_STANDARD_STREAMS_H

#include <stdbool.h>

/*
 * To be called before anything is opened. Afterwards a write to a pipe whose reader has gone fails
 * like any other, and a stream that was closed when the program was started fails when it is used,
 * rather than being whatever file or socket is opened next.
 */
void standard_streams_prepare(void);

/* Whether standard output is a terminal. */
bool standard_output_is_terminal(void);

#endif
