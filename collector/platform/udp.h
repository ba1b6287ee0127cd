/*
 * UDP sockets: receiving datagrams in groups, and sending them.
 *
 * A port provides both, and udp_interface_index. Constants state what its system lacks
 * (udp_socket_can_share_port and those after it); callers then refuse options that need it.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_UDP_H
#define SLUICE_COLLECTOR_PLATFORM_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/base/networks.h"
#include "collector/platform/wakeup.h"

/* --- receiving -------------------------------------------------------------------------------- */

/*
 * A non-blocking UDP socket that receives datagrams in groups.
 *
 * Lifecycle: open, (add its handle to the notifier), bind, on each event receive until would-block,
 * close. A socket and a group belong to one thread at a time. A receive handles and counts errors
 * that do not end a drain: an interrupted call, an ICMP error, a zero-length or truncated datagram,
 * a momentary lack of kernel memory.
 */

struct udp_socket;

/* Abilities of the operating system. Each comment says what holds if a constant is false. */
extern const bool udp_socket_can_share_port;  /* share_port must be false */
extern const bool udp_socket_reports_arrival; /* received_ns is the time of the receive call */
extern const bool udp_socket_can_gro;         /* gro must be false */
extern const bool udp_socket_can_busy_poll;   /* busy_poll_us must be 0 */
extern const bool udp_socket_can_join;        /* `address` is not multicast, `interface` is NULL */

struct udp_socket_options {
    struct address address; /* the address to bind; port 0: the system chooses a port */
    bool ipv6_only;         /* an IPv6 socket receives no IPv4 (else "::" receives both) */
    /*
     * For a multicast group: the socket may bind the group and the port although other sockets have
     * bound them, and each of these sockets gets a copy of a datagram. It receives only datagrams
     * of its own interface and source.
     */
    bool share_group;
    bool share_port; /* this process may bind other sockets to the port; all datagrams of a source
                        go to one of them */
    size_t receive_buffer; /* bytes to request from the kernel */
    size_t max_datagram;   /* bytes, at most DATAGRAM_MAX_SIZE; longer datagrams are truncated */

    /*
     * For the first of several sockets that share a port: the number of sockets over which the
     * kernel spreads the datagrams regardless of their source; 0: all datagrams of a source go to
     * one socket. 0 for the other sockets: the kernel refuses to bind one that has a value of its
     * own.
     */
    unsigned spread_over;

    /*
     * Report the destination address of each datagram; otherwise the bound address is reported,
     * which may be the unspecified address. Costs a little per datagram.
     */
    bool wants_destination;

    /*
     * The kernel may deliver many datagrams of one source in one buffer (udp(7), UDP_GRO). The
     * receive splits the buffer; a buffer that the kernel drops counts as one drop.
     */
    bool gro;

    /*
     * Microseconds for which the kernel polls the network card for further datagrams (socket(7),
     * SO_BUSY_POLL); 0: it waits for interrupts.
     */
    unsigned busy_poll_us;

    /*
     * Accepted sources. The kernel drops datagrams of other sources without waking the receiver,
     * and counts them as drops. NULL: all sources. Owned by the caller; used only during open and
     * change. If udp_socket_check_filter refuses it, the open fails.
     */
    const struct networks *only_from;

    /*
     * The name of the network interface to receive from: a multicast group is joined on it; any
     * other socket is bound to it. NULL: the system chooses the interface of a group; other sockets
     * receive from all interfaces. The name is copied, and udp_socket_change leaves it as it is.
     */
    const char *interface;

    /* For a multicast group: the source whose datagrams are wanted. ADDRESS_NONE: all sources. */
    struct address group_source;

    /*
     * The socket was given to this process, already bound (collector/platform/service_manager.h);
     * the opened socket works on a copy of `handle`. `address`, `ipv6_only` and `share_port` are
     * ignored then, and udp_socket_bind only finds out its address. All other options apply, except
     * that its receive buffer is never reduced. False on systems without such sockets.
     */
    bool inherited;
    wait_handle handle;
};

/*
 * Returns the index of a network interface, the zone of its link-local addresses. 0: there is no
 * interface of this name, or (Windows) zones are only given as numbers. Any thread.
 */
uint32_t udp_interface_index(const char *name);

/*
 * The most datagrams of one receive, and the bytes of each datagram that are stored in its front
 * part.
 */
#define DATAGRAM_GROUP_SIZE 64
#define DATAGRAM_FRONT_SIZE 2048
#define DATAGRAM_MAX_SIZE   65536

