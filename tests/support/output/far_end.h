/*
 * A far end for a sink that delivers, within the test: what becomes of a block is the test's to
 * say. There is one; all of it is the sink's thread's, until that has ended.
 */
#ifndef SLUICE_TESTS_SUPPORT_OUTPUT_FAR_END_H
#define SLUICE_TESTS_SUPPORT_OUTPUT_FAR_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/destination.h"

#define FAR_END_MOST 64 /* blocks that wait for their answer to be taken, or for an answer */
#define FAR_END_ROOM ((size_t)100000)

struct far_end {
    struct destination destination;
    struct wakeup *wakeup;
    struct delivery_block *answered[FAR_END_MOST]; /* a ring */
    size_t answered_count, taken;                  /* since it was opened */
    struct delivery_block *silent[FAR_END_MOST];   /* have no answer until they are abandoned */
    size_t silent_count;
    char got[FAR_END_ROOM]; /* bytes of the first blocks that were acknowledged */
    size_t used;
};
extern struct far_end far_end;

/* As before the first destination was opened: no block has arrived. */
void far_end_clear(void);

/* Answers the block with this outcome; if it is acknowledged, the far end has its bytes. */
void far_end_answer(struct delivery_block *block, enum delivery_outcome fate,
                    enum delivery_reason reason);

/* The same where the answer is in it already. */
void far_end_note_answer(struct delivery_block *block);

/* It has none, until it is abandoned: then it is unknown. */
void far_end_keep_silent(struct delivery_block *block);

/* For struct delivery_ops; `take` is the test's own. */
struct delivery_block *far_end_take_answer(struct destination *destination, struct error *error,
                                           int64_t *retry_after_ns);
void far_end_abandon(struct destination *destination);

/* For struct destination_ops: a destination with these operations. */
int far_end_open(const struct destination_options *options, const struct delivery_ops *ops,
                 struct destination **out);

#endif
