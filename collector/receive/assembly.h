/*
 * Assembles messages that arrive in several datagrams. Each of these datagrams is a segment of the
 * message.
 *
 * Segments may arrive in any order. They are buffered as whole datagrams, in memory of a fixed
 * size, so that each can be counted even if its message never becomes complete. A message is given
 * up if it is not complete in time. The oldest message is given up if there is no room for a new
 * segment. A message that was completed or refused is remembered for the timeout, so that repeated
 * segments are recognised. Time advances with the arrival times of datagrams and with calls of
 * assembly_expire.
 *
 * An assembly belongs to one ingest. One thread at a time uses it. Memory is allocated only at
 * creation. Keys are hashed with a secret, so that a sender cannot choose messages that share a
 * bucket.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_ASSEMBLY_H
#define SLUICE_COLLECTOR_RECEIVE_ASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/framing/udp_notif.h"
#include "collector/platform/udp.h"
#include "collector/receive/refusal.h"

/* The least memory of an assembly in bytes. */
#define ASSEMBLY_LEAST ((size_t)256 * 1024)

/* The upper limit of segments of a message. A search for a duplicate may read all of them. */
#define ASSEMBLY_SEGMENTS 1024

struct assembly;

struct assembly_options {
    /* Bytes, at least ASSEMBLY_LEAST. A message may have at most a quarter of them. */
    size_t memory;
    size_t longest;     /* upper limit of a message in bytes, if that is less than the quarter */
    int64_t timeout_ns; /* limit of the time between a message's first and last segment */

    /*
     * Called for each buffered datagram whose message was not completed, or was refused. The
     * datagram is valid only during the call. The function must not use the assembly.
     */
    void (*give_up)(void *context, const struct datagram_slot *datagram,
                    const struct refusal *refusal);
    void *context;
};

/* Returns the bytes that an assembly allocates. */
size_t assembly_memory(size_t memory);

/* Returns 0, or -1 with `error` filled. */
int assembly_create(struct assembly **out, const struct assembly_options *options,
                    struct error *error);

/* Frees the assembly. It must not have buffered datagrams (assembly_finish). NULL is allowed. */
void assembly_destroy(struct assembly *assembly);

enum assembly_result {
    ASSEMBLY_BUFFERED, /* the datagram waits for other segments */
    ASSEMBLY_REFUSED,  /* the datagram is not buffered; *refusal has the reason */
    ASSEMBLY_WHOLE,    /* the message is complete: call assembly_message, then assembly_end */
};

/*
 * Takes a datagram whose header marks it as a segment. May first give up buffered datagrams: late
 * ones, those that must make room, and those of a message that this datagram contradicts.
 */
enum assembly_result assembly_take(struct assembly *assembly, const struct datagram_slot *datagram,
                                   const struct udp_notif *header, struct refusal *refusal);

/* A complete message; valid until the next use of the assembly. */
struct assembled {
    const uint8_t *data;
    size_t size;
    size_t segments;
};
struct assembled assembly_message(struct assembly *assembly);

/*
 * Ends the complete message. `refusal` is NULL if the message was decoded. Otherwise each of its
 * segments is given up for that reason.
 */
void assembly_end(struct assembly *assembly, const struct refusal *refusal);

/*
 * Gives up messages that are late at `now_ns`, on the clock of the datagrams' arrival times.
 * Returns the time at which the next message will be late, or INT64_MAX if no message is buffered.
 */
int64_t assembly_expire(struct assembly *assembly, int64_t now_ns);

/* Gives up all buffered datagrams. */
void assembly_finish(struct assembly *assembly);

/* Returns the number of buffered datagrams. */
size_t assembly_buffered(const struct assembly *assembly);

#endif
