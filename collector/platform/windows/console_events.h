/*
 * What the console reports: Ctrl-C, Ctrl-Break, that its window is closed, that the user
 * leaves or the system goes down. All of them stop it as SIGTERM does elsewhere. Of
 * platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_EVENTS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_EVENTS_H

#include <windows.h>

/* Has the system call console_event, or no longer. */
void console_events_begin(void);
void console_events_end(void);

/*
 * The system's call, in a thread that it makes for it (a HANDLER_ROUTINE). After Close, Logoff and
 * Shutdown the system ends the process when this returns, and about 5 s after it was called in any
 * case: it returns when all has been drained and written, or after 4 s.
 */
BOOL WINAPI console_event(DWORD type);

#endif
