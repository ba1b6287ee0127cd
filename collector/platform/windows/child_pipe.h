/* Pipes to and from a program that we start. Of platform/windows only. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CHILD_PIPE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CHILD_PIPE_H

#include <stdbool.h>
#include <windows.h>

/* Bytes that one holds. */
#define CHILD_PIPE_SIZE 16384

/*
 * Makes one that the program reads (we write, and wait) or that it writes (we read, overlapped).
 * Its end is an ordinary one, for ReadFile and WriteFile that wait, as programs expect it. Neither
 * is inherited. Returns false where that fails (GetLastError says why).
 */
bool child_pipe_to(HANDLE *ours, HANDLE *theirs);
bool child_pipe_from(HANDLE *ours, HANDLE *theirs);

#endif
