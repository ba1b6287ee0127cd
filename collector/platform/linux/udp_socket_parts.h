/*
 * Defines struct udp_socket and struct datagram_group on Linux, for the files of this folder that
 * open sockets, receive from them or answer through them. Only for platform/linux/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_UDP_SOCKET_PARTS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_UDP_SOCKET_PARTS_H

#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "collector/platform/common/datagram_buffers.h"
#include "collector/platform/udp.h"

struct linux_group;

/*
 * Receive buffers are used in two ways: for one datagram each, or for many datagrams of one source
 * (udp(7), UDP_GRO).
 */
struct receive_ops {
    /*
     * Points the vectors and the slot of one buffer to memory for datagrams of up to `limit` bytes.
     */
    void (*lay_out)(struct linux_group *group, unsigned buffer, size_t limit);

    /* The number of buffers of one receive. */
    unsigned (*most)(const struct linux_group *group);

    /* Fills the slots from the received buffers. Called again while the group has more. */
    void (*cut)(const struct udp_socket *socket, struct linux_group *group);
};

extern const struct receive_ops receive_ops_single;
extern const struct receive_ops receive_ops_gro;

struct udp_socket {
    int fd;
    const struct receive_ops *ops; /* chosen by open */
    /* The options outlive the configuration: `interface` is a copy, and only_from is cleared. */
    struct udp_socket_options options;
    char interface[IF_NAMESIZE];
    bool filtered; /* a filter for only_from is attached */
    struct address address;
    size_t receive_buffer;
    unsigned group_index; /* number of the interface on which the group is joined; 0: not joined, or
                             on any interface */
    char group_interface[IF_NAMESIZE]; /* the interface's name; empty: unknown */
    uint64_t errors;
    uint64_t drops;
    uint32_t drops_seen;  /* the kernel's 32-bit counter when it was last read */
    uint32_t *drops_kept; /* the same as `drops_seen`, kept for the next user of an inherited
                             socket; NULL: not inherited */
};

/* --- the group -------------------------------------------------------------------------------- */

#define CONTROL_SIZE                                                                               \
    (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct in6_pktinfo)) +                \
     CMSG_SPACE(sizeof(int)))

/* With UDP_GRO a buffer is received whole into one overflow part. */
_Static_assert(DATAGRAM_REST_STRIDE >= DATAGRAM_MAX_SIZE, "an overflow part holds any buffer");

struct linux_group {
    struct datagram_group group;   /* must be the first member: callers have a pointer to it */
    size_t limit;                  /* the size limit for which the vectors are set */
    const struct receive_ops *ops; /* the use for which the vectors are set; NULL: not set yet */
    struct mmsghdr headers[DATAGRAM_GROUP_SIZE];
    unsigned used; /* number of headers that the last receive may have changed */
    bool all;      /* the last receive emptied the queue */

    struct iovec vectors[DATAGRAM_GROUP_SIZE][2];
    struct sockaddr_in6 names[DATAGRAM_GROUP_SIZE];
    struct address destinations[DATAGRAM_GROUP_SIZE]; /* the datagrams' destinations, for sockets
                                                         with wants_destination */
    _Alignas(struct cmsghdr) uint8_t controls[DATAGRAM_GROUP_SIZE][CONTROL_SIZE];
    struct datagram_buffers buffers;

    /* The received buffers; receive_ops_gro also keeps its position in them. */
    const struct udp_socket *from; /* the socket of the last receive */
    size_t received;
    size_t next;
    size_t offset;               /* bytes of buffer `next` that were returned already */
    struct datagram_slot common; /* properties that all datagrams of buffer `next` share */
    size_t segment;  /* bytes of each datagram of buffer `next`; the last datagram may be shorter */
    bool aggregated; /* the last buffer had several datagrams */
};

/* Sets the vectors for datagrams of up to that limit and for that use. */
void datagram_group_prepare(struct linux_group *group, size_t limit, const struct receive_ops *ops);

/* Resets the room for the name and the control messages, whose lengths a receive overwrites. */
static inline void datagram_group_set_room(struct linux_group *group, unsigned index)
{
    group->headers[index].msg_hdr.msg_namelen = sizeof group->names[index];
    group->headers[index].msg_hdr.msg_controllen = CONTROL_SIZE;
}

#endif
