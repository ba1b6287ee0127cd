/*
 * Starting a program with its three standard streams, and with nothing else of ours. Of
 * platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SPAWN_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SPAWN_H

#include <stdbool.h>
#include <windows.h>

/* Handles that become the standard streams; each stays the caller's. NULL: the null device. */
struct spawn_streams {
    HANDLE input;
    HANDLE output;
    HANDLE errors;
};

/* A program with all that it starts. */
struct spawned {
    HANDLE process;
    HANDLE job;
    DWORD id;
};

/*
 * Starts the program in the file `path` with a command line, which is altered. It has a process
 * group of its own: our Ctrl-C does not reach it. Where we have a console it has the same one,
 * otherwise one that nobody sees. It ends with us, whatever way we do. Returns false where it
 * cannot be started (GetLastError says why).
 */
bool spawn(const wchar_t *path, wchar_t *command_line, const struct spawn_streams *streams,
           struct spawned *spawned);

/* The exit code of one that we have ended: Windows' own for it (ERROR_PROCESS_ABORTED). */
#define SPAWN_ENDED_CODE 1067

/* Asks it to end, by Ctrl-Break: nobody is asked where we have no console. */
void spawned_ask(const struct spawned *spawned);

/* Ends it with all that it has started; its process handle is signalled then. */
void spawned_end(const struct spawned *spawned);

/* Lets go of one that has ended; what it has started may go on. */
void spawned_release(struct spawned *spawned);

#endif
