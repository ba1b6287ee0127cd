/* Whether anybody is left to read what is written to a pipe. Of platform/windows only. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PIPE_STATE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PIPE_STATE_H

#include <windows.h>

enum pipe_state {
    PIPE_READ, /* somebody has the other end open */
    PIPE_LEFT, /* nobody has */
    PIPE_UNKNOWN,
};

/*
 * What the system reports of the pipe without anything being written to it: of what is no pipe, or
 * none of its own, nothing. It waits while a write is on its way through the same handle.
 */
enum pipe_state pipe_state(HANDLE pipe);

#endif
