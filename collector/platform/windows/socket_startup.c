#include "collector/platform/windows/socket_startup.h"

#include <stddef.h>
#include <winsock2.h>

static INIT_ONCE started = INIT_ONCE_STATIC_INIT;
static int result;

static BOOL CALLBACK socket_startup_start(INIT_ONCE *once, void *parameter, void **context)
{
    (void)once;
    (void)parameter;
    (void)context;
    WSADATA data;
    result = WSAStartup(MAKEWORD(2, 2), &data);
    return TRUE;
}

int socket_startup(void)
{
    InitOnceExecuteOnce(&started, socket_startup_start, NULL, NULL);
    return result;
}
