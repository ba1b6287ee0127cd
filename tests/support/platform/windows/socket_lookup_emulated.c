/*
 * Implements ProcessSocketNotifications as documented, for systems that do not have it. A test
 * links this file in place of collector/platform/windows/socket_lookup.c. A thread polls all armed
 * sockets with WSAPoll. For a ready socket it posts a packet to the socket's completion port, with
 * the events as the number of bytes, the key of the registration, and no OVERLAPPED.
 *
 * It is as strict as the documentation allows:
 *
 * - A registration is for edges (EDGE and PERSISTENT, with the filter IN), for a one-shot level
 *   (LEVEL and ONESHOT) or for a persistent level (LEVEL and PERSISTENT).
 * - Edges: data that a socket has when it is registered is not reported. After an edge, the next
 *   one comes only after a receive of that socket returned would-block; WSARecvMsg is replaced to
 *   detect that. Data that arrives after that receive, but before the next poll, is reported as an
 *   edge. The socket cannot be registered again, even with another port.
 * - A one-shot level: each ENABLE leads to one packet, when a condition of the filter holds. If one
 *   holds already, the packet comes at once.
 * - A persistent level: while a condition holds, one packet is in the port. The next one comes when
 *   all packets of the port were taken (NtQueryIoCompletion). DISABLE ends that.
 * - ENABLE of a registered level replaces its filter. Another key or trigger is refused.
 * - At the end of a connection a level reports HANGUP, not IN.
 * - A call first carries out its registrations. If it has room for packets, it then waits for them,
 *   at most for the caller's timeout.
 * - REMOVE is the last packet of a registration, after the queued ones. It comes some time after
 *   the request, and only if the socket is still open. Until then the socket cannot be registered
 *   again. The registration of a closed socket ends without REMOVE and counts as abandoned
 *   (emulation_abandoned); its queued packets still come.
 * - A receive on a blocking socket, which on Windows would never return, fails after a second with
 *   WSAEINPROGRESS.
 *
 * Sockets that are not registered are not affected. Not emulated:
 *
 * - edges with ONESHOT, and DISABLE of edges or one-shot levels: both are refused;
 * - a hang-up after unread data: Wine does not report it;
 * - merging a queued packet with later events: Windows has at most one queued packet for each
 *   socket (emulation_notify can post a merged packet);
 * - the error numbers of Windows, which are not documented.
 */
#include "tests/support/platform/windows/socket_lookup_emulated.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "collector/platform/windows/socket_lookup.h"
#include "tests/support/platform/windows/emulated_faults.h"

#define BLOCKED_MS 1000
#define EDGE       (SOCKET_TRIGGER_EDGE | SOCKET_TRIGGER_PERSISTENT)
#define LEVEL      (SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_ONESHOT)
#define STAYING    (SOCKET_TRIGGER_LEVEL | SOCKET_TRIGGER_PERSISTENT)

/* Milliseconds between two checks for the end of a connection, which WSAPoll does not report. */
#define HANGUP_LOOK_MS 2

struct watched {
    struct watched *next;
    SOCKET socket;
    DWORD mark;
    HANDLE port; /* a duplicate handle, because the caller may close its own */
    ULONG_PTR key;
    bool level; /* this is a level, not an edge (`armed` then means: enabled) */
    bool stays; /* this level is persistent */
    /* A packet of this persistent level may still be in the port. */
    bool queued;
    uint16_t filter; /* only for levels */
    bool armed;      /* the next arrival is an edge */
    bool removing;   /* a REMOVE packet must be posted */
    /*
     * The time since which a connection seems to have ended, for persistent levels. 0 if it does
     * not.
     */
    int64_t end_ns;
};

static struct watched *sockets;
static DWORD last_mark;
/* A datagram to this socket ends the poll of the polling thread. */
static SOCKET alarm = INVALID_SOCKET;
static struct sockaddr_in alarm_address;
static bool alarm_raised;
static size_t looks;
static size_t calls;
/* Number of registrations whose sockets were closed before REMOVE. */
static size_t abandoned;
static LPFN_WSARECVMSG system_receive;
static void give_up(const char *what)
{
    fprintf(stderr, "emulation: %s: error %d\n", what, WSAGetLastError());
    abort();
}

