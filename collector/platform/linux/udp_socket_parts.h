/*
 * The parts of collector/platform/udp.h on Linux, shared by the files that make it up:
 * udp_socket.c opens sockets and describes them, datagram_group.c is the memory to receive into,
 * udp_receive.c receives. Only these files include it.
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

/* What a buffer holds: one datagram, or many of one source (udp(7), UDP_GRO). */
struct receive_ops {
    /* Points the vectors and the slot of one buffer to where datagrams of that limit go. */
    void (*lay_out)(struct linux_group *group, unsigned buffer, size_t limit);

    /* How many buffers to ask for at a time. */
    unsigned (*most)(const struct linux_group *group);

    /* Fills the slots from the buffers received. While the group has more it is called again. */
    void (*cut)(const struct udp_socket *socket, struct linux_group *group);
};

extern const struct receive_ops receive_ops_single;
extern const struct receive_ops receive_ops_gro;

struct udp_socket {
    int fd;
    const struct receive_ops *ops; /* chosen by open */
    /* This outlives the configuration: the interface is a copy, and only_from is not kept. */
    struct udp_socket_options options;
    char interface[IF_NAMESIZE];
    bool filtered; /* by only_from */
    bool bound;
    struct address address;
    size_t receive_buffer;
    unsigned group_index; /* of the interface where its group is joined; 0: not, or anywhere */
    char group_interface[IF_NAMESIZE]; /* its name; empty: it is not known */
    uint64_t errors;
    uint64_t drops;
    uint32_t drops_seen;  /* the kernel's 32-bit count when it was last read */
    uint32_t *drops_kept; /* the same for the next one that serves it; NULL: nobody will */
};

/* --- the group -------------------------------------------------------------------------------- */

#define CONTROL_SIZE                                                                               \
    (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct in6_pktinfo)) +                \
     CMSG_SPACE(sizeof(int)))

/* With UDP_GRO a buffer is received whole into one overflow part. */
_Static_assert(DATAGRAM_REST_STRIDE >= DATAGRAM_MAX_SIZE, "an overflow part holds any buffer");

struct linux_group {
    struct datagram_group group;   /* first: what callers hold */
    size_t limit;                  /* bytes a datagram may have, as the vectors are set now; ... */
    const struct receive_ops *ops; /* ... and in that form; NULL: not set yet */
    struct mmsghdr headers[DATAGRAM_GROUP_SIZE];
    unsigned used; /* headers that the last receive has changed */
    bool all;      /* it took all there was */

    struct iovec vectors[DATAGRAM_GROUP_SIZE][2];
    struct sockaddr_in6 names[DATAGRAM_GROUP_SIZE];
    struct address
        destinations[DATAGRAM_GROUP_SIZE]; /* of sockets that were asked to report them */
    _Alignas(struct cmsghdr) uint8_t controls[DATAGRAM_GROUP_SIZE][CONTROL_SIZE];
    struct datagram_buffers buffers;

    /* How many buffers were received, and how far receive_ops_gro has handed them on. */
    const struct udp_socket *from; /* that the last receive was from */
    size_t received;
    size_t next;
    size_t offset;               /* bytes of that buffer */
    struct datagram_slot common; /* what its datagrams have in common */
    size_t segment;              /* bytes of each but the last one */
    bool aggregated;             /* lately the kernel has put several into one */
};

/* Sets the headers for datagrams of that limit, in that form. */
void datagram_group_prepare(struct linux_group *group, size_t limit, const struct receive_ops *ops);

/* For a name and control messages: a receive says there how long they are. */
static inline void datagram_group_set_room(struct linux_group *group, unsigned index)
{
    group->headers[index].msg_hdr.msg_namelen = sizeof group->names[index];
    group->headers[index].msg_hdr.msg_controllen = CONTROL_SIZE;
}

#endif
