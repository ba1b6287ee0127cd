#include "collector/platform/windows/psn_request.h"

#include "collector/platform/notifier.h"

bool psn_request_is_available(void)
{
    return socket_lookup_notifications() != NULL;
}

DWORD psn_request(process_socket_notifications *notify, HANDLE port, struct socket_registration row)
{
    DWORD result = notify(port, 1, &row, 0, 0, NULL, NULL);
    return result == ERROR_SUCCESS || result == WAIT_TIMEOUT ? row.result : result;
}

uint16_t psn_request_filter(unsigned interests, bool listens)
{
    unsigned filter = 0;
    if (listens)
        return SOCKET_EVENT_IN;
    if ((interests & NOTIFIER_IN) != 0)
        filter |= SOCKET_EVENT_IN | SOCKET_EVENT_HANGUP;
    if ((interests & NOTIFIER_OUT) != 0)
        filter |= SOCKET_EVENT_OUT;
    if ((interests & NOTIFIER_HANGUP) != 0)
        filter |= SOCKET_EVENT_HANGUP;
    return (uint16_t)filter;
}

unsigned psn_request_ready(DWORD events)
{
    unsigned ready = 0;
    if ((events & SOCKET_EVENT_IN) != 0)
        ready |= NOTIFIER_IN;
    if ((events & SOCKET_EVENT_OUT) != 0)
        ready |= NOTIFIER_OUT;
    if ((events & SOCKET_EVENT_HANGUP) != 0)
        ready |= NOTIFIER_IN | NOTIFIER_HANGUP;
    return ready;
}
