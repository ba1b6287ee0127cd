#include "tests/support/output/far_end.h"

#include <string.h>

#include "collector/platform/wakeup.h"
#include "tests/support/test.h"

struct far_end far_end;

void far_end_clear(void)
{
    memset(&far_end, 0, sizeof far_end);
}

void far_end_note_answer(struct delivery_block *block)
{
    assert_true(far_end.answered_count - far_end.taken < FAR_END_MOST);
    far_end.answered[far_end.answered_count++ % FAR_END_MOST] = block;
    wakeup_signal(far_end.wakeup);
}

void far_end_answer(struct delivery_block *block, enum delivery_outcome fate,
                    enum delivery_reason reason)
{
    block->outcome = (uint8_t)fate;
    block->reason = (uint8_t)reason;
    if (fate == DELIVERY_ACKNOWLEDGED && far_end.used + block->size < FAR_END_ROOM) {
        memcpy(far_end.got + far_end.used, block->bytes, block->size);
        far_end.used += block->size;
    }
    far_end_note_answer(block);
}

void far_end_keep_silent(struct delivery_block *block)
{
    assert_true(far_end.silent_count < FAR_END_MOST);
    far_end.silent[far_end.silent_count++] = block;
}

struct delivery_block *far_end_take_answer(struct destination *destination, struct error *error,
                                           int64_t *retry_after_ns)
{
    (void)destination;
    if (far_end.taken == far_end.answered_count)
        return NULL;
    *retry_after_ns = 0;
    error_set(error, EXIT_CODE_IO, "the far end says no");
    return far_end.answered[far_end.taken++ % FAR_END_MOST];
}

void far_end_abandon(struct destination *destination)
{
    (void)destination;
    for (size_t i = 0; i < far_end.silent_count; i++)
        far_end_answer(far_end.silent[i], DELIVERY_UNKNOWN, DELIVERY_REJECTED);
    far_end.silent_count = 0;
}

static void destroy(struct destination *destination)
{
    (void)destination;
}

int far_end_open(const struct destination_options *options, const struct delivery_ops *ops,
                 struct destination **out)
{
    far_end.wakeup = options->wakeup;
    far_end.destination = (struct destination){.delivery = ops, .destroy = destroy};
    *out = &far_end.destination;
    return 0;
}
