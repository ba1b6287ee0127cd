/* Creates pipes to and from a program that this process starts. Only for platform/windows/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CHILD_PIPE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CHILD_PIPE_H

#include <stdbool.h>
#include <windows.h>

/* The size in bytes of a pipe's buffer. */
#define CHILD_PIPE_SIZE 16384

/*
 * child_pipe_to creates a pipe from which a program reads, and to which this process writes with
 * calls that wait. child_pipe_from creates a pipe to which a program writes, and from which this
 * process reads with overlapped calls. The program's end, `theirs`, is for ReadFile and WriteFile
 * calls that wait, as programs expect. Neither end is inherited. Return false on failure (see
 * GetLastError).
 */
bool child_pipe_to(HANDLE *ours, HANDLE *theirs);
bool child_pipe_from(HANDLE *ours, HANDLE *theirs);

#endif
