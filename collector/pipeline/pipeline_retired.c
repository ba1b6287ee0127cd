#include "collector/pipeline/pipeline_retired.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_left_spills.h"
#include "collector/pipeline/pipeline_numbering.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/pipeline/pipeline_paths.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/pipeline/pipeline_room.h"
#include "collector/pipeline/pipeline_sinks.h"
#include "collector/platform/clock.h"
#include "collector/queue/batch_queue.h"
#include "collector/receive/dtls_source.h"
#include "collector/receive/receiver.h"
#include "collector/record/batch.h"
#include "collector/senders/rate_limit.h"
#include "collector/senders/sender_keys.h"

/* Interval in nanoseconds between two checks of the multicast groups. */
#define GROUPS_NS INT64_C(500000000)

/* Time in nanoseconds between two attempts to open a destination. */
#define TRY_AGAIN_NS INT64_C(1000000000)

void pipeline_retire_sink(struct pipeline *pipeline, struct sink_slot *slot, int64_t deadline_ns)
{
    RULE(slot->deadline_ns == 0, "a sink is retired once");
    slot->next = pipeline->retired;
    pipeline->retired = slot;
    for (size_t i = 0; i < slot->route_count; i++)
        batch_queue_close(slot->routes[i].queue);
    ledger_retire_sink(pipeline->ledger, slot->index);
    if (slot->config->settings.delivery.spill != NULL)
        ledger_reserve_sink(pipeline->ledger, slot->index, true);
    slot->deadline_ns = deadline_ns;
    sink_thread_stop(slot->sink, deadline_ns);
    sink_thread_notify(slot->sink);
}

bool pipeline_waits_for_spill(const struct sink_slot *slot, const struct sink_slot *before)
{
    return slot != before && !slot->opened &&
           sink_configs_share_spill(slot->config, before->config);
}

/* --- removing parts that have ended ----------------------------------------------------------- */

/*
 * Returns the sink that takes over the spill of the retired sink `before`. If several sinks wait
 * for the spill, returns the one that has waited longest.
 */
