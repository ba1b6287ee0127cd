#include "collector/platform/windows/console_events.h"

#include "collector/platform/windows/control_post.h"

#define DRAIN_MS 4000

/*
 * Session 0 is that of the services. Only services get an event for each user who logs off, and
 * must ignore it. https://learn.microsoft.com/en-us/windows/console/handlerroutine
 */
static bool is_service_session(void)
{
    DWORD session;
    return ProcessIdToSessionId(GetCurrentProcessId(), &session) && session == 0;
}

/* Posts only one stop: a second one would end the stop in progress early. */
static BOOL drain(void)
{
    if (!control_post_first(CONTROL_STOP))
        return FALSE;
    control_await_end(DRAIN_MS);
    return TRUE;
}

BOOL WINAPI console_event(DWORD type)
{
    switch (type) {
    case CTRL_C_EVENT:
    case CTRL_BREAK_EVENT:
        return control_post(CONTROL_STOP);
    case CTRL_LOGOFF_EVENT:
        return is_service_session() ? TRUE : drain();
    case CTRL_CLOSE_EVENT:
    case CTRL_SHUTDOWN_EVENT:
        return drain();
    default:
        return FALSE;
    }
}

void console_events_begin(void)
{
    SetConsoleCtrlHandler(console_event, TRUE);
}

void console_events_end(void)
{
    SetConsoleCtrlHandler(console_event, FALSE);
}
