#include "collector/pipeline/pipeline_events.h"

#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/wakeup.h"

static void refreshed(void *context)
{
    struct pipeline *pipeline = context;
    wakeup_signal(pipeline->refreshed);
}

static void events_notify(const struct pipeline *pipeline)
{
    if (pipeline->options.notify != NULL)
        pipeline->options.notify(pipeline->options.notify_context);
}

void pipeline_pool_low(void *context)
{
    events_notify(context);
}

/*
 * Wakes the main loop, and also the thread that waits for `refreshed`: if the receiver whose answer
 * it waits for has finished, no answer will come.
 */
void pipeline_changed(void *context)
{
    refreshed(context);
    events_notify(context);
}

void pipeline_socket_failed(void *context)
{
    struct pipeline *pipeline = context;
    atomic_store(&pipeline->failed, true);
    pipeline_changed(pipeline);
}

void pipeline_count_received(void *context, size_t datagrams)
{
    struct pipeline *pipeline = context;
    uint64_t total = atomic_fetch_add(&pipeline->received, datagrams) + datagrams;
    if (total < pipeline->max_datagrams || atomic_exchange(&pipeline->limit_reached, true))
        return;
    /* Stops only captures here. The main thread stops the receivers when it sees the new state. */
    for (size_t i = pipeline->receiver_count; i < pipeline->fixed_count; i++)
        pipeline->producers[i].ops->stop(pipeline->producers[i].object, INT64_MAX);
    pipeline_changed(pipeline);
}
