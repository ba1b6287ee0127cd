#include <stdlib.h>

#include "collector/log/log.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/thread.h"
#include "collector/senders/rate_limit.h"

/* How long a destination is left alone that could not be opened. */
#define TRY_AGAIN_NS INT64_C(1000000000)

void pipeline_retire_outlet(struct pipeline *pipeline, struct outlet *outlet, int64_t deadline_ns)
{
    outlet->next = pipeline->retired;
    pipeline->retired = outlet;
    for (size_t i = 0; i < outlet->way_count; i++)
        batch_queue_close(outlet->ways[i].queue);
    ledger_retire_sink(pipeline->ledger, outlet->index);
    outlet->deadline_ns = deadline_ns;
    sink_thread_stop(outlet->sink, deadline_ns);
    sink_thread_notify(outlet->sink);
}

/* --- what has come to its end ----------------------------------------------------------------- */

/* Those that retired sinks held were there besides. */
void pipeline_give_back_batches(struct pipeline *pipeline)
{
    if (pipeline->retired == NULL)
        batch_pool_resize(pipeline->pool, pipeline->plan.small_batches,
                          pipeline->plan.large_batches);
}

static void free_finished(struct pipeline *pipeline)
{
    for (struct outlet **link = &pipeline->retired; *link != NULL;) {
        struct outlet *outlet = *link;
        if (!sink_thread_has_finished(outlet->sink)) {
            link = &outlet->next;
            continue;
        }
        *link = outlet->next;
        sink_thread_join(outlet->sink);
        if (outlet->generation != NULL)
            outlet->generation->outlets--;
        pipeline_destroy_outlet(outlet);
        pipeline_give_back_batches(pipeline);
    }
}

static bool sockets_are_leaving(const struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        if (receiver_has_leaving(pipeline->producers[i].receiver))
            return true;
    return false;
}

/* What listeners that are gone held. */
static void clear_sources(struct pipeline *pipeline)
{
    if (sockets_are_leaving(pipeline))
        return;
    for (size_t i = 0; i < pipeline->known_count; i++) {
        struct source *source = pipeline->known[i];
        if (!source->leaving)
            continue;
        source->leaving = false;
        pipeline_put_schemas(pipeline, source, NULL);
        rate_limit_destroy(source->rate_limit);
        source->rate_limit = NULL;
        source->listener.rate_limit = NULL;
    }
    pipeline_close_windows(pipeline);
}

/* Sockets that leave still look into the configuration that they are of. */
void pipeline_free_generations(struct pipeline *pipeline, bool all)
{
    if (!all && sockets_are_leaving(pipeline))
        return;
    for (struct generation **link = &pipeline->generations; *link != NULL;) {
        struct generation *generation = *link;
        if (!all && (generation->outlets != 0 || generation->config == pipeline->config)) {
            link = &generation->next;
            continue;
        }
        *link = generation->next;
        config_free(generation->config);
        free(generation->config);
        free(generation);
    }
}

/* --- what has waited for that ----------------------------------------------------------------- */

/* One that was retired before it writes there still: `before` is the last of those. */
static bool is_in_the_way(const struct outlet *before, const struct outlet *outlet)
{
    for (; before != NULL; before = before->next)
        if (sink_configs_conflict(before->config, outlet->config))
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

/* When its time is over: of a retired one that of its retirement, or of the stop. */
static int64_t deadline_of(const struct pipeline *pipeline, const struct outlet *outlet)
{
    int64_t deadline = outlet->deadline_ns != 0 ? outlet->deadline_ns : INT64_MAX;
    return pipeline->stopping && pipeline->deadline_ns < deadline ? pipeline->deadline_ns
                                                                  : deadline;
}

/*
 * What it cannot write where it should stays in its queues, until they are full, or until its time
 * is over and they are closed. Returns whether it was given up.
 */
static bool try_to_open(struct pipeline *pipeline, struct outlet *outlet, bool closed, int64_t now)
{
    struct error error;
    if (sink_thread_open(outlet->sink, &error) == 0 &&
        sink_thread_start(outlet->sink, &error) == 0) {
        outlet->opened = true;
        return false;
    }
    if (outlet->try_ns == 0)
        log_about(LOG_ERROR, LOG_OF_SINK, outlet->config->name, "%s; trying again", error.text);
    outlet->try_ns = now + TRY_AGAIN_NS;
    bool over = closed && now >= deadline_of(pipeline, outlet);
    if (over)
        sink_thread_give_up(outlet->sink);
    return over;
}

static bool waits(const struct outlet *outlet)
{
    return !outlet->opened && !sink_thread_has_finished(outlet->sink);
}

static bool is_to_be_tried(const struct pipeline *pipeline, const struct outlet *outlet,
                           const struct outlet *before, int64_t now)
{
    return waits(outlet) && (now >= outlet->try_ns || now >= deadline_of(pipeline, outlet)) &&
           !is_in_the_way(before, outlet);
}

/* Returns whether one was given up, so that what waited for it may be opened. */
static bool open_waiting(struct pipeline *pipeline)
{
    int64_t now = clock_monotonic_ns();
    bool gave_up = false;
    for (struct outlet *outlet = pipeline->retired; outlet != NULL; outlet = outlet->next)
        if (is_to_be_tried(pipeline, outlet, outlet->next, now))
            gave_up |= try_to_open(pipeline, outlet, true, now);
    for (size_t i = 0; i < pipeline->config->sink_count; i++)
        if (is_to_be_tried(pipeline, pipeline->outlets[i], pipeline->retired, now))
            gave_up |=
                try_to_open(pipeline, pipeline->outlets[i], producers_have_finished(pipeline), now);
    return gave_up;
}

/* A live one is tried again in its time, however late it is: its receivers have to end first. */
static int64_t due_of(const struct pipeline *pipeline, const struct outlet *outlet)
{
    if (!waits(outlet) || outlet->try_ns == 0)
        return INT64_MAX;
    int64_t deadline = deadline_of(pipeline, outlet);
    bool first = deadline < outlet->try_ns && deadline > clock_monotonic_ns();
    return first ? deadline : outlet->try_ns;
}

int64_t pipeline_due_ns(const struct pipeline *pipeline)
{
    int64_t due = INT64_MAX;
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        int64_t next = due_of(pipeline, pipeline->outlets[i]);
        due = next < due ? next : due;
    }
    for (const struct outlet *outlet = pipeline->retired; outlet != NULL; outlet = outlet->next) {
        int64_t next = due_of(pipeline, outlet);
        due = next < due ? next : due;
    }
    return due;
}

/* --- all of it -------------------------------------------------------------------------------- */

void pipeline_look_after(struct pipeline *pipeline)
{
    do
        free_finished(pipeline);
    while (open_waiting(pipeline));
    clear_sources(pipeline);
    pipeline_free_generations(pipeline, false);
}

bool pipeline_has_settled(const struct pipeline *pipeline)
{
    return pipeline->retired == NULL && !sockets_are_leaving(pipeline);
}
