/*
 * Starts a program with its three standard streams and without any other handle of this process.
 * Only for platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SPAWN_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SPAWN_H

#include <stdbool.h>
#include <windows.h>

/* Handles that become the standard streams; the caller still owns them. NULL: the null device. */
struct spawn_streams {
    HANDLE input;
    HANDLE output;
    HANDLE errors;
};

/* A program with its child processes. */
struct spawned {
    HANDLE process;
    HANDLE job;
    DWORD id;
};

/*
 * Starts the program in the file `path` with a command line, which is modified. The program has a
 * process group of its own, so that Ctrl-C for this process does not reach it. It shares this
 * process's console, or gets an invisible one if there is none. It ends when this process ends in
 * any way. Returns false if it cannot be started (see GetLastError).
 */
bool spawn(const wchar_t *path, wchar_t *command_line, const struct spawn_streams *streams,
           struct spawned *spawned);

/* The exit code of a program that was killed: Windows' ERROR_PROCESS_ABORTED. */
#define SPAWN_ENDED_CODE 1067

/* Requests by Ctrl-Break that the program end. Has no effect if this process has no console. */
void spawned_ask(const struct spawned *spawned);

/* Kills the program and its child processes. This signals the program's process handle. */
void spawned_end(const struct spawned *spawned);

/* Releases a program that has ended; its child processes may continue. */
void spawned_release(struct spawned *spawned);

#endif