static struct sink_slot *spill_next(const struct pipeline *pipeline, const struct sink_slot *before)
{
    struct sink_slot *next = NULL;
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (pipeline_waits_for_spill(pipeline->slots[i], before))
            next = pipeline->slots[i];
    for (struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        if (pipeline_waits_for_spill(slot, before))
            next = slot;
    return next;
}

/*
 * Passes the spill of a finished sink to the sink that uses it next. If both have the same ledger
 * entry, the number of records in the spill moves to the next sink's counters. Otherwise the
 * finished sink's counters keep it. Returns false if no sink uses the spill next.
 */
static bool hand_spill_over(struct pipeline *pipeline, const struct sink_slot *before)
{
    const struct sink_slot *next = spill_next(pipeline, before);
    if (next == NULL)
        return false;
    RULE(!next->opened, "a spill is handed to a sink that waits for it");
    sink_thread_hand_spill_over(before->sink, next->sink);
    if (next->index != before->index)
        return true;
    uint64_t spilled = counter_read(&before->counters->spilled);
    counter_set(&before->counters->spilled, 0);
    counter_add(&next->counters->spilled, spilled);
    return true;
}

/*
 * Called for a sink whose spill still has records: keeps its counters, so that the records are
 * still counted as spilled. A later sink with this name and spill finds the counters in the list of
 * left spills. Any other sink with this name gets new counters.
 */
static void keep_spilled(struct pipeline *pipeline, struct sink_slot *slot)
{
    if (counter_read(&slot->counters->spilled) != 0)
        slot->counters = NULL;
    if (slot->config->settings.delivery.spill != NULL)
        ledger_reserve_sink(pipeline->ledger, slot->index,
                            pipeline_left_entry(pipeline, slot->config) == slot->index);
}

static void free_finished(struct pipeline *pipeline)
{
    for (struct sink_slot **link = &pipeline->retired; *link != NULL;) {
        struct sink_slot *slot = *link;
        if (!sink_thread_has_finished(slot->sink)) {
            link = &slot->next;
            continue;
        }
        RULE(slot->deadline_ns != 0, "a sink in the list is retired");
        RULE(slot->generation == NULL || slot->generation->slots != 0,
             "a configuration exists as long as its sinks");
        *link = slot->next;
        sink_thread_join(slot->sink);
        if (!hand_spill_over(pipeline, slot))
            pipeline_leave_spill(pipeline, slot);
        keep_spilled(pipeline, slot);
        if (slot->generation != NULL)
            slot->generation->slots--;
        pipeline_destroy_sink(slot);
    }
}

bool pipeline_sockets_leave(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        if (receiver_has_leaving(pipeline->producers[i].receiver))
            return true;
    return false;
}

bool pipeline_producer_leaves(const struct pipeline *pipeline, const struct source *source)
{
    for (size_t i = pipeline->fixed_count; i < pipeline->producer_count; i++)
        if (pipeline->producers[i].leaving &&
            (source == NULL || pipeline->producers[i].source == source))
            return true;
    return false;
}

static void vacate_finished(struct pipeline *pipeline)
{
    for (size_t i = pipeline->fixed_count; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        RULE(!producer->leaving || pipeline_is_live(producer), "a leaving producer exists");
        if (producer->leaving && producer->ops->has_finished(producer->object))
            pipeline_vacate_producer(pipeline, producer);
    }
}

static void clear_sources(struct pipeline *pipeline)
{
    if (pipeline_sockets_leave(pipeline))
        return;
    for (size_t i = 0; i < pipeline->known_count; i++) {
        struct source *source = pipeline->known[i];
        if (!source->leaving || pipeline_producer_leaves(pipeline, source))
            continue;
        source->leaving = false;
        pipeline_put_schemas(pipeline, source, NULL);
        rate_limit_destroy(source->rate_limit);
        source->rate_limit = NULL;
        source->listener.rate_limit = NULL;
        dtls_source_release(source);
        sender_keys_release(source->keys);
        source->keys = NULL;
        source->listener.keys = NULL;
    }
    pipeline_close_windows(pipeline);
}

/*
 * Without `all`, frees no configuration while a removed listener is ending, because it may still
 * read its configuration.
 */
void pipeline_free_generations(struct pipeline *pipeline, bool all)
{
    if (!all && (pipeline_sockets_leave(pipeline) || pipeline_producer_leaves(pipeline, NULL)))
        return;
    for (struct generation **link = &pipeline->generations; *link != NULL;) {
        struct generation *generation = *link;
        if (!all && (generation->slots != 0 || generation->config == pipeline->config)) {
            link = &generation->next;
            continue;
        }
        *link = generation->next;
        config_free(generation->config);
        free(generation->config);
        free(generation);
    }
}

/* --- opening sinks that have waited ----------------------------------------------------------- */

/*
 * Returns true if `before`, or a sink that was retired earlier than it, still writes to the
 * destination of `slot`.
 */
static bool is_in_the_way(const struct sink_slot *before, const struct sink_slot *slot)
{
    for (; before != NULL; before = before->next)
        if (pipeline_sinks_meet(before->config, slot->config))
            return true;
    return false;
}

static bool producers_have_finished(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        if (!receiver_has_finished(pipeline->producers[i].receiver))
            return false;
    return true;
}

/*
 * Returns the earlier of two deadlines: that of the sink's retirement and that of pipeline_stop.
 * Returns INT64_MAX if there is none.
 */
static int64_t deadline_of(const struct pipeline *pipeline, const struct sink_slot *slot)
{
    int64_t deadline = slot->deadline_ns != 0 ? slot->deadline_ns : INT64_MAX;
    return pipeline->stopping && pipeline->deadline_ns < deadline ? pipeline->deadline_ns
                                                                  : deadline;
}

/*
 * Tries to open a sink; until it is open, records wait in its queues. On failure, gives the sink up
 * and returns true if its queues are closed (`closed`) and its deadline has passed.
 */
static bool try_to_open(struct pipeline *pipeline, struct sink_slot *slot, bool closed, int64_t now)
{
    struct error error;
    RULE(!slot->opened, "a sink is opened once");
    if (sink_thread_open(slot->sink, &error) == 0 && sink_thread_start(slot->sink, &error) == 0) {
        slot->opened = true;
        slot->unopened_ns = 0;
        return false;
    }
    if (slot->unopened_ns == 0)
        slot->unopened_ns = now;
    if (slot->try_ns == 0)
        log_about(LOG_ERROR, LOG_OF_SINK, slot->config->name, "%s; trying again", error.text);
    slot->try_ns = now + TRY_AGAIN_NS;
    bool over = closed && now >= deadline_of(pipeline, slot);
    if (over)
        sink_thread_give_up(slot->sink);
    return over;
}

static bool waits(const struct sink_slot *slot)
{
    return !slot->opened && !sink_thread_has_finished(slot->sink);
}

static bool is_to_be_tried(const struct pipeline *pipeline, const struct sink_slot *slot,
                           const struct sink_slot *before, int64_t now)
{
    return waits(slot) && (now >= slot->try_ns || now >= deadline_of(pipeline, slot)) &&
           !is_in_the_way(before, slot);
}

/*
 * Opens the waiting sinks that are due. Returns true if it gave a sink up. The caller then calls it
 * again, because another sink may have waited for the end of that sink.
 */
static bool open_waiting(struct pipeline *pipeline)
{
    int64_t now = clock_monotonic_ns();
    bool gave_up = false;
    for (struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next)
        if (is_to_be_tried(pipeline, slot, slot->next, now))
            gave_up |= try_to_open(pipeline, slot, true, now);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (is_to_be_tried(pipeline, pipeline->slots[i], pipeline->retired, now))
            gave_up |=
                try_to_open(pipeline, pipeline->slots[i], producers_have_finished(pipeline), now);
    return gave_up;
}

/*
 * Returns when to try to open the sink again: at `try_ns`, or at the sink's deadline if that is
 * earlier. Ignores a deadline that has passed: the sink is then given up as soon as its receivers
 * have ended.
 */
static int64_t due_of(const struct pipeline *pipeline, const struct sink_slot *slot)
{
    if (!waits(slot) || slot->try_ns == 0)
        return INT64_MAX;
    int64_t deadline = deadline_of(pipeline, slot);
    bool first = deadline < slot->try_ns && deadline > clock_monotonic_ns();
    return first ? deadline : slot->try_ns;
}

/* Returns true if a listener has a multicast group, whose interface may disappear and come back. */
static bool has_groups(const struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++)
        if (address_is_multicast(&config->listeners[i].address))
            return true;
    return false;
}

