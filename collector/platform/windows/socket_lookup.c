#include "collector/platform/windows/socket_lookup.h"

#include <string.h>

process_socket_notifications *socket_lookup_notifications(void)
{
    process_socket_notifications *found = NULL;
    HMODULE module = GetModuleHandleW(L"ws2_32.dll");
    FARPROC address = module == NULL ? NULL : GetProcAddress(module, "ProcessSocketNotifications");
    memcpy(&found, &address, sizeof found);
    return found;
}

LPFN_WSARECVMSG socket_lookup_receive(SOCKET socket)
{
    GUID id = WSAID_WSARECVMSG;
    LPFN_WSARECVMSG found = NULL;
    DWORD size = 0;
    if (WSAIoctl(socket, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &found, sizeof found,
                 &size, NULL, NULL) != 0)
        return NULL;
    return found;
}