/*
 * One received datagram. Its first DATAGRAM_FRONT_SIZE bytes are at `front`, the others at `rest`:
 * the fronts of a group are close together, so that small datagrams stay in the cache.
 */
struct datagram_slot {
    const uint8_t *front;
    const uint8_t *rest;
    uint32_t size;      /* bytes stored here */
    uint32_t sent_size; /* bytes that were sent, or a lower bound; more than `size` if truncated */
    bool truncated;
    struct address source;
    const struct address *destination; /* valid as long as `front` */
    int64_t received_ns;               /* arrival, nanoseconds since 1970 UTC */
};

/* Returns the number of the datagram's bytes that are in its front. */
static inline size_t datagram_front_size(const struct datagram_slot *slot)
{
    return slot->size < DATAGRAM_FRONT_SIZE ? slot->size : DATAGRAM_FRONT_SIZE;
}

/* Memory for a group of datagrams; the next receive overwrites it. */
struct datagram_group {
    size_t count;
    bool more;    /* the next receive, which must be from the same socket, returns the remaining
                     datagrams */
    bool emptied; /* the socket was empty after these datagrams: an edge will report more */
    struct datagram_slot slots[DATAGRAM_GROUP_SIZE];
};

/* Returns NULL if memory is short. About 4 MiB, of which small datagrams touch 128 KiB. */
struct datagram_group *datagram_group_create(void);
void datagram_group_destroy(struct datagram_group *group);

/* Returns the bytes that datagram_group_create allocates. */
size_t datagram_group_memory(void);

/*
 * Opens a socket with these options, not yet bound. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CANNOT_BIND).
 */
int udp_socket_open(struct udp_socket **out, const struct udp_socket_options *options,
                    struct error *error);

/*
 * Checks whether the kernel can filter datagrams by these sources. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CONFIG) if the system has no such filters or the filter would be too long. Only
 * an open finds out whether the kernel has memory for the filter.
 */
int udp_socket_check_filter(const struct networks *only_from, struct error *error);

/*
 * Checks whether datagrams can be spread over several sockets. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG).
 */
int udp_socket_check_spread(struct error *error);

/*
 * Returns the highest number of datagrams that a socket with a receive buffer of this many bytes
 * can hold, including those received but not returned yet; 0 on systems that cannot spread
 * datagrams over sockets.
 */
uint64_t udp_socket_most_held(uint64_t receive_buffer, bool gro);

/*
 * Changes the socket's options. address, ipv6_only, share_group, share_port and gro must be the
 * same as before; spread_over is ignored, because only open uses it; the socket stays inherited or
 * not. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_BIND) and the options unchanged.
 */
int udp_socket_change(struct udp_socket *socket, const struct udp_socket_options *options,
                      struct error *error);

/*
 * Binds the socket to its address. Also joins the address if it is a multicast group. Returns 0, or
 * -1 with `error` filled (EXIT_CODE_CANNOT_BIND).
 */
int udp_socket_bind(struct udp_socket *socket, struct error *error);

/* The state of a socket's membership in its multicast group. */
enum udp_socket_group {
    GROUP_JOINED,       /* the socket is in its group, or has none */
    GROUP_NO_INTERFACE, /* the interface on which it was joined no longer exists */
    GROUP_REFUSED, /* the interface exists again, but the system refuses to join the group there */
};

/*
 * Joins the group again if its interface was removed and created again. `error` is filled for
 * GROUP_REFUSED.
 */
enum udp_socket_group udp_socket_keep_group(struct udp_socket *socket, struct error *error);

/* Returns the handle for the notifier. */
wait_handle udp_socket_handle(const struct udp_socket *socket);

/* Returns the address that the socket is bound to, with the port that the system chose. */
struct address udp_socket_address(const struct udp_socket *socket);

/* Returns the bytes of receive buffer that the kernel granted. */
size_t udp_socket_receive_buffer(const struct udp_socket *socket);

/* Ends a message that the kernel granted a smaller receive buffer than requested: "raise ...". */
extern const char *const udp_socket_buffer_advice;

/*
 * Loads into the cache the parts of the socket that a receive reads. Call it if a receive is likely
 * soon.
 */
void udp_socket_prefetch(const struct udp_socket *socket);

enum receive_result {
    RECEIVE_OK,          /* the group holds at least one datagram */
    RECEIVE_WOULD_BLOCK, /* no datagram is left: an edge will report more */
    RECEIVE_LATER,       /* the kernel is short of memory: not drained, try again soon */
    RECEIVE_FATAL,       /* the socket can no longer be used */
};