/* --- registrations ---------------------------------------------------------------------------- */

/*
 * Marks a registered socket by an option that has no effect on a socket that never sends. The
 * system does not report a close. Without the mark, a new socket with the number of a closed one
 * would be taken for it.
 */
static bool mark(SOCKET socket, DWORD value)
{
    return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, (const char *)&value, sizeof value) == 0;
}

static bool has_mark(const struct watched *watched)
{
    DWORD value = 0;
    int size = sizeof value;
    return getsockopt(watched->socket, SOL_SOCKET, SO_SNDTIMEO, (char *)&value, &size) == 0 &&
           value == watched->mark;
}

static void forget(struct watched *watched)
{
    struct watched **place = &sockets;
    while (*place != watched)
        place = &(*place)->next;
    *place = watched->next;
    CloseHandle(watched->port);
    free(watched);
}

static void abandon(struct watched *watched)
{
    abandoned++;
    forget(watched);
}

static struct watched *find(SOCKET socket)
{
    for (struct watched *watched = sockets; watched != NULL; watched = watched->next) {
        if (watched->socket != socket)
            continue;
        if (has_mark(watched))
            return watched;
        abandon(watched);
        return NULL;
    }
    return NULL;
}

static void post(const struct watched *watched, DWORD events)
{
    if (!PostQueuedCompletionStatus(watched->port, events, watched->key, NULL))
        give_up("PostQueuedCompletionStatus");
}

/* --- the thread that polls -------------------------------------------------------------------- */

static void open_alarm(void)
{
    u_long non_blocking = 1;
    int size = sizeof alarm_address;
    alarm = WSASocketW(AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL, 0, WSA_FLAG_OVERLAPPED);
    alarm_address.sin_family = AF_INET;
    alarm_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (alarm == INVALID_SOCKET || ioctlsocket(alarm, FIONBIO, &non_blocking) != 0 ||
        bind(alarm, (struct sockaddr *)&alarm_address, size) != 0 ||
        getsockname(alarm, (struct sockaddr *)&alarm_address, &size) != 0)
        give_up("a socket to wake the polling thread");
}

static void raise_alarm(void)
{
    if (alarm_raised)
        return;
    alarm_raised = true;
    if (sendto(alarm, "", 1, 0, (struct sockaddr *)&alarm_address, sizeof alarm_address) != 1)
        give_up("waking the polling thread");
}

struct poll_list {
    WSAPOLLFD *entries; /* the first entry is the alarm */
    DWORD *marks;
    size_t count;
    size_t capacity;
    /* Set if some sockets must be checked for a hang-up, which is done at short intervals. */
    bool hangups;
};

static void append(struct poll_list *list, SOCKET socket, DWORD its_mark, SHORT events)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 128 : list->capacity * 2;
        list->entries = realloc(list->entries, list->capacity * sizeof *list->entries);
        list->marks = realloc(list->marks, list->capacity * sizeof *list->marks);
        if (list->entries == NULL || list->marks == NULL)
            give_up("no memory");
    }
    list->entries[list->count] = (WSAPOLLFD){.fd = socket, .events = events};
    list->marks[list->count++] = its_mark;
}

static SHORT poll_events(const struct watched *watched)
{
    if (!watched->level)
        return POLLRDNORM;
    return (SHORT)(((watched->filter & SOCKET_EVENT_IN) != 0 ? POLLRDNORM : 0) |
                   ((watched->filter & SOCKET_EVENT_OUT) != 0 ? POLLWRNORM : 0));
}

/* Carries out pending removals: posts REMOVE for open sockets, and forgets closed ones. */
static void answer_removals(void)
{
    for (struct watched *watched = sockets, *next; watched != NULL; watched = next) {
        next = watched->next;
        if (!watched->removing || emulation_faults.hold_removals)
            continue;
        if (!has_mark(watched)) {
            abandon(watched);
            continue;
        }
        post(watched, SOCKET_EVENT_REMOVE);
        forget(watched);
    }
}

