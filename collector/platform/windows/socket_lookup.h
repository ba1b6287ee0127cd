/*
 * Looks up Winsock functions at run time, in ws2_32.dll or from the socket's provider. Tests link
 * another implementation, which emulates functions that the system does not have. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_LOOKUP_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SOCKET_LOOKUP_H

#include <winsock2.h>

#include <mswsock.h> /* needs winsock2.h, but does not include it */
#include <stdint.h>

/*
 * One socket's registration with ProcessSocketNotifications (SOCK_NOTIFY_REGISTRATION; 24 bytes on
 * x64). Declared here under another name, because older headers lack it.
 */
struct socket_registration {
    SOCKET socket;
    void *key;         /* returned with each notification */
    uint16_t filter;   /* SOCKET_EVENT_... */
    uint8_t operation; /* SOCKET_OPERATION_... */
    uint8_t trigger;   /* SOCKET_TRIGGER_... */
    DWORD result;      /* the result of this registration */
};

enum {
    SOCKET_EVENT_IN = 0x01,
    SOCKET_EVENT_OUT = 0x02,
    SOCKET_EVENT_HANGUP = 0x04,
    SOCKET_EVENT_ERR = 0x40,
    SOCKET_EVENT_REMOVE = 0x80,
};

enum { SOCKET_OPERATION_ENABLE = 1, SOCKET_OPERATION_DISABLE = 2, SOCKET_OPERATION_REMOVE = 4 };

enum {
    SOCKET_TRIGGER_ONESHOT = 1,
    SOCKET_TRIGGER_PERSISTENT = 2,
    SOCKET_TRIGGER_LEVEL = 4,
    SOCKET_TRIGGER_EDGE = 8,
};

typedef DWORD WINAPI process_socket_notifications(HANDLE port, uint32_t registration_count,
                                                  struct socket_registration *registrations,
                                                  uint32_t timeout_ms, ULONG completion_count,
                                                  OVERLAPPED_ENTRY *completions,
                                                  uint32_t *received_count);

/* Returns ProcessSocketNotifications (Windows 11, Server 2022), or NULL if ws2_32.dll lacks it. */
process_socket_notifications *socket_lookup_notifications(void);

/* Returns WSARecvMsg of the socket's provider, or NULL with WSAGetLastError(). */
LPFN_WSARECVMSG socket_lookup_receive(SOCKET socket);

#endif
