/*
 * tools/command/standard_streams.h on Windows: as promised without our doing. The C library keeps
 * the numbers 0 to 2 for the standard streams, also of one that is not there, and each use of that
 * fails; and a write to a pipe whose reader has gone sends no signal.
 */
#include "tools/command/standard_streams.h"

void standard_streams_prepare(void)
{
}