static void list_armed(struct poll_list *list)
{
    char byte;
    answer_removals();
    if (alarm_raised)
        recv(alarm, &byte, 1, 0);
    alarm_raised = false;
    looks++;
    list->count = 0;
    list->hangups = false;
    append(list, alarm, 0, POLLRDNORM);
    for (const struct watched *watched = sockets; watched != NULL; watched = watched->next) {
        if (!watched->armed)
            continue;
        SHORT events = watched->queued ? 0 : poll_events(watched);
        list->hangups = list->hangups || events == 0;
        append(list, watched->socket, watched->mark, events);
    }
}

static int option_of(SOCKET socket, int option)
{
    int value = 0, size = sizeof value;
    return getsockopt(socket, SOL_SOCKET, option, (char *)&value, &size) == 0 ? value : 0;
}

/*
 * Returns true if the socket is a connection. Other sockets can be readable with no data to read,
 * without having ended.
 */
static bool can_end(SOCKET socket)
{
    return option_of(socket, SO_TYPE) == SOCK_STREAM && option_of(socket, SO_ACCEPTCONN) == 0;
}

/*
 * Returns the input conditions of a readable socket. Its owner must not read from it during the
 * call.
 */
static DWORD input_of(SOCKET socket)
{
    char byte;
    int size = recv(socket, &byte, 1, MSG_PEEK);
    /* A listening socket with a new client fails with WSAENOTCONN. */
    if (size > 0 || (size < 0 && WSAGetLastError() == WSAENOTCONN))
        return SOCKET_EVENT_IN;
    return size == 0 ? SOCKET_EVENT_HANGUP : 0;
}

/*
 * The same as input_of, for a socket whose owner may be reading. Under Wine two receives of the
 * same socket at the same time would block, so it does not receive. A socket that is readable
 * without data is a connection that has ended. But the owner may have read the data since the poll,
 * so the socket must stay so for HANGUP_LOOK_MS.
 */
static DWORD input_beside_owner(struct watched *watched)
{
    u_long size = 0;
    int64_t now_ns = clock_monotonic_ns();
    if (!can_end(watched->socket) || ioctlsocket(watched->socket, FIONREAD, &size) != 0 ||
        size != 0) {
        watched->end_ns = 0;
        return SOCKET_EVENT_IN;
    }
    if (watched->end_ns == 0)
        watched->end_ns = now_ns;
    return now_ns - watched->end_ns >= HANGUP_LOOK_MS * INT64_C(1000000) ? SOCKET_EVENT_HANGUP : 0;
}

/* Returns the conditions of the level's filter that hold now. */
static DWORD level_of(struct watched *watched)
{
    WSAPOLLFD entry = {.fd = watched->socket, .events = POLLRDNORM | POLLWRNORM};
    DWORD events = 0;
    if (WSAPoll(&entry, 1, 0) <= 0)
        return 0;
    if ((entry.revents & POLLERR) != 0)
        return SOCKET_EVENT_ERR | (watched->filter & SOCKET_EVENT_HANGUP);
    if ((entry.revents & POLLWRNORM) != 0)
        events |= SOCKET_EVENT_OUT;
    if ((entry.revents & (POLLRDNORM | POLLHUP)) == 0)
        watched->end_ns = 0;
    else
        events |= watched->stays ? input_beside_owner(watched) : input_of(watched->socket);
    return events & watched->filter;
}

/*
 * Returns true if the port has no packet. The port must be queried, because
 * GetQueuedCompletionStatusEx does not report which packets it takes.
 */
static bool is_empty(HANDLE port)
{
    typedef LONG WINAPI query_completion(HANDLE port, int kind, void *to, ULONG size, ULONG *used);
    static query_completion *query;
    LONG depth = 0;
    if (query == NULL) {
        FARPROC found = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "NtQueryIoCompletion");
        memcpy(&query, &found, sizeof query);
    }
    if (query == NULL || query(port, 0, &depth, sizeof depth, NULL) < 0)
        give_up("NtQueryIoCompletion");
    return depth == 0;
}

