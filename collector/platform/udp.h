/*
 * UDP sockets: receiving datagrams in groups, and sending them.
 *
 * A port provides both. Its constants say what its system lacks (udp_socket_can_share_port and those
 * after it); the options that need it are refused then.
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
 * A non-blocking UDP socket that receives in groups.
 *
 * Lifecycle: open, (the notifier adds its handle), bind, receive until would-block as often as it
 * is ready, close. A socket and a group belong to one thread at a time. A receive handles inside,
 * and counts, whatever does not end a drain: an interrupted call, an ICMP error, a zero-length or
 * truncated datagram, a moment without kernel memory.
 */

struct udp_socket;

/* What the operating system offers. */
extern const bool udp_socket_can_share_port;  /* else nothing opens with share_port */
extern const bool udp_socket_counts_drops;    /* else udp_socket_drops is 0, whatever was dropped */
extern const bool udp_socket_reports_arrival; /* else received_ns is when it was received */
extern const bool udp_socket_can_gro;         /* else nothing opens with gro */
extern const bool udp_socket_can_busy_poll;   /* else nothing opens with busy_poll_us */
extern const bool udp_socket_can_join;        /* else no multicast group and no interface */

struct udp_socket_options {
    struct address address; /* to bind; port 0 lets the system choose */
    bool ipv6_only;         /* an IPv6 socket takes no IPv4 (else "::" takes both) */
    bool share_port;        /* other sockets of ours may bind it too; each source goes to one */
    size_t receive_buffer;  /* bytes to ask the kernel for */
    size_t max_datagram;    /* bytes, at most DATAGRAM_MAX_SIZE; what is longer is truncated */

    /*
     * Of the first of several sockets that share a port: how many they will be, of which any may
     * get a datagram. 0: all that a source sends goes to one. 0 of the others, too: the kernel
     * binds no socket to the port that has this of its own.
     */
    unsigned spread_over;

    /*
     * Each datagram's destination is its own; otherwise it is the address that the socket is bound
     * to, which of "every address" says nothing. It costs a little of each datagram.
     */
    bool wants_destination;

    /*
     * The kernel may hand over many datagrams of one source in one buffer (udp(7), UDP_GRO), which
     * is cut here; what it drops then counts by buffer.
     */
    bool gro;

    /* Microseconds that the kernel asks the network card for more (socket(7), SO_BUSY_POLL); 0: it
     * waits to be notified. */
    unsigned busy_poll_us;

    /*
     * The kernel refuses what comes from anyone else, without waking who waits for the socket, and
     * counts it among its drops; NULL: it takes everyone's. The caller's, needed by open and change
     * only. What udp_socket_check_filter refuses does not open.
     */
    const struct networks *only_from;

    /*
     * The network interface that datagrams come in by, by its name: of a multicast group where it
     * is joined, of another address the only one that they are taken from. NULL: the system
     * chooses; every one. It is copied, and a change leaves it as it is.
     */
    const char *interface;

    /* Of a multicast group: whose datagrams are wanted. Of no family: everyone's. */
    struct address group_source;

    /*
     * It is bound already and was given to this process (collector/platform/service_manager.h),
     * whose copy of `handle` it works on: `address`, `ipv6_only` and `share_port` mean nothing
     * then, and the bind only reports where it is bound. Everything else here holds for it as for
     * any other, but that its receive buffer is never made smaller. False on systems that give
     * none.
     */
    bool inherited;
    wait_handle handle;
};

/* Datagrams received by one call at most, and bytes of each that stand in its front part. */
#define DATAGRAM_GROUP_SIZE 64
#define DATAGRAM_FRONT_SIZE 2048
#define DATAGRAM_MAX_SIZE   65536

/*
 * One received datagram. Its first DATAGRAM_FRONT_SIZE bytes stand at `front`, all others at
 * `rest`: the fronts of a group lie close together, so that small datagrams stay in the cache.
 */
struct datagram_slot {
    const uint8_t *front;
    const uint8_t *rest;
    uint32_t size;      /* bytes held here */
    uint32_t sent_size; /* bytes that were sent, at least; more than `size` when truncated */
    bool truncated;
    struct address source;
    const struct address *destination; /* valid as long as `front` */
    int64_t received_ns;               /* when it came, nanoseconds since 1970 UTC */
};

/* Bytes of the datagram that are in its front. */
static inline size_t datagram_front_size(const struct datagram_slot *slot)
{
    return slot->size < DATAGRAM_FRONT_SIZE ? slot->size : DATAGRAM_FRONT_SIZE;
}

/* Memory that a group is received into; the next receive overwrites what the one before left. */
struct datagram_group {
    size_t count;
    bool more;    /* the next receive, which is to be from the same socket, has the rest of these */
    bool emptied; /* after these the system found nothing: an edge will report more */
    struct datagram_slot slots[DATAGRAM_GROUP_SIZE];
};

/* Returns NULL where memory is short. About 4 MiB; small datagrams touch 128 KiB of them. */
struct datagram_group *datagram_group_create(void);
void datagram_group_destroy(struct datagram_group *group);

/* Bytes that datagram_group_create allocates. */
size_t datagram_group_memory(void);

/*
 * Opens a socket with these options, not yet bound. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CANNOT_BIND).
 */
int udp_socket_open(struct udp_socket **out, const struct udp_socket_options *options,
                    struct error *error);

/*
 * Whether the kernel can be asked to take datagrams from these alone: 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG), where the system has no such filters or one would be too long. How much
 * memory the kernel grants for it is found out by opening.
 */
int udp_socket_check_filter(const struct networks *only_from, struct error *error);

/*
 * Whether each datagram can go to any of several sockets: 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG).
 */
int udp_socket_check_spread(struct error *error);

