/* Implements tools/sending/udp_sender.h on Linux: sendmmsg(2), ip(7), poll(2), nanosleep(2). */
#include "tools/sending/udp_sender.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h> /* requires that time.h comes first */

#include "collector/platform/clock.h"

#define GROUP_SIZE     64
#define PRESSURE_TRIES 1000 /* tries, a millisecond apart */
#define PASSING_TRIES  16
#define MILLISECOND    INT64_C(1000000)

struct udp_sender {
    int fd;
    uint64_t sent, retries, refused;
    struct mmsghdr headers[GROUP_SIZE];
    struct iovec vectors[GROUP_SIZE];
};

/* Connects the socket. Uses the resolver to convert the numeric address, which may have a zone. */
static int connect_to(int fd, const struct address *to)
{
    char host[ADDRESS_TEXT_SIZE], port[8];
    address_format_host(to, host);
    snprintf(port, sizeof port, "%u", (unsigned)to->port);
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, port, &hints, &found) != 0) {
        errno = EINVAL;
        return -1;
    }
    int result = connect(fd, found->ai_addr, found->ai_addrlen);
    int code = errno;
    freeaddrinfo(found);
    errno = code;
    return result;
}

static int open_socket(const struct address *to)
{
    bool ipv6 = to->family == ADDRESS_IPV6;
    int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    /*
     * With this option the system reports an error when it drops a datagram because the queue of a
     * device is full. Otherwise it would report success. The option also makes it queue each ICMP
     * error separately.
     */
    int on = 1;
    int asked = ipv6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on)
                     : setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
    if (asked == 0 && connect_to(fd, to) == 0)
        return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

int udp_sender_open(struct udp_sender **out, const struct address *to, struct error *error)
{
    char text[ADDRESS_TEXT_SIZE];
    address_format(to, text);
    struct udp_sender *made = calloc(1, sizeof *made);
    if (made == NULL || (made->fd = open_socket(to)) < 0) {
        error_set(error, EXIT_CODE_CANNOT_BIND, "cannot open a socket to udp://%s: %s", text,
                  strerror(errno));
        free(made);
        return -1;
    }
    for (size_t i = 0; i < GROUP_SIZE; i++) {
        made->headers[i].msg_hdr.msg_iov = &made->vectors[i];
        made->headers[i].msg_hdr.msg_iovlen = 1;
    }
    *out = made;
    return 0;
}

static void pause_for(int64_t nanoseconds)
{
    struct timespec pause = {.tv_nsec = (long)nanoseconds};
    nanosleep(&pause, NULL);
}

/*
 * Returns true to send a datagram again after `tries` failures. Most errors may belong to an
 * earlier datagram. Even EMSGSIZE may, if a router required smaller datagrams.
 */
static bool try_again(int code, unsigned tries)
{
    switch (code) {
    case EINTR:
        return true;
    case ENOBUFS:
    case ENOMEM:
    case EAGAIN:
        if (tries < PRESSURE_TRIES)
            pause_for(MILLISECOND);
        return tries < PRESSURE_TRIES;
    default:
        return tries < PASSING_TRIES;
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

static unsigned reported_error(struct msghdr *message)
{
    struct sock_extended_err report;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL;
         part = CMSG_NXTHDR(message, part)) {
        bool ipv4 = part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_RECVERR;
        bool ipv6 = part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_RECVERR;
        if (!ipv4 && !ipv6)
            continue;
        memcpy(&report, CMSG_DATA(part), sizeof report);
        return report.ee_errno;
    }
    return 0;
}

/*
 * Counts the refusals in the error queue, and empties the queue so that the next send does not fail
 * with one of its errors.
 */
static uint64_t count_refusals(int fd)
{
    uint64_t refusals = 0;
    for (;;) {
        char control[256], first;
        struct iovec place = {&first, 1}; /* without a buffer, qemu returns 0 and reads nothing */
        struct msghdr message = {.msg_iov = &place,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = sizeof control};
        if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
            return refusals;
        refusals += reported_error(&message) == ECONNREFUSED;
    }
}

/*
 * Counts the refusals that are reported. `code` is the socket's own error, which is the only report
 * if the error queue was full. Returns true if there was a refusal.
 */
static bool take_refusals(struct udp_sender *sender, int code)
{
    uint64_t refusals = count_refusals(sender->fd);
    if (refusals == 0 && code == ECONNREFUSED)
        refusals = 1;
    sender->refused += refusals;
    return refusals != 0;
}

static int take_error(int fd)
{
    int code = 0;
    socklen_t size = sizeof code;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : 0;
}

uint64_t udp_sender_refused(const struct udp_sender *sender)
{
    return sender->refused;
}

void udp_sender_await_reports(struct udp_sender *sender, int64_t until_ns)
{
    struct pollfd watched = {.fd = sender->fd}; /* poll always reports errors */
    take_refusals(sender, take_error(sender->fd));
    while (sender->refused < sender->sent) {
        int left_ms = milliseconds_until(until_ns, clock_monotonic_ns());
        if (left_ms == 0 || poll(&watched, 1, left_ms) <= 0)
            return;
        take_refusals(sender, take_error(sender->fd));
    }
}

/* --- sending ---------------------------------------------------------------------------------- */

/*
 * Sends at most GROUP_SIZE payloads in one call. Returns the number sent. If it is 0, `errno` is
 * the reason why the first payload was not sent.
 */
static size_t send_group(struct udp_sender *sender, const struct udp_payload *payloads,
                         size_t count)
{
    if (count > GROUP_SIZE)
        count = GROUP_SIZE;
    for (size_t i = 0; i < count; i++) {
        /* The base of a struct iovec is not const, but sendmmsg only reads the data. */
        memcpy(&sender->vectors[i].iov_base, &payloads[i].data, sizeof payloads[i].data);
        sender->vectors[i].iov_len = payloads[i].size;
    }
    int sent = sendmmsg(sender->fd, sender->headers, (unsigned)count, 0);
    if (sent <= 0)
        return 0;
    sender->sent += (uint64_t)sent;
    /*
     * When sendmmsg sends only some of the datagrams, it does not return the error of the next one.
     * If that error occurs again, the next call returns it.
     */
    if ((size_t)sent < count && !take_refusals(sender, 0))
        sender->retries++;
    return (size_t)sent;
}

size_t udp_sender_send(struct udp_sender *sender, const struct udp_payload *payloads, size_t count,
                       struct error *error)
{
    size_t done = 0;
    unsigned tries = 0;
    while (done < count) {
        size_t sent = send_group(sender, payloads + done, count - done);
        if (sent != 0) {
            done += sent;
            tries = 0;
            continue;
        }
        int code = errno;
        take_refusals(sender, code);
        if (!try_again(code, ++tries)) {
            error_set(error, EXIT_CODE_IO, "cannot send %zu bytes: %s", payloads[done].size,
                      strerror(code));
            break;
        }
        if (code != EINTR && code != ECONNREFUSED)
            sender->retries++;
    }
    return done;
}

uint64_t udp_sender_retries(const struct udp_sender *sender)
{
    return sender->retries;
}

void udp_sender_close(struct udp_sender *sender)
{
    if (sender == NULL)
        return;
    close(sender->fd);
    free(sender);
}

void wait_until(int64_t moment_ns)
{
    int64_t left = moment_ns - clock_monotonic_ns();
    if (left > 0)
        pause_for(left < 100 * MILLISECOND ? left : 100 * MILLISECOND);
}
