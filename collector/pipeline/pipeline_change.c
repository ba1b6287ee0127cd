#include "collector/pipeline/pipeline_change.h"

#include <stdlib.h>
#include <string.h>

#include "collector/config/option_table.h"
#include "collector/pipeline/pipeline_check.h"
#include "collector/pipeline/pipeline_parts.h"

/* --- listeners -------------------------------------------------------------------------------- */

bool pipeline_is_kept(const size_t *list, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == index)
            return true;
    return false;
}

static int change_refuse(struct error *error, const struct listener_config *listener,
                         const char *why)
{
    error_set(error, EXIT_CODE_CONFIG, "%s: %s", listener->name, why);
    error_place(error, listener->written_at);
    return -1;
}

/*
 * Returns true while captures are read. Sinks cannot be changed during that time, because they end
 * when the captures end.
 */
static bool captures_are_read(const struct pipeline *pipeline)
{
    return pipeline->fixed_count > pipeline->receiver_count;
}

static int check_keys(const struct listener_config *from, const struct listener_config *to,
                      struct error *error)
{
    const struct source_ops *source = to->source;
    if (source->no_change != NULL)
        return strcmp(from->url, to->url) == 0 ? 0 : change_refuse(error, to, source->no_change);
    const char *key = source->fixed_key(from, to);
    if (key == NULL)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "%s: %s= can only be changed by a restart", to->name, key);
    error_place(error, to->written_at);
    return -1;
}

static int match_listener(const struct pipeline *pipeline, const struct config *to, size_t index,
                          size_t *matched, struct error *error)
{
    const struct config *from = pipeline->config;
    const struct listener_config *listener = &to->listeners[index];
    matched[index] = PIPELINE_NEW;
    for (size_t i = 0; i < from->listener_count && matched[index] == PIPELINE_NEW; i++)
        if (strcmp(from->listeners[i].name, listener->name) == 0 &&
            !pipeline_is_kept(matched, index, i))
            matched[index] = i;
    const struct source_ops *source = listener->source;
    if (matched[index] != PIPELINE_NEW)
        return check_keys(&from->listeners[matched[index]], listener, error);
    if (source->no_arrival != NULL)
        return change_refuse(error, listener, source->no_arrival);
    if (source->producer != NULL)
        return captures_are_read(pipeline)
                   ? change_refuse(error, listener,
                                   "cannot be added while captures are read; restart")
                   : 0;
    size_t threads = pipeline->receiver_count * pipeline->receiver_threads;
    if (threads == 0)
        return change_refuse(error, listener,
                             "cannot be added: no udp listener was configured at start; restart");
    if (listener->receivers > threads)
        return change_refuse(error, listener,
                             "receivers= is more than the threads that were started; restart");
    return 0;
}

static int match_listeners(const struct pipeline *pipeline, const struct config *to,
                           size_t *matched, struct error *error)
{
    const struct config *from = pipeline->config;
    for (size_t i = 0; i < to->listener_count; i++)
        if (match_listener(pipeline, to, i, matched, error) != 0)
            return -1;
    for (size_t i = 0; i < from->listener_count; i++)
        if (from->listeners[i].source->no_departure != NULL &&
            !pipeline_is_kept(matched, to->listener_count, i))
            return change_refuse(error, &from->listeners[i],
                                 from->listeners[i].source->no_departure);
    return 0;
}

/* --- sinks ------------------------------------------------------------------------------------ */

/*
 * Compares URLs, names and limits of series. The limits are compared separately, because their
 * defaults come from options. The names are compared because a name can change while the URL stays
 * the same: when one of two commands of the same program is removed, the other one may get another
 * name.
 */
static bool is_same_sink(const struct sink_config *a, const struct sink_config *b)
{
    const struct series_limits *before = &a->settings.encoding.limits;
    const struct series_limits *after = &b->settings.encoding.limits;
    return strcmp(a->url, b->url) == 0 && strcmp(a->name, b->name) == 0 &&
           before->max_series == after->max_series &&
           before->max_per_sender == after->max_per_sender;
}

/*
 * Finds the same sinks in both configurations. If the longest message of the new configuration is
 * longer, no sink matches, because the buffers of the present sinks are too small.
 */
static int match_sinks(const struct pipeline *pipeline, const struct config *to,
                       struct change *change, struct error *error)
{
    const struct config *from = pipeline->config;
    size_t same = 0;
    bool longer = pipeline_large_batch(to) > pipeline_large_batch(from);
    for (size_t i = 0; i < to->sink_count; i++) {
        change->sinks[i] = PIPELINE_NEW;
        for (size_t k = 0; k < from->sink_count; k++)
            if (!longer && is_same_sink(&from->sinks[k], &to->sinks[i]))
                change->sinks[i] = k;
        same += change->sinks[i] != PIPELINE_NEW;
    }
    change->same_sinks = same == from->sink_count && same == to->sink_count;
    if (change->same_sinks)
        return 0;
    bool captures = captures_are_read(pipeline);
    if (!captures && to->threads != THREADS_ONE)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "%s, %s by a restart",
              captures ? "while captures are read" : "with --threads 1",
              longer ? "max_frame= and max_decoded= can only be raised"
                     : "sinks can only be changed");
    return -1;
}

int pipeline_compare(const struct pipeline *pipeline, const struct config *to,
                     struct change *change, struct error *error)
{
    const struct option *option = option_fixed_change(pipeline->config, to);
    *change = (struct change){0};
    if (option != NULL) {
        error_set(error, EXIT_CODE_CONFIG, "--%s can only be changed by a restart",
                  option->setting.name);
        return -1;
    }
    change->listeners = calloc(to->listener_count, sizeof *change->listeners);
    change->sinks = calloc(to->sink_count, sizeof *change->sinks);
    error_no_memory(error);
    if (change->listeners != NULL && change->sinks != NULL &&
        match_listeners(pipeline, to, change->listeners, error) == 0 &&
        match_sinks(pipeline, to, change, error) == 0)
        return 0;
    pipeline_change_clear(change);
    return -1;
}

void pipeline_change_clear(struct change *change)
{
    free(change->listeners);
    free(change->sinks);
    *change = (struct change){0};
}
