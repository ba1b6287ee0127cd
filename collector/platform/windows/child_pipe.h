/* Pipes to and from a program that we start. Only for platform/windows/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CHILD_PIPE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CHILD_PIPE_H

#include <stdbool.h>
#include <windows.h>

/* Bytes that a pipe holds. */
#define CHILD_PIPE_SIZE 16384

/*
 * Creates a pipe whose other end a program uses: it reads (we write, and wait), or it writes (we
 * read, overlapped). The program's end is for ReadFile and WriteFile calls that wait, as programs
 * expect. Neither end is inherited. Returns false on failure (see GetLastError).
 */
bool child_pipe_to(HANDLE *ours, HANDLE *theirs);
bool child_pipe_from(HANDLE *ours, HANDLE *theirs);

#endif
