/*
 * A few large blocks of memory for frames that have not come in whole, shared by the connections of
 * a listener. All memory is taken at creation; any thread.
 *
 * They are shared by host, not by connection: by name where TLS gives one, else by network
 * (stream_hosts.h). A host that has blocks gets
 * another one only while more are free than it has, so one host leaves about half of the blocks to
 * others, a second one half of the rest, and so on. A host that has none gets any that is free, and
 * comes before those that have. Where none is free, connections of a host that has several have to
 * give theirs up after STREAM_PRESSURE_NS. So of N blocks (8, and one for each thread):
 *
 *   - while three other hosts hold all that they can, a host without a block gets one at once;
 *   - while fewer than N do, within STREAM_PRESSURE_NS, as one of them has several, and the time
 *     between two looks at the connections (stream_loop.c);
 *   - while N or more do, when one of them has been slow for longer than its frame's size allows
 *     (STREAM_PRESSURE_SIZE), each waiting host in its turn.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_blocks;

/* A host's part. Zeroed at first; stream_blocks.c's from then on. */
struct stream_share {
    size_t blocks;  /* that it has */
    size_t waiting; /* connections that wait for one */
};

/* `count` (≥ 1) blocks of `size` bytes. Returns NULL where memory is short. */
struct stream_blocks *stream_blocks_create(size_t count, size_t size);
void stream_blocks_destroy(struct stream_blocks *blocks); /* NULL is allowed */

/*
 * A block, or NULL: none is free, the host has its share, or others come first. Then the connection
 * waits, in *waits, which was false at first, and asks again: one that waits comes before one of
 * the same host that does not.
 */
uint8_t *stream_blocks_acquire(struct stream_blocks *blocks, struct stream_share *share,
                               bool *waits);

/* It does not wait any more, if it did. */
void stream_blocks_stop_waiting(struct stream_blocks *blocks, struct stream_share *share,
                                bool *waits);

/* The same for a connection that can do without: it does not wait. */
uint8_t *stream_blocks_try(struct stream_blocks *blocks, struct stream_share *share);

/* For a connection that had one of other blocks: NULL only where none is free. */
uint8_t *stream_blocks_move(struct stream_blocks *blocks, struct stream_share *share);

/* A connection, which has a block (`holds`) or waits for one, is another host's from now on. */
void stream_blocks_transfer(struct stream_blocks *blocks, struct stream_share *from,
                            struct stream_share *to, bool holds, bool waits);

/* NULL is allowed as block. */
void stream_blocks_release(struct stream_blocks *blocks, struct stream_share *share,
                           uint8_t *block);

/* Whether some connection is wanted to give up its block. */
bool stream_blocks_are_short(struct stream_blocks *blocks);

/* How much a connection of the host, which has a block, is wanted to give it up. */
enum stream_blocks_demand {
    STREAM_BLOCKS_ENOUGH,
    STREAM_BLOCKS_WANTED,       /* where it is slow for the size of its frame */
    STREAM_BLOCKS_WANTED_FIRST, /* in any case: the host has several, and another one has none */
};
enum stream_blocks_demand stream_blocks_demand(struct stream_blocks *blocks,
                                               const struct stream_share *share);

/* Bytes that stream_blocks_create allocates. */
size_t stream_blocks_memory(size_t count, size_t size);

#endif