/*
 * Requests a refresh from each receiver when a check of multicast groups is due; a refresh calls
 * udp_socket_keep_group for the receiver's sockets.
 */
static void look_at_groups(struct pipeline *pipeline)
{
    int64_t now = clock_monotonic_ns();
    if (pipeline->stopping || now < pipeline->groups_ns || !has_groups(pipeline->config))
        return;
    pipeline->groups_ns = now + GROUPS_NS;
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        receiver_refresh(pipeline->receivers[i]);
}

int64_t pipeline_due_ns(const struct pipeline *pipeline)
{
    bool groups = !pipeline->stopping && has_groups(pipeline->config);
    int64_t due = groups ? pipeline->groups_ns : INT64_MAX;
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        int64_t next = due_of(pipeline, pipeline->slots[i]);
        due = next < due ? next : due;
    }
    for (const struct sink_slot *slot = pipeline->retired; slot != NULL; slot = slot->next) {
        int64_t next = due_of(pipeline, slot);
        due = next < due ? next : due;
    }
    return due;
}

/* --- the whole round -------------------------------------------------------------------------- */

void pipeline_look_after(struct pipeline *pipeline)
{
    RULE(!pipeline->quiesced, "ended parts are freed while the producers run");
    batch_pool_populate(pipeline->pool);
    look_at_groups(pipeline);
    vacate_finished(pipeline);
    bool shared = pipeline->retired != NULL; /* removed sinks hold batches */
    do
        free_finished(pipeline);
    while (open_waiting(pipeline));
    if (shared)
        pipeline_share_room(pipeline);
    clear_sources(pipeline);
    pipeline_free_generations(pipeline, false);
}

bool pipeline_is_quiescent(const struct pipeline *pipeline)
{
    return pipeline->retired == NULL && !pipeline_sockets_leave(pipeline) &&
           !pipeline_producer_leaves(pipeline, NULL);
}
