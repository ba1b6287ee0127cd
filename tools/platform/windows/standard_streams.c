/*
 * tools/command/standard_streams.h on Windows: as promised without our doing. The C library keeps
 * the numbers 0 to 2 for the standard streams, also of one that is not there, and each use of that
 * fails; and a write to a pipe whose reader has gone sends no signal.
 */
#include "tools/command/standard_streams.h"

#include "collector/platform/windows/console.h"

void standard_streams_prepare(void)
{
}

bool standard_output_is_terminal(void)
{
    return console_is(GetStdHandle(STD_OUTPUT_HANDLE));
}
