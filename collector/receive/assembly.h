/*
 * Assembles messages that arrive as several datagrams, each of them a segment.
 *
 * Segments arrive in any order. They are buffered as whole datagrams, in memory of a fixed size, so
 * that each can be accounted for whatever the outcome of its message. A message that is not
 * complete in time is given up, and so is the oldest one if there is no room for a new segment. A
 * message that was completed or refused is remembered for the same time, so that repeated segments
 * are recognised. The time is that of the datagrams and of calls of assembly_expire.
 *
 * Belongs to one ingest; one thread at a time. Memory is allocated only at creation. Keys are
 * hashed with a secret, so that no sender can choose which messages share a bucket.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_ASSEMBLY_H
#define SLUICE_COLLECTOR_RECEIVE_ASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/framing/udp_notif.h"
#include "collector/platform/udp.h"
#include "collector/receive/refusal.h"

/* The least memory of an assembly, in bytes. */
#define ASSEMBLY_LEAST ((size_t)256 * 1024)

/* The most segments of a message. A search for a duplicate reads each of them. */
#define ASSEMBLY_SEGMENTS 1024

struct assembly;

struct assembly_options {
    size_t
        memory; /* bytes, at least ASSEMBLY_LEAST; a message may have at most a quarter of them */
    size_t longest;     /* the most bytes of a message, in addition to that limit */
    int64_t timeout_ns; /* the longest time from the first segment of a message to the last */

    /*
     * Called for each buffered datagram that does not become part of a complete message. The
     * datagram is valid during the call, which must not use the assembly.
     */
    void (*give_up)(void *context, const struct datagram_slot *datagram,
                    const struct refusal *refusal);
    void *context;
};

/* Bytes that an assembly allocates. */
size_t assembly_memory(size_t memory);

/* Returns 0, or -1 with `error` filled. */
int assembly_create(struct assembly **out, const struct assembly_options *options,
                    struct error *error);

/* No datagram may be buffered (assembly_finish). NULL is allowed. */
void assembly_destroy(struct assembly *assembly);

enum assembly_result {
    ASSEMBLY_BUFFERED, /* it waits for other segments */
    ASSEMBLY_REFUSED,  /* it is not buffered; *refusal says why */
    ASSEMBLY_WHOLE,    /* its message is complete: assembly_message, then assembly_end */
};

/*
 * Takes a datagram that is a segment by its header. Other datagrams may be given up first: late
 * ones (by the time of this one), those that must make room, and those that this one contradicts.
 */
enum assembly_result assembly_take(struct assembly *assembly, const struct datagram_slot *datagram,
                                   const struct udp_notif *header, struct refusal *refusal);

/* The complete message, valid until the assembly is used again. */
struct assembled {
    const uint8_t *data;
    size_t size;
    size_t segments;
};
struct assembled assembly_message(struct assembly *assembly);

/*
 * Ends the complete message: it was decoded (NULL), or each of its segments is given up for that
 * reason.
 */
void assembly_end(struct assembly *assembly, const struct refusal *refusal);

/*
 * Gives up messages that are late at `now_ns` (in the datagrams' time). Returns when the next one
 * will be late, INT64_MAX if none is buffered.
 */
int64_t assembly_expire(struct assembly *assembly, int64_t now_ns);

/* Gives up all buffered datagrams. */
void assembly_finish(struct assembly *assembly);

/* The number of buffered datagrams. */
size_t assembly_buffered(const struct assembly *assembly);

#endif
