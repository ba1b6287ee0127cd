/*
 * The parts of collector/platform/udp_socket.h on Linux, shared by the files that make it up:
 * udp_socket.c opens sockets and tells of them, datagram_group.c is the memory to receive into,
 * udp_receive.c receives. For nobody else.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_UDP_SOCKET_PARTS_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_UDP_SOCKET_PARTS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "collector/platform/linux/inbox.h"
#include "collector/platform/udp_socket.h"

struct udp_socket {
    int fd;
    bool last_drain;     /* nobody will tell of what comes behind that */
    struct inbox *inbox; /* where a notifier receives for it; NULL: none does */
    struct udp_socket_options options;
    struct address address;
    size_t receive_buffer;
    uint64_t errors;
    uint64_t drops;
    uint32_t drops_seen;  /* the kernel's 32-bit count when it was last read */
    uint32_t *drops_kept; /* the same for the next one that serves it; NULL: nobody will */
};

/* --- the group --------------------------------------------------------------------------------
 * The overflow parts have a stride that is no power of two, so that they do not all fall on the
 * same few cache sets. */

#define REST_SIZE   (DATAGRAM_MAX_SIZE - DATAGRAM_FRONT_SIZE)
#define REST_STRIDE (REST_SIZE + 4096 + 64)
#define CONTROL_SIZE                                                                               \
    (CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(struct in6_pktinfo)) +                \
     CMSG_SPACE(sizeof(int)))

/* With UDP_GRO a buffer is received whole into one overflow part. */
_Static_assert(REST_STRIDE >= DATAGRAM_MAX_SIZE, "an overflow part holds any buffer");

struct linux_group {
    struct datagram_group group; /* first: what callers hold */
    size_t limit;                /* bytes a datagram may have, as the vectors are set now; ... */
    bool gro;                    /* ... the same for whole buffers */
    struct mmsghdr headers[DATAGRAM_GROUP_SIZE];
    unsigned used; /* headers that the last receive has changed */
    bool all;      /* it took all there was */

    /* What was last taken from an inbox. */
    bool borrowed;             /* headers and slots point into its buffers */
    struct inbox_pool *lender; /* NULL: they were given back */
    uint16_t lent[DATAGRAM_GROUP_SIZE];
    unsigned lent_count;

    struct iovec vectors[DATAGRAM_GROUP_SIZE][2];
    struct sockaddr_in6 names[DATAGRAM_GROUP_SIZE];
    struct address destinations[DATAGRAM_GROUP_SIZE]; /* of sockets that are asked to tell them */
    _Alignas(struct cmsghdr) uint8_t controls[DATAGRAM_GROUP_SIZE][CONTROL_SIZE];
    uint8_t *fronts;
    uint8_t *rests;

    /* Of whole buffers: how many were received, and how far they were handed on. */
    size_t received;
    size_t next;
    size_t offset;               /* bytes of that buffer */
    struct datagram_slot common; /* what its datagrams have in common */
    size_t segment;              /* bytes of each but the last one */
    bool aggregated;             /* lately the kernel has put several into one */
};

/* Has the headers set for datagrams of that limit, or for whole buffers. */
void datagram_group_prepare(struct linux_group *group, size_t limit, bool gro);

/* For a name and control messages: a receive says there how long they are. */
static inline void datagram_group_set_room(struct linux_group *group, unsigned index)
{
    group->headers[index].msg_hdr.msg_namelen = sizeof group->names[index];
    group->headers[index].msg_hdr.msg_controllen = CONTROL_SIZE;
}

#endif
