#include "collector/pipeline/pipeline_quiesce.h"

#include "collector/base/rule.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"

bool pipeline_wait_for_change(struct pipeline *pipeline, int64_t give_up_ns)
{
    int64_t left_ms = (give_up_ns - clock_monotonic_ns()) / 1000000;
    if (left_ms <= 0)
        return false;
    wakeup_wait(pipeline->refreshed, NO_HANDLE, false, (int)left_ms);
    return true;
}

/*
 * Checks the producers from `first` up to `end` (excluded) that can pause. Returns true if all of
 * them are awake (with `awake`) or paused (without).
 */
static bool all_are(const struct pipeline *pipeline, size_t first, size_t end, bool awake)
{
    for (size_t i = first; i < end; i++) {
        const struct producer *producer = &pipeline->producers[i];
        const struct producer_ops *ops = producer->ops;
        if (pipeline_pauses(producer) &&
            !(awake ? ops->is_awake : ops->is_quiescent)(producer->object))
            return false;
    }
    return true;
}

static bool await(struct pipeline *pipeline, size_t first, size_t end, bool awake)
{
    int64_t give_up = clock_monotonic_ns() + QUIESCE_WAIT_NS;
    while (!all_are(pipeline, first, end, awake))
        if (!pipeline_wait_for_change(pipeline, give_up))
            return false;
    return true;
}

/*
 * Waits for the receivers, and after that for the other producers, each time for at most
 * QUIESCE_WAIT_NS.
 */
static bool await_all(struct pipeline *pipeline, bool awake)
{
    return await(pipeline, 0, pipeline->receiver_count, awake) &&
           await(pipeline, pipeline->receiver_count, pipeline->producer_count, awake);
}

void pipeline_resume(struct pipeline *pipeline)
{
    pipeline->quiesced = false;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (pipeline_pauses(&pipeline->producers[i]))
            pipeline->producers[i].ops->resume(pipeline->producers[i].object);
}

bool pipeline_quiesce(struct pipeline *pipeline)
{
    RULE(!pipeline->quiesced, "a pause ends before the next one begins");
    if (!await_all(pipeline, true))
        return false;
    for (size_t i = 0; i < pipeline->producer_count; i++)
        if (pipeline_pauses(&pipeline->producers[i]))
            pipeline->producers[i].ops->ask_to_quiesce(pipeline->producers[i].object);
    pipeline->quiesced = await_all(pipeline, false);
    if (!pipeline->quiesced)
        pipeline_resume(pipeline);
    return pipeline->quiesced;
}
