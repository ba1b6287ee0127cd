/*
 * Binds and changes the sockets of a reload while the receivers are paused, or undoes the changes.
 */
#include "collector/base/rule.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/pipeline/pipeline_relays.h"
#include "collector/pipeline/pipeline_sources.h"
#include "collector/pipeline/reload.h"

/*
 * Changes the sockets of a source. Returns 0, or -1 with `error` filled; the caller then undoes the
 * change.
 */
static int change_source(struct pipeline *pipeline, struct source *source,
                         const struct listener_config *to, bool keeps_packets, struct error *error)
{
    const struct source_ops *ops = to->source;
    if (ops->no_change != NULL)
        return 0;
    if (ops->producer != NULL)
        return ops->producer->change(pipeline_producer_of(pipeline, source, 0)->object, to, error);
    return ops->change(source, &pipeline->host, to, keeps_packets, error);
}

/* Undoes the last change of a source's sockets, even if the change failed half-way. */
static void undo_source(struct pipeline *pipeline, struct source *source,
                        const struct listener_config *to)
{
    const struct source_ops *ops = to->source;
    if (ops->no_change != NULL)
        return;
    if (ops->producer != NULL)
        ops->producer->undo(pipeline_producer_of(pipeline, source, 0)->object, to);
    else
        ops->undo(source, &pipeline->host, to, pipeline_wants_packets(pipeline->config));
}

/* Undoes the changes to the sockets of the listeners whose index is below `end`. */
static void roll_back_before(struct reload *reload, size_t end)
{
    struct pipeline *pipeline = reload->pipeline;
    RULE(pipeline->quiesced, "sockets are changed back while the producers are paused");
    RULE(pipeline->config != reload->to, "a committed reload is not undone");
    for (size_t i = 0; i < end; i++) {
        struct source *source = reload->sources[i];
        if (reload->producers[i] != NULL)
            continue;
        if (reload_adds_listener(reload, i))
            source->config->source->remove(source, &pipeline->host, false);
        else
            undo_source(pipeline, source,
                        &pipeline->config->listeners[reload->change.listeners[i]]);
    }
}

void reload_roll_back_sockets(struct reload *reload)
{
    roll_back_before(reload, reload->to->listener_count);
}

int reload_set_sockets(struct reload *reload, struct error *error)
{
    struct pipeline *pipeline = reload->pipeline;
    RULE(pipeline->quiesced, "sockets are changed while the producers are paused");
    bool packets = pipeline_wants_packets(reload->to);
    for (size_t i = 0; i < reload->to->listener_count; i++) {
        const struct listener_config *config = &reload->to->listeners[i];
        struct source *source = reload->sources[i];
        int result = 0;
        if (reload->producers[i] != NULL)
            continue; /* the listener has its own producer, which already listens */
        if (reload_adds_listener(reload, i))
            result = config->source->open(source, &pipeline->host, error);
        else
            result = change_source(pipeline, source, config, packets, error);
        if (result == 0)
            continue;
        error_place(error, config->written_at);
        roll_back_before(reload, i + 1);
        return -1;
    }
    if (pipeline_check_relays(reload->to, reload->sources, error) == 0)
        return 0;
    reload_roll_back_sockets(reload);
    return -1;
}
