/*
 * A few large blocks of memory for frames that have not come in whole, shared by the connections of
 * a listener. All memory is taken at creation; any thread.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_blocks;

/* `count` (≥ 1) blocks of `size` bytes. Returns NULL where memory is short. */
struct stream_blocks *stream_blocks_create(size_t count, size_t size);
void stream_blocks_destroy(struct stream_blocks *blocks); /* NULL is allowed */

/*
 * A block, or NULL: all are in use, or others wait for one. Then the caller waits, in *waits, which
 * was false at first, and asks again: who waits comes before who does not.
 */
uint8_t *stream_blocks_take(struct stream_blocks *blocks, bool *waits);

/* It does not wait any more, if it did. */
void stream_blocks_stop_waiting(struct stream_blocks *blocks, bool *waits);

/* The same of who does not need it: NULL also where others wait. */
uint8_t *stream_blocks_take_spare(struct stream_blocks *blocks);

void stream_blocks_give(struct stream_blocks *blocks, uint8_t *block); /* NULL is allowed */

/* Whether somebody waits for a block, and all are in use. */
bool stream_blocks_are_short(struct stream_blocks *blocks);

/* Bytes that stream_blocks_create allocates. */
size_t stream_blocks_memory(size_t count, size_t size);

#endif