/*
 * Posts a packet for the result of a poll, unless the registration has ended or changed since the
 * poll began.
 */
static void report(SOCKET socket, DWORD its_mark, SHORT found)
{
    DWORD events = ((found & POLLRDNORM) != 0 ? SOCKET_EVENT_IN : 0u) |
                   ((found & POLLHUP) != 0 ? SOCKET_EVENT_HANGUP : 0u) |
                   ((found & POLLERR) != 0 ? SOCKET_EVENT_ERR : 0u);
    struct watched *watched = find(socket);
    if (watched == NULL || watched->mark != its_mark || !watched->armed || watched->removing ||
        (watched->queued && !is_empty(watched->port)))
        return;
    watched->queued = false;
    if (watched->level)
        events = level_of(watched);
    if (events == 0)
        return;
    watched->armed = watched->queued = watched->stays;
    post(watched, events);
}

static void poll_for_ever(void *unused)
{
    struct poll_list list = {0};
    (void)unused;
    for (;;) {
        AcquireSRWLockExclusive(&emulation_lock);
        list_armed(&list);
        ReleaseSRWLockExclusive(&emulation_lock);
        int timeout_ms = list.hangups ? HANGUP_LOOK_MS : -1;
        if (WSAPoll(list.entries, (ULONG)list.count, timeout_ms) == SOCKET_ERROR) {
            /* A socket was closed just when the poll began. */
            if (WSAGetLastError() != WSAENOTSOCK)
                give_up("WSAPoll");
            continue;
        }
        AcquireSRWLockExclusive(&emulation_lock);
        for (size_t i = 1; i < list.count; i++)
            if (list.entries[i].revents != 0 || list.entries[i].events == 0)
                report(list.entries[i].fd, list.marks[i], list.entries[i].revents);
        ReleaseSRWLockExclusive(&emulation_lock);
    }
}

/* Wakes the polling thread, because delayed removals have become due. */
void emulation_look(void)
{
    if (alarm != INVALID_SOCKET)
        raise_alarm();
}

static void arm(struct watched *watched)
{
    watched->armed = true;
    raise_alarm();
}

/* --- the function ----------------------------------------------------------------------------- */

static bool holds_data(SOCKET socket)
{
    WSAPOLLFD entry = {.fd = socket, .events = POLLRDNORM};
    return WSAPoll(&entry, 1, 0) > 0 && (entry.revents & POLLRDNORM) != 0;
}

/* Returns true if the request for an edge or a level is valid. */
static bool can_be(const struct socket_registration *row)
{
    static const uint16_t all = SOCKET_EVENT_IN | SOCKET_EVENT_OUT | SOCKET_EVENT_HANGUP;
    if (row->trigger == EDGE)
        return row->filter == SOCKET_EVENT_IN;
    return (row->trigger == LEVEL || row->trigger == STAYING) && row->filter != 0 &&
           (row->filter & ~all) == 0;
}

/* Arms a level. If a condition holds already, reports it at once. */
static void enable_level(struct watched *watched)
{
    DWORD events = level_of(watched);
    if (watched->queued)
        events = 0; /* no second packet before the first was taken */
    if (events != 0)
        post(watched, events);
    watched->queued = watched->queued || (watched->stays && events != 0);
    watched->armed = false;
    if (events == 0 || watched->stays)
        arm(watched);
}

static DWORD enable_again(struct watched *watched, const struct socket_registration *row)
{
    if (!watched->level || row->trigger != (watched->stays ? STAYING : LEVEL) || watched->removing)
        return ERROR_ALREADY_EXISTS;
    if (watched->key != (ULONG_PTR)row->key)
        return ERROR_INVALID_PARAMETER;
    if (emulation_faults_fail_arming())
        return WSAENOBUFS;
    watched->filter = row->filter;
    enable_level(watched);
    return ERROR_SUCCESS;
}

