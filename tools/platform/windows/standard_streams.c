/*
 * Implements tools/command/standard_streams.h on Windows, which needs no code. The C library
 * reserves the numbers 0 to 2 for the standard streams, so using a missing stream fails. A write to
 * a pipe without a reader sends no signal.
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
