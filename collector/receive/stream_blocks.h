/*
 * A few large blocks of memory for incomplete frames, shared by the connections of a listener. All
 * memory is allocated at creation. Any thread.
 *
 * Blocks are shared by host, not by connection: by name if TLS provides one, else by network
 * (stream_hosts.h). A host that has blocks gets another one only while more are free than it has,
 * so one host leaves about half of the blocks to others, a second one half of the rest, and so on.
 * A host without a block gets any free one, ahead of hosts that have some. If none is free,
 * connections of a host that has several must release theirs after STREAM_PRESSURE_NS. So with N
 * blocks (8, and one for each thread) a host without a block gets one:
 *
 *   - at once, while three other hosts have all that they can get;
 *   - within STREAM_PRESSURE_NS and the time between two scans of the connections (stream_loop.c),
 *     while fewer than N hosts have blocks, because one of them has several;
 *   - else when a host's connection has been slow for longer than the size of its frame allows
 *     (STREAM_PRESSURE_SIZE).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_blocks;

/* One host's use of the blocks. All zero at first; only stream_blocks.c changes it. */
struct stream_share {
    size_t blocks;  /* that its connections have */
    size_t waiting; /* connections that wait for a block */
};

/* `count` (≥ 1) blocks of `size` bytes. Returns NULL if out of memory. */
struct stream_blocks *stream_blocks_create(size_t count, size_t size);
void stream_blocks_destroy(struct stream_blocks *blocks); /* NULL is allowed */

/*
 * Returns a block, or NULL if none is free, the host has its share, or others come first. After
 * NULL the connection waits: *waits, false at first, is set, and the caller tries again later.
 * Connections that wait come before others of the same host.
 */
uint8_t *stream_blocks_acquire(struct stream_blocks *blocks, struct stream_share *share,
                               bool *waits);

/* Ends the connection's wait, if it waits. */
void stream_blocks_stop_waiting(struct stream_blocks *blocks, struct stream_share *share,
                                bool *waits);

/* The same for a connection that can do without a block: it never waits. */
uint8_t *stream_blocks_try(struct stream_blocks *blocks, struct stream_share *share);

/*
 * Acquires a block for a connection that has one of other blocks. Returns NULL only if none is
 * free.
 */
uint8_t *stream_blocks_move(struct stream_blocks *blocks, struct stream_share *share);

/*
 * Moves a connection, which has a block (`holds`) or waits for one, from one host's share to
 * another's.
 */
void stream_blocks_transfer(struct stream_blocks *blocks, struct stream_share *from,
                            struct stream_share *to, bool holds, bool waits);

/* Takes the block back; NULL is allowed. */
void stream_blocks_release(struct stream_blocks *blocks, struct stream_share *share,
                           uint8_t *block);

/* Whether some connection should release its block. */
bool stream_blocks_are_short(struct stream_blocks *blocks);

/* Whether connections of the host should release their blocks. */
enum stream_blocks_demand {
    STREAM_BLOCKS_ENOUGH,
    STREAM_BLOCKS_WANTED,       /* if they are slow for the size of their frames */
    STREAM_BLOCKS_WANTED_FIRST, /* in any case: the host has several, and another host waits for a
                                   first one */
};
enum stream_blocks_demand stream_blocks_demand(struct stream_blocks *blocks,
                                               const struct stream_share *share);

/* Bytes that stream_blocks_create allocates. */
size_t stream_blocks_memory(size_t count, size_t size);

#endif
