/*
 * Console events: Ctrl-C, Ctrl-Break, close of the window, logoff and shutdown. Each stops the
 * program as SIGTERM does elsewhere; only a logoff is ignored if the program runs in the session of
 * services. Only for platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_EVENTS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONSOLE_EVENTS_H

#include <windows.h>

/* Register and unregister console_event with the system. */
void console_events_begin(void);
void console_events_end(void);

/*
 * The handler (a HANDLER_ROUTINE), called by the system in a thread of its own. After a close, a
 * logoff or a shutdown the system ends the process when the handler returns, and about 5 s after
 * the call in any case. So for the first of these events the handler returns only when all data is
 * drained and written, or after 4 s.
 */
BOOL WINAPI console_event(DWORD type);

#endif
