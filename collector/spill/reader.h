/*
 * The reading end of a spill: where it is, and which blocks were read and not acknowledged. It
 * settles each position once: as acknowledged, as evicted, or as lost. One thread.
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

/* A block that was read and not acknowledged. */
struct unsettled {
    uint64_t from;     /* what was settled or read before it ends here; the rest up to */
    uint64_t position; /* its own first record is lost, if there is any */
    uint64_t end;
    bool evicted; /* its segment is gone: it cannot be read again */
};

struct reader {
    uint64_t spill;    /* whose blocks count */
    uint64_t position; /* after the last record that was read, lost or evicted */
    uint64_t number;   /* of the segment that it is in */
    bool is_open;      /* the segment's file */
    /* How often reading a head, or the label or the image after it, has failed since that last
     * worked. */
    unsigned head_failures, label_failures, image_failures;
    struct segment_walk walk;

    struct unsettled *ring;
    size_t window;
    size_t start;
    size_t count;

    uint64_t acknowledged;
    uint64_t evicted;
    uint64_t lost;

    uint64_t warned; /* the log has what is missing below this position */
    unsigned warnings;
    struct log_limit log;
};

/* Begins at a position, with room for `window` blocks. Returns 0, or -1 with `error` filled. */
int reader_init(struct reader *reader, uint64_t spill, uint64_t position, size_t window,
                struct error *error);
void reader_free(struct reader *reader);

/* Another window; nothing may be unsettled. Returns 0, or -1 with `error` filled. */
int reader_resize(struct reader *reader, size_t window, struct error *error);

/* As spill_read; *head is the block's. */
enum spill_found reader_next(struct reader *reader, struct segments *segments, void *bytes,
                             size_t size, struct block_head *head, struct error *error);

/*
 * The block from here to `end` is unsettled as if it had been read. All before it was read, lost or
 * evicted, and the window has room.
 */
void reader_pass(struct reader *reader, uint64_t end);

/* Whether the window has room for one more. */
bool reader_has_room(const struct reader *reader);

/* Of the unsettled block at a place, 0 is the oldest: its end, and whether it is still on disk. */
uint64_t reader_end_of(const struct reader *reader, size_t place);
bool reader_holds(const struct reader *reader, size_t place);

/* The oldest unsettled block, of which there is one, is acknowledged. */
void reader_acknowledge(struct reader *reader);

/* Goes back to the oldest unsettled block that can still be read. */
void reader_rewind(struct reader *reader, const struct segments *segments);

/* Below it all is settled. */
uint64_t reader_settled(const struct reader *reader);

/* Before the file of a segment is removed: closes it where it is open here. */
void reader_leave(struct reader *reader, uint64_t number);

/* After the first one was removed without having been read to its end, which was `end`. Returns the
 * records that were lost by that. */
uint64_t reader_evict(struct reader *reader, uint64_t end);

#endif