static DWORD enable(HANDLE port, const struct socket_registration *row)
{
    DWORD blocked = BLOCKED_MS;
    if (!can_be(row))
        return ERROR_INVALID_PARAMETER;
    if (emulation_faults_refuse(row->socket))
        return WSAEINVAL;
    struct watched *found = find(row->socket);
    if (found != NULL)
        return enable_again(found, row);
    /*
     * The mark is in milliseconds. It has whole seconds, because a system may round finer values.
     */
    last_mark += 1000;
    if (!mark(row->socket, last_mark) ||
        setsockopt(row->socket, SOL_SOCKET, SO_RCVTIMEO, (const char *)&blocked, sizeof blocked))
        return (DWORD)WSAGetLastError();
    struct watched *made = calloc(1, sizeof *made);
    if (made == NULL)
        give_up("no memory");
    *made = (struct watched){.next = sockets,
                             .socket = row->socket,
                             .mark = last_mark,
                             .key = (ULONG_PTR)row->key,
                             .level = row->trigger != EDGE,
                             .stays = row->trigger == STAYING,
                             .filter = row->filter};
    if (!DuplicateHandle(GetCurrentProcess(), port, GetCurrentProcess(), &made->port, 0, FALSE,
                         DUPLICATE_SAME_ACCESS))
        give_up("DuplicateHandle");
    sockets = made;
    if (made->level)
        enable_level(made);
    else if (!holds_data(row->socket))
        arm(made);
    return ERROR_SUCCESS;
}

static DWORD remove_socket(const struct socket_registration *row)
{
    struct watched *watched = find(row->socket);
    if (watched == NULL || watched->removing)
        return ERROR_NOT_FOUND;
    if (emulation_faults.failing_removals != 0) {
        emulation_faults.failing_removals--;
        return WSAENOBUFS;
    }
    watched->removing = true;
    watched->armed = false;
    raise_alarm();
    return ERROR_SUCCESS;
}

/* Disarms a persistent level. Packets that are already in the port still come. */
static DWORD disable(const struct socket_registration *row)
{
    struct watched *watched = find(row->socket);
    if (watched == NULL)
        return ERROR_NOT_FOUND;
    if (!watched->stays)
        return ERROR_INVALID_PARAMETER;
    watched->armed = false;
    return ERROR_SUCCESS;
}

static DWORD carry_out(HANDLE port, const struct socket_registration *row)
{
    emulation_faults_check(row);
    if (row->operation == SOCKET_OPERATION_ENABLE)
        return enable(port, row);
    if (row->operation == SOCKET_OPERATION_REMOVE)
        return remove_socket(row);
    if (row->operation == SOCKET_OPERATION_DISABLE)
        return disable(row);
    return ERROR_INVALID_PARAMETER;
}

static void start(void)
{
    struct thread *polling; /* never joined: it runs until the process ends */
    struct error error;
    if (alarm != INVALID_SOCKET)
        return;
    emulation_faults_read();
    open_alarm();
    if (thread_start(&polling, "emulation", poll_for_ever, NULL, &error) != 0)
        give_up(error.text);
}

static DWORD retrieve(HANDLE port, uint32_t timeout_ms, ULONG completion_count,
                      OVERLAPPED_ENTRY *completions, uint32_t *received_count)
{
    ULONG received = 0;
    if (!GetQueuedCompletionStatusEx(port, completions, completion_count, &received, timeout_ms,
                                     FALSE))
        return GetLastError();
    *received_count = received;
    return ERROR_SUCCESS;
}

