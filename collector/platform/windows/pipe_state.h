/* Checks whether a pipe still has a reader. Only for Windows. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_PIPE_STATE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_PIPE_STATE_H

#include <windows.h>

enum pipe_state {
    PIPE_READ, /* the other end is open */
    PIPE_LEFT, /* the other end is closed */
    PIPE_UNKNOWN,
};

/*
 * Returns the state of a pipe without writing to it; PIPE_UNKNOWN if the handle is not a pipe or
 * the system does not report its state. Waits while a write through the same handle is running.
 */
enum pipe_state pipe_state(HANDLE pipe);

#endif
