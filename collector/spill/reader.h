/*
 * The reading end of a spill: its position, and the blocks that were read and are not acknowledged
 * yet. Each record is counted once: as acknowledged, evicted or lost. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_READER_H
#define SLUICE_COLLECTOR_SPILL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/log/log.h"
#include "collector/spill/segments.h"
#include "collector/spill/spill.h"

/* A block that was read. It stays in the ring until it and all earlier blocks are acknowledged. */
struct read_block {
    uint64_t from;     /* the end of the previous block */
    uint64_t position; /* position of its first record; the records from `from` up to it are
                        * missing */
    uint64_t end;
    bool evicted; /* its segment was removed: the block cannot be read again */
    bool acknowledged;
};

struct reader {
    uint64_t spill;    /* only blocks of this spill count */
    uint64_t position; /* the position after the last record that was read, lost or evicted */
    uint64_t number;   /* the number of the segment that is read */
    bool is_open;      /* the segment's file is open */
    struct segment_walk walk;

    struct read_block *ring;
    size_t window;
    size_t start;
    size_t count;

    uint64_t acknowledged;
    uint64_t evicted;
    uint64_t lost;

    uint64_t warned; /* gaps below this position have been logged */
    unsigned warnings;
    struct log_limit log;
};

/* Begins at a position, with a ring for `window` blocks. Returns 0, or -1 with `error` filled. */
int reader_init(struct reader *reader, uint64_t spill, uint64_t position, size_t window,
                struct error *error);
void reader_free(struct reader *reader);

/* Changes the window; the ring must be empty. Returns 0, or -1 with `error` filled. */
int reader_resize(struct reader *reader, size_t window, struct error *error);

/* Implements spill_read; *head becomes the head of the block. */
enum spill_found reader_next(struct reader *reader, struct segments *segments, void *bytes,
                             size_t size, struct block_head *head, struct error *error);

/*
 * Adds the block from the reader's position to `end` to the ring as if it had been read. All
 * earlier records must have been read, lost or evicted, and the ring must have room.
 */
void reader_pass(struct reader *reader, uint64_t end);

/* Returns the number of blocks that the ring has room for. */
size_t reader_room(const struct reader *reader);

/* Returns the block of the ring that begins at this position; the ring must have it. */
struct read_block *reader_find(const struct reader *reader, uint64_t position);

/* Acknowledges the block that begins at this position, once. */
void reader_acknowledge(struct reader *reader, uint64_t position);

/* Returns the end of the last acknowledged block that follows an unacknowledged one, or 0. */
uint64_t reader_acknowledged_end(const struct reader *reader);

/*
 * Empties the ring, and moves the reader back to the oldest unacknowledged block that is still on
 * disk.
 */
void reader_rewind(struct reader *reader, const struct segments *segments);

/*
 * Returns how many records from position `first` to `end` were found missing, but are not counted
 * as lost yet, because a block after them is not acknowledged.
 */
uint64_t reader_missing(const struct reader *reader, uint64_t first, uint64_t end);

/* Returns the position below which all records are acknowledged, evicted or lost. */
uint64_t reader_completed(const struct reader *reader);

/* Closes the segment's file if the reader has it open. Call this before the file is removed. */
void reader_leave(struct reader *reader, uint64_t number);

/*
 * Called after the first segment was removed; `end` is its end. Returns the number of evicted
 * records: those that were not read.
 */
uint64_t reader_evict(struct reader *reader, uint64_t end);

#endif