static DWORD WINAPI notify(HANDLE port, uint32_t registration_count,
                           struct socket_registration *registrations, uint32_t timeout_ms,
                           ULONG completion_count, OVERLAPPED_ENTRY *completions,
                           uint32_t *received_count)
{
    DWORD flags;
    if (!GetHandleInformation(port, &flags))
        return ERROR_INVALID_HANDLE;
    bool registers = registration_count != 0 && registrations != NULL;
    bool retrieves = completion_count != 0 && completions != NULL && received_count != NULL;
    if ((!registers && !retrieves) || registers != (registration_count != 0) ||
        (!retrieves && (timeout_ms != 0 || completion_count != 0 || completions != NULL ||
                        received_count != NULL)))
        return ERROR_INVALID_PARAMETER;
    AcquireSRWLockExclusive(&emulation_lock);
    start();
    calls++;
    DWORD result = ERROR_SUCCESS;
    DWORD returned = emulation_faults_next(&result);
    if (returned == ERROR_SUCCESS || returned == WAIT_TIMEOUT)
        for (uint32_t i = 0; i < registration_count; i++)
            registrations[i].result = result != 0 ? result : carry_out(port, &registrations[i]);
    ReleaseSRWLockExclusive(&emulation_lock);
    if (returned != ERROR_SUCCESS || !retrieves)
        return returned;
    return retrieve(port, timeout_ms, completion_count, completions, received_count);
}

process_socket_notifications *socket_lookup_notifications(void)
{
    return notify;
}

/* --- receiving -------------------------------------------------------------------------------- */

static int WSAAPI receive(SOCKET socket, LPWSAMSG message, LPDWORD size, LPWSAOVERLAPPED overlapped,
                          LPWSAOVERLAPPED_COMPLETION_ROUTINE routine)
{
    if (system_receive(socket, message, size, overlapped, routine) == 0)
        return 0;
    int code = WSAGetLastError();
    if (code == WSAEWOULDBLOCK) {
        AcquireSRWLockExclusive(&emulation_lock);
        for (struct watched *watched = sockets; watched != NULL; watched = watched->next)
            if (watched->socket == socket && !watched->level && !watched->armed)
                arm(watched);
        ReleaseSRWLockExclusive(&emulation_lock);
    }
    WSASetLastError(code == WSAETIMEDOUT ? WSAEINPROGRESS : code);
    return SOCKET_ERROR;
}

LPFN_WSARECVMSG socket_lookup_receive(SOCKET socket)
{
    GUID id = WSAID_WSARECVMSG;
    LPFN_WSARECVMSG found = NULL;
    DWORD size = 0;
    if (WSAIoctl(socket, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, &found, sizeof found,
                 &size, NULL, NULL) != 0)
        return NULL;
    system_receive = found; /* the same for every socket */
    return receive;
}

/* --- for tests -------------------------------------------------------------------------------- */

bool emulation_notify(SOCKET socket, DWORD events)
{
    AcquireSRWLockExclusive(&emulation_lock);
    struct watched *watched = find(socket);
    if (watched != NULL)
        post(watched, events);
    if (watched != NULL && (events & SOCKET_EVENT_REMOVE) != 0)
        forget(watched);
    ReleaseSRWLockExclusive(&emulation_lock);
    return watched != NULL;
}

size_t emulation_looks(void)
{
    AcquireSRWLockExclusive(&emulation_lock);
    size_t count = looks;
    ReleaseSRWLockExclusive(&emulation_lock);
    return count;
}

size_t emulation_calls(void)
{
    AcquireSRWLockExclusive(&emulation_lock);
    size_t count = calls;
    ReleaseSRWLockExclusive(&emulation_lock);
    return count;
}

bool emulation_post_other(SOCKET socket, ULONG_PTR key, DWORD bytes, OVERLAPPED *operation)
{
    AcquireSRWLockExclusive(&emulation_lock);
    const struct watched *watched = find(socket);
    bool posted =
        watched != NULL && PostQueuedCompletionStatus(watched->port, bytes, key, operation);
    ReleaseSRWLockExclusive(&emulation_lock);
    return posted;
}

size_t emulation_abandoned(void)
{
    AcquireSRWLockExclusive(&emulation_lock);
    for (struct watched *watched = sockets, *next; watched != NULL; watched = next) {
        next = watched->next;
        if (!has_mark(watched))
            abandon(watched);
    }
    size_t count = abandoned;
    ReleaseSRWLockExclusive(&emulation_lock);
    return count;
}
