#include "collector/platform/windows/socket_state.h"

#include "collector/platform/notifier.h"

bool socket_state_listens(SOCKET socket)
{
    BOOL listens = FALSE;
    int size = sizeof listens;
    return getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, (char *)&listens, &size) == 0 && listens;
}

unsigned socket_state_to_read(SOCKET socket)
{
    char byte;
    int size = recv(socket, &byte, 1, MSG_PEEK);
    if (size > 0)
        return NOTIFIER_IN;
    if (size == 0)
        return NOTIFIER_IN | NOTIFIER_HANGUP;
    return WSAGetLastError() == WSAEWOULDBLOCK ? 0 : NOTIFIER_ALL;
}