/*
 * How many datagrams a socket holds at most: in a receive buffer of so many bytes, and received and
 * not yet handed out. For who spreads them; 0 where that cannot be.
 */
uint64_t udp_socket_most_held(uint64_t receive_buffer, bool gro);

/*
 * Changes all of its options but the address, ipv6_only, share_port and gro, which are to be what
 * they were; spread_over, which is for open alone; and whether it is inherited, which stays.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_BIND), the options as they were.
 */
int udp_socket_change(struct udp_socket *socket, const struct udp_socket_options *options,
                      struct error *error);

/*
 * Binds it to its address; where that is a multicast group, joins it. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CANNOT_BIND).
 */
int udp_socket_bind(struct udp_socket *socket, struct error *error);

/* How a socket is in its multicast group. */
enum udp_socket_group {
    GROUP_JOINED,       /* or it has none */
    GROUP_NO_INTERFACE, /* the interface where it was joined has gone */
    GROUP_REFUSED,      /* the interface came again, and the system does not join the group there */
};

/*
 * Joins the group again on an interface that went and came. `error` is filled where that is
 * GROUP_REFUSED.
 */
enum udp_socket_group udp_socket_keep_group(struct udp_socket *socket, struct error *error);

/* For the notifier. */
wait_handle udp_socket_handle(const struct udp_socket *socket);

/* Where it is bound, with the port that the system chose. */
struct address udp_socket_address(const struct udp_socket *socket);

/* Bytes of receive buffer that the kernel granted. */
size_t udp_socket_receive_buffer(const struct udp_socket *socket);

/* What to do where less was granted than asked for, the end of a message: "raise ...". */
extern const char *const udp_socket_buffer_advice;

/* A receive is likely soon: what that will read of the socket is brought into the cache. */
void udp_socket_prefetch(const struct udp_socket *socket);

enum receive_result {
    RECEIVE_OK,          /* the group holds at least one datagram */
    RECEIVE_WOULD_BLOCK, /* nothing left: an edge will report more */
    RECEIVE_LATER,       /* the kernel is short of memory: not drained, ask again soon */
    RECEIVE_FATAL,       /* the socket is of no use any more; `error` says why */
};

/* Receives what is there, at most one group. While the group has more it is RECEIVE_OK. */
enum receive_result udp_socket_receive(struct udp_socket *socket, struct datagram_group *group,
                                       struct error *error);

/* Errors that receives met and outlived, so far. */
uint64_t udp_socket_errors(const struct udp_socket *socket);

/*
 * Datagrams that the kernel dropped because the buffer was full (or memory short), so far (on Linux
 * SO_MEMINFO, SK_MEMINFO_DROPS; 32 bits in the kernel, carried on to 64 here as long as it is asked
 * before 2^32 more are dropped). Of an inherited socket since it was bound, or since it was last
 * served by this process.
 */
uint64_t udp_socket_drops(struct udp_socket *socket);

/*
 * Whether what is queued takes half of the receive buffer or more (on Linux SO_MEMINFO,
 * SK_MEMINFO_RMEM_ALLOC). True where the system does not say.
 */
bool udp_socket_is_half_full(const struct udp_socket *socket);

/*
 * It is drained for the last time: refuses from now on all that arrives, keeping what is queued.
 * What the kernel refuses counts as drops. Returns false where the system has no such means, and of
 * an inherited socket: what arrives there after the last receive is for the next process that is
 * given it.
 */
bool udp_socket_refuse_all(struct udp_socket *socket);

/* Closes and frees it; NULL is allowed. */
void udp_socket_close(struct udp_socket *socket);

/* --- sending ---------------------------------------------------------------------------------- */

/*
 * Sends datagrams to a few addresses, without ever waiting.
 *
 * Lifecycle: open, send as often as wanted, close. One thread at a time. Nothing is received: what
 * the network reports about datagrams that were sent (ICMP) is not seen.
 */

struct datagram_sender;

/* Whether whole IP packets can be sent, with sources of their own (raw(7)); else none opens so. */
extern const bool datagram_sender_can_send_packets;

struct datagram_sender_options {
    const struct address *targets; /* copied */
    size_t target_count;           /* at least 1 */

    /*
     * What is sent are whole IP packets, no longer than datagram_sender_mtu, instead of the
     * payloads of datagrams. It takes a right (CAP_NET_RAW) when it is opened, not later.
     */
    bool packets;
};

/*
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE; EXIT_CODE_CONFIG: the right is
 * missing, or the system sends no packets).
 */
int datagram_sender_open(struct datagram_sender **out,
                         const struct datagram_sender_options *options, struct error *error);
void datagram_sender_close(struct datagram_sender *sender);

struct outgoing {
    size_t target; /* index in the options' targets */
    const void *data;
    size_t size;
};

/* Datagrams that one call takes at most. */
#define DATAGRAM_SENDER_MOST 64

enum send_result {
    SEND_OK,          /* the first *sent ones, at least one, are out */
    SEND_WOULD_BLOCK, /* the system has no room now: again in a moment */
    SEND_TOO_LARGE,   /* the first one is longer than its way takes, and was not sent */
    SEND_FAILED,      /* the first one was not sent; `error` says why. The next one may be */
};

/* Sends the first ones of `count` (1 to DATAGRAM_SENDER_MOST) datagrams, in their order. */
enum send_result datagram_sender_send(struct datagram_sender *sender,
                                      const struct outgoing *datagrams, size_t count, size_t *sent,
                                      struct error *error);

/* Bytes of an IP packet that the way to this target takes now, as far as the system knows. */
size_t datagram_sender_mtu(const struct datagram_sender *sender, size_t target);

/* Whether the host of an address, of whatever port, is this machine. */
bool datagram_sender_is_local(const struct address *address);

#endif
