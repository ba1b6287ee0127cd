/*
 * Messages that come in several datagrams, each a segment: they are held until all are there.
 *
 * Segments come in any order. They are held as the datagrams that they are, in memory of a fixed
 * size, so that each can be accounted for whatever becomes of its message. A message that is not
 * whole in time is given up, and so is the oldest one where there is no room for a new segment.
 * What was whole, or was refused, is remembered for as long: segments of it that come again are
 * recognised. Time is that of the datagrams, and of whoever calls assembly_expire.
 *
 * Of one ingest, by one thread at a time; nothing is allocated after it was made. Keys are hashed
 * with a secret, so that nobody can choose which messages are searched together.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_ASSEMBLY_H
#define SLUICE_COLLECTOR_RECEIVE_ASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/framing/udp_notif.h"
#include "collector/platform/udp.h"
#include "collector/receive/refusal.h"

/* The least memory that one may have. */
#define ASSEMBLY_LEAST ((size_t)256 * 1024)

/* A message has so many segments at most: as many as are searched for one that is there already. */
#define ASSEMBLY_SEGMENTS 1024

struct assembly;

struct assembly_options {
    size_t memory;      /* bytes, ASSEMBLY_LEAST at least; a message may have a quarter of them */
    size_t longest;     /* bytes that a message may have besides */
    int64_t timeout_ns; /* how long it may take, from its first segment on */

    /* What becomes of a datagram that is held, where it is not part of a whole message. It is lent
     * for the call, in which the assembly may not be used. */
    void (*give_up)(void *context, const struct datagram_slot *datagram,
                    const struct refusal *refusal);
    void *context;
};

/* Bytes that it allocates. */
size_t assembly_memory(size_t memory);

/* Returns 0, or -1 with `error` filled. */
int assembly_create(struct assembly **out, const struct assembly_options *options,
                    struct error *error);

/* Nothing may be held (assembly_finish). NULL is allowed. */
void assembly_destroy(struct assembly *assembly);

enum assembly_result {
    ASSEMBLY_BUFFERED, /* it waits for others */
    ASSEMBLY_REFUSED,  /* it is not held; *refusal says why */
    ASSEMBLY_WHOLE,    /* its message is whole: assembly_message, then assembly_end */
};

/*
 * Takes a datagram that is a segment by its header. Others may be given up first: what is late, by
 * the time of this one, what has to make room, or what contradicts this one.
 */
enum assembly_result assembly_take(struct assembly *assembly, const struct datagram_slot *datagram,
                                   const struct udp_notif *header, struct refusal *refusal);

/* The message that is whole, put together; it stands until the assembly is used again. */
struct assembled {
    const uint8_t *data;
    size_t size;
    size_t segments;
};
struct assembled assembly_message(struct assembly *assembly);

/* It was decoded (NULL), or each of its segments is given up for that reason. */
void assembly_end(struct assembly *assembly, const struct refusal *refusal);

/*
 * Gives up what is late at `now_ns`, as datagrams have their times. Returns when the next will be
 * late, INT64_MAX where nothing is held.
 */
int64_t assembly_expire(struct assembly *assembly, int64_t now_ns);

/* Gives up all that is held. */
void assembly_finish(struct assembly *assembly);

/* Datagrams that are held. */
size_t assembly_buffered(const struct assembly *assembly);

#endif
