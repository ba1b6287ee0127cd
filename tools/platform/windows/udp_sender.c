/* Implements tools/sending/udp_sender.h with Winsock and waitable timers. */
#include "tools/sending/udp_sender.h"

#include <stdbool.h>
#include <stdlib.h>
#include <winsock2.h>

#include "collector/platform/clock.h"
#include "collector/platform/windows/socket_address.h"
#include "collector/platform/windows/socket_startup.h"
#include "collector/platform/windows/system_error.h"

#define PRESSURE_TRIES 1000 /* tries, a millisecond apart */
#define PASSING_TRIES  16
#define MILLISECOND    INT64_C(1000000)

/*
 * CREATE_WAITABLE_TIMER_HIGH_RESOLUTION of Windows 10 (1803) and later, which older SDKs do not
 * define.
 */
#define HIGH_RESOLUTION 0x00000002

struct udp_sender {
    SOCKET handle;
    uint64_t sent, retries, refused;
};

/* Returns 0, or Winsock's error number with the socket closed. */
static int open_socket(struct udp_sender *made, const struct address *to)
{
    SOCKADDR_STORAGE name;
    int size = socket_address_to_system(to, &name);
    int code = socket_startup();
    if (code != 0)
        return code;
    made->handle =
        WSASocketW(to->family == ADDRESS_IPV6 ? AF_INET6 : AF_INET, SOCK_DGRAM, IPPROTO_UDP, NULL,
                   0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    if (made->handle == INVALID_SOCKET)
        return WSAGetLastError();
    if (connect(made->handle, (const struct sockaddr *)&name, size) == 0)
        return 0;
    code = WSAGetLastError();
    closesocket(made->handle);
    return code;
}

int udp_sender_open(struct udp_sender **out, const struct address *to, struct error *error)
{
    struct udp_sender *made = calloc(1, sizeof *made);
    int code = made == NULL ? ERROR_NOT_ENOUGH_MEMORY : open_socket(made, to);
    if (code != 0) {
        char text[ADDRESS_TEXT_SIZE];
        address_format(to, text);
        error_set(error, EXIT_CODE_CANNOT_BIND, "cannot open a socket to udp://%s: %s", text,
                  system_error((unsigned)code).text);
        free(made);
        return -1;
    }
    *out = made;
    return 0;
}

/*
 * Returns true to send a datagram again after `tries` failures. Most errors may belong to an
 * earlier datagram.
 */
static bool try_again(int code, unsigned tries)
{
    if (code != WSAENOBUFS && code != WSA_NOT_ENOUGH_MEMORY && code != WSAEWOULDBLOCK)
        return tries < PASSING_TRIES;
    if (tries < PRESSURE_TRIES)
        Sleep(1);
    return tries < PRESSURE_TRIES;
}

/*
 * Returns true if the error reports that the port was closed for an earlier datagram. Windows does
 * not queue these reports, unlike Linux, so one error may be about several datagrams.
 */
static bool is_refusal(int code)
{
    return code == WSAECONNRESET || code == WSAECONNREFUSED;
}

static int send_one(struct udp_sender *sender, const struct udp_payload *payload)
{
    unsigned tries = 0;
    while (send(sender->handle, (const char *)payload->data, (int)payload->size, 0) < 0) {
        int code = WSAGetLastError();
        bool refusal = is_refusal(code);
        sender->refused += refusal;
        if (!try_again(code, ++tries))
            return code;
        sender->retries += !refusal;
    }
    sender->sent++;
    return 0;
}

size_t udp_sender_send(struct udp_sender *sender, const struct udp_payload *payloads, size_t count,
                       struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        int code = send_one(sender, &payloads[i]);
        if (code == 0)
            continue;
        error_set(error, EXIT_CODE_IO, "cannot send %zu bytes: %s", payloads[i].size,
                  system_error((unsigned)code).text);
        return i;
    }
    return count;
}

uint64_t udp_sender_retries(const struct udp_sender *sender)
{
    return sender->retries;
}

uint64_t udp_sender_refused(const struct udp_sender *sender)
{
    return sender->refused;
}

static int receive_next(SOCKET handle)
{
    char nothing[1];
    if (recv(handle, nothing, sizeof nothing, 0) >= 0)
        return 0;
    int code = WSAGetLastError();
    return code == WSAEMSGSIZE ? 0 : code;
}

static int wait_for_event(SOCKET handle, int64_t until_ns)
{
    WSAPOLLFD watched = {.fd = handle, .events = POLLRDNORM};
    int left_ms = milliseconds_until(until_ns, clock_monotonic_ns());
    return left_ms != 0 && WSAPoll(&watched, 1, left_ms) > 0 ? watched.revents : 0;
}

/*
 * Waits for the next report of a refusal. Either a receive fails with it, or the wait itself takes
 * the report and returns POLLERR. Returns false if no report comes in time.
 */
static bool await_report(SOCKET handle, int64_t until_ns)
{
    for (int event; (event = wait_for_event(handle, until_ns)) != 0;) {
        int code = receive_next(handle);
        if (is_refusal(code) || (event & POLLERR) != 0)
            return true;
        if (code != 0 && code != WSAEWOULDBLOCK)
            return false;
    }
    return false;
}

void udp_sender_await_reports(struct udp_sender *sender, int64_t until_ns)
{
    u_long on = 1;
    ioctlsocket(sender->handle, FIONBIO, &on);
    while (sender->refused < sender->sent && await_report(sender->handle, until_ns))
        sender->refused++;
}

void udp_sender_close(struct udp_sender *sender)
{
    if (sender == NULL)
        return;
    closesocket(sender->handle);
    free(sender);
}

/* Waits with a timer that is finer than the system's clock tick (up to 16 ms), if there is one. */
void wait_until(int64_t moment_ns)
{
    int64_t left = moment_ns - clock_monotonic_ns();
    if (left <= 0)
        return;
    if (left > 100 * MILLISECOND)
        left = 100 * MILLISECOND;
    HANDLE timer = CreateWaitableTimerExW(NULL, NULL, HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    LARGE_INTEGER due = {.QuadPart = -((left + 99) / 100)};
    if (timer != NULL && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    else
        Sleep(left < MILLISECOND ? 1 : (DWORD)(left / MILLISECOND));
    if (timer != NULL)
        CloseHandle(timer);
}