/* Receives the queued datagrams, at most one group. Returns RECEIVE_OK while the group has more. */
enum receive_result udp_socket_receive(struct udp_socket *socket, struct datagram_group *group,
                                       struct error *error);

/* Returns the number of errors so far that did not end a receive. */
uint64_t udp_socket_errors(const struct udp_socket *socket);

/*
 * Returns true if the system counts the drops of a socket; otherwise udp_socket_drops returns 0.
 * Known after the first open: kernels that run in another system's process (gVisor, qemu) do not
 * count them. Any thread.
 */
bool udp_socket_counts_drops(void);

/*
 * Returns the number of datagrams so far that the kernel dropped because the buffer was full or
 * memory was short. (On Linux from SO_MEMINFO, SK_MEMINFO_DROPS: its 32 bits are extended to 64
 * here, if this is called before 2^32 more are dropped.) For an inherited socket the number begins
 * when it was bound or last served by this process.
 */
uint64_t udp_socket_drops(struct udp_socket *socket);

/*
 * Returns true if the queue takes half of the receive buffer or more (on Linux SO_MEMINFO,
 * SK_MEMINFO_RMEM_ALLOC). Also returns true if the system does not report the size of the queue.
 */
bool udp_socket_is_half_full(const struct udp_socket *socket);

/*
 * Refuses all later arrivals and keeps the queue; called before the last drain. The kernel counts
 * refused datagrams as drops. Returns false if the system cannot do that, and for an inherited
 * socket, because its later datagrams are for the next process that gets the socket.
 */
bool udp_socket_refuse_all(struct udp_socket *socket);

/*
 * Sends a datagram from this socket, without waiting. `from` is the local address, as it was
 * reported as a datagram's destination, or NULL. Returns true if the system has accepted the
 * datagram.
 */
bool udp_socket_answer(struct udp_socket *socket, const struct address *from,
                       const struct address *to, const void *bytes, size_t size);

/* Closes and frees the socket; NULL is allowed. */
void udp_socket_close(struct udp_socket *socket);

/* --- sending ---------------------------------------------------------------------------------- */

/*
 * Sends datagrams to a few addresses, without ever waiting.
 *
 * Lifecycle: open, send any number of times, close. One thread at a time. Receives nothing: ICMP
 * reports about sent datagrams are not seen.
 */

struct datagram_sender;

/*
 * True if whole IP packets can be sent, with source addresses of their own (raw(7)). If not, an
 * open with `packets` fails.
 */
extern const bool datagram_sender_can_send_packets;

struct datagram_sender_options {
    const struct address *targets; /* copied */
    size_t target_count;           /* at least 1 */

    /*
     * Send whole IP packets, no longer than datagram_sender_mtu, instead of payloads of datagrams.
     * The open requires a right (CAP_NET_RAW), later calls do not.
     */
    bool packets;
};

/*
 * Returns 0, or -1 with `error` filled. The code is EXIT_CODE_CONFIG if the right to send packets
 * is missing or the system cannot send them, otherwise EXIT_CODE_CANNOT_CREATE.
 */
int datagram_sender_open(struct datagram_sender **out,
                         const struct datagram_sender_options *options, struct error *error);
void datagram_sender_close(struct datagram_sender *sender);

struct outgoing {
    size_t target; /* index in the options' targets */
    const void *data;
    size_t size;
};

/* The most datagrams of one call. */
#define DATAGRAM_SENDER_MOST 64

enum send_result {
    SEND_OK,          /* the first *sent datagrams, at least one, were sent */
    SEND_WOULD_BLOCK, /* the system has no room: try again in a moment */
    SEND_TOO_LARGE,   /* the first one is too long for its path, and was not sent */
    SEND_FAILED,      /* the first one was not sent, as `error` says; the next one may be */
};

/* Sends some of `count` (1 to DATAGRAM_SENDER_MOST) datagrams, in order. *sent is their number. */
enum send_result datagram_sender_send(struct datagram_sender *sender,
                                      const struct outgoing *datagrams, size_t count, size_t *sent,
                                      struct error *error);

/*
 * Returns the size in bytes of the largest IP packet for the path to this target, as far as the
 * system knows.
 */
size_t datagram_sender_mtu(const struct datagram_sender *sender, size_t target);

/* Returns true if the host of an address is this machine. Ignores the port. */
bool datagram_sender_is_local(const struct address *address);

#endif
