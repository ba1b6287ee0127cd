/*
 * Implements a destination inside the test, for sinks that wait for acknowledgements. The test
 * decides the outcome of each block. There is only one far end. Until the sink's thread has ended,
 * only that thread uses it.
 */
#ifndef SLUICE_TESTS_SUPPORT_OUTPUT_FAR_END_H
#define SLUICE_TESTS_SUPPORT_OUTPUT_FAR_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/destination.h"

/* The most blocks without an answer, and the most answers that the sink has not taken yet. */
#define FAR_END_MOST 64
#define FAR_END_ROOM ((size_t)100000)

struct far_end {
    struct destination destination;
    struct wakeup *wakeup;
    struct delivery_block *answered[FAR_END_MOST]; /* a ring */
    size_t answered_count, taken;                  /* counted since the destination was opened */
    /* The blocks without an answer that the sink has not abandoned. */
    struct delivery_block *silent[FAR_END_MOST];
    size_t silent_count;
    char got[FAR_END_ROOM]; /* bytes of the acknowledged blocks, up to FAR_END_ROOM */
    size_t used;
};
extern struct far_end far_end;

/* Resets the far end: it forgets all blocks. */
void far_end_clear(void);

/*
 * Answers the block with this outcome. If the block is acknowledged, its bytes are added to `got`.
 */
void far_end_answer(struct delivery_block *block, enum delivery_outcome fate,
                    enum delivery_reason reason);

/* The same as far_end_answer, for a block whose records already contain the answer. */
void far_end_note_answer(struct delivery_block *block);

/* Leaves the block without an answer. When the sink abandons it, its outcome is unknown. */
void far_end_keep_silent(struct delivery_block *block);

/* For struct delivery_ops. The test implements the operation `take` itself. */
struct delivery_block *far_end_take_answer(struct destination *destination, struct error *error,
                                           int64_t *retry_after_ns);
void far_end_abandon(struct destination *destination);

/* For struct destination_ops: opens a destination with these operations. */
int far_end_open(const struct destination_options *options, const struct delivery_ops *ops,
                 struct destination **out);

#endif
