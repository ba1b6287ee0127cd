/*
 * A far end within the test, for a sink that delivers: the test decides the outcome of each block.
 * There is only one far end. Only the sink's thread uses it until this thread has ended.
 */
#ifndef SLUICE_TESTS_SUPPORT_OUTPUT_FAR_END_H
#define SLUICE_TESTS_SUPPORT_OUTPUT_FAR_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/destination.h"

#define FAR_END_MOST 64 /* most blocks without an answer, and most answers that were not taken */
#define FAR_END_ROOM ((size_t)100000)

struct far_end {
    struct destination destination;
    struct wakeup *wakeup;
    struct delivery_block *answered[FAR_END_MOST]; /* a ring */
    size_t answered_count, taken;                  /* since the destination was opened */
    struct delivery_block *silent[FAR_END_MOST];   /* blocks without an answer until they are
                                                      abandoned */
    size_t silent_count;
    char got[FAR_END_ROOM]; /* bytes of the acknowledged blocks, up to FAR_END_ROOM */
    size_t used;
};
extern struct far_end far_end;

/* Forgets all blocks, as before the first destination was opened. */
void far_end_clear(void);

/* Answers the block with this outcome; if it is acknowledged, the far end has its bytes. */
void far_end_answer(struct delivery_block *block, enum delivery_outcome fate,
                    enum delivery_reason reason);

/* As far_end_answer, for a block that already contains the answer. */
void far_end_note_answer(struct delivery_block *block);

/* Gives the block no answer. When it is abandoned its outcome is unknown. */
void far_end_keep_silent(struct delivery_block *block);

/* For struct delivery_ops. Its operation `take` is the test's own. */
struct delivery_block *far_end_take_answer(struct destination *destination, struct error *error,
                                           int64_t *retry_after_ns);
void far_end_abandon(struct destination *destination);

/* For struct destination_ops: a destination with these operations. */
int far_end_open(const struct destination_options *options, const struct delivery_ops *ops,
                 struct destination **out);

#endif
