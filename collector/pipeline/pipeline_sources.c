#include "collector/pipeline/pipeline_sources.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/pipeline/pipeline_numbering.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/platform/machine.h"
#include "collector/queue/batch_queue.h"
#include "collector/receive/ingest_thread.h"
#include "collector/record/mismatch_hint.h"
#include "collector/record/schema_list.h"
#include "collector/senders/rate_limit.h"
#include "collector/senders/sender_report.h"
#include "collector/text/copy.h"

/* Makes the source for the next index in the ledger's list of listeners. */
static bool add_known(struct pipeline *pipeline)
{
    size_t index = pipeline->known_count;
    RULE(index < BATCH_QUEUE_LISTENERS, "a thread's counters have room for every listener");
    struct source **grown = realloc(pipeline->known, (index + 1) * sizeof(struct source *));
    if (grown == NULL)
        return false;
    pipeline->known = grown;
    struct source *source = calloc(1, sizeof *source);
    if (source == NULL)
        return false;
    source->listener.index = (uint32_t)index;
    source->hint = calloc(1, sizeof *source->hint);
    if (source->hint == NULL ||
        (pipeline->senders != NULL &&
         !sender_report_add_listener(pipeline->senders, &source->listener))) {
        free(source->hint);
        free(source);
        return false;
    }
    pipeline->known[pipeline->known_count++] = source;
    return true;
}

/*
 * Returns the source of the listener that has this index in the ledger. The source may be that of a
 * removed listener. Makes missing sources: if memory was short earlier, several listeners of the
 * ledger may have none.
 */
static struct source *find_source(struct pipeline *pipeline, size_t index)
{
    while (pipeline->known_count <= index)
        if (!add_known(pipeline))
            return NULL;
    return pipeline->known[index];
}

/*
 * Makes counters of the listener in every thread, because any thread may find gaps in the sequence
 * numbers of the listener's senders.
 */
static bool make_thread_counters(struct pipeline *pipeline, size_t index)
{
    for (size_t i = 0; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        for (size_t k = 0; producer->threads != NULL && k < producer->thread_count; k++) {
            if (producer->threads[k].counters == NULL)
                continue; /* for a new thread, make_ingest_thread makes the counters of all
                           * listeners */
            struct ingest_counters **place = &producer->threads[k].counters[index];
            if (*place == NULL)
                *place = ledger_ingest_block(pipeline->ledger, (int)index);
            if (*place == NULL)
                return false;
        }
    }
    return true;
}

bool pipeline_wants_packets(const struct config *config)
{
    for (size_t i = 0; i < config->sink_count; i++)
        if (config->sinks[i].settings.encoder->needs_packets)
            return true;
    return false;
}

static bool wants_raw(const struct config *config)
{
    for (size_t i = 0; i < config->sink_count; i++)
        if (config->sinks[i].settings.relay.raw)
            return true;
    return false;
}

void pipeline_set_keeps(struct source *source, const struct config *whole)
{
    source->listener.keeps_packets = pipeline_wants_packets(whole);
    source->listener.keeps_raw = wants_raw(whole);
}

/*
 * Returns true if the records of one sender may arrive by several connections, or at several
 * sockets because the sender uses several ports.
 */
static bool has_several_paths(const struct listener_config *config)
{
    bool has_connections = config->source->producer != NULL && !config->source->ends;
    return has_connections || pipeline_sockets_of(config) > 1;
}

void pipeline_set_source(struct pipeline *pipeline, struct source *source,
                         const struct listener_config *config)
{
    source->config = config;
    source->listener.schema_names = source->schema_names;
    source->listener.max_decoded = config->max_decoded;
    if (listener_has_segments(config)) {
        source->listener.segment_memory = config->segment_memory;
        source->listener.segment_timeout_ns = (int64_t)config->segment_timeout;
    }
    source->listener.senders = config->senders;
    source->listener.rate_limit = source->rate_limit;
    source->listener.seal_max_age_ns = (int64_t)config->seal_max_age;
    ledger_set_drops_kind(
        pipeline->ledger, (int)source->listener.index,
        (struct drops_kind){.buffers = config->gro, .filtered = config->kernel_filter});
    source->listener.spread = config->spread;
    source->listener.several = has_several_paths(config);
    ledger_set_spread(pipeline->ledger, (int)source->listener.index, config->spread);
}

static bool describe_source(struct pipeline *pipeline, struct source *source,
                            const struct listener_config *config)
{
    if (source->name == NULL)
        source->name = text_copy_all(config->name);
    if (source->at_end == NULL)
        source->at_end = ledger_ingest_block(pipeline->ledger, (int)source->listener.index);
    /* An existing name is not replaced: records that are still in flight may point to it. */
    if (source->listener.name == NULL)
        source->listener.name = source->name;
    source->listener.schemas = source->schemas;
    pipeline_set_source(pipeline, source, config);
    return source->name != NULL && source->at_end != NULL &&
           make_thread_counters(pipeline, source->listener.index);
}

/* Initialises a source. Takes ownership of the list. */
static int fill_source(struct pipeline *pipeline, struct source *source,
                       const struct listener_config *config, struct schema_list *list,
                       struct error *error)
{
    if (source->schemas != NULL) {
        pipeline_put_schemas(pipeline, source, list);
    } else if ((source->schemas = schema_slot_create(list)) == NULL) {
        schema_list_release(list);
        return error_no_memory(error);
    } else {
        mismatch_hint_init(source->hint, pipeline->guess);
        source->listener.hint = source->hint;
    }
    if (pipeline_make_rate_limit(config, &source->rate_limit, error) != 0)
        return -1;
    return describe_source(pipeline, source, config) ? 0 : error_no_memory(error);
}

struct source *pipeline_add_source(struct pipeline *pipeline, const struct config *whole,
                                   size_t index, struct schema_list *list, struct error *error)
{
    const struct listener_config *config = &whole->listeners[index];
    char *names = schema_list_names(list);
    int entry = names == NULL ? -1
                              : ledger_add_listener(pipeline->ledger, config->name,
                                                    config->source->kind, names);
    struct source *source = NULL;
    if (entry >= BATCH_QUEUE_LISTENERS)
        error_set(error, EXIT_CODE_CONFIG, "more than %d different listeners",
                  BATCH_QUEUE_LISTENERS);
    else if (entry < 0 || (source = find_source(pipeline, (size_t)entry)) == NULL)
        error_no_memory(error);
    if (source == NULL) {
        schema_list_release(list);
        free(names);
    } else {
        RULE(source->listener.index == (uint32_t)entry, "a source has its listener's ledger entry");
        RULE(!source->leaving, "a listener is added again after its removal has ended");
        free(source->schema_names);
        source->schema_names = names;
        if (fill_source(pipeline, source, config, list, error) != 0) {
            source->config = NULL;
            source = NULL;
        }
    }
    if (source != NULL)
        pipeline_set_keeps(source, whole);
    else if (entry >= 0)
        ledger_cancel_listener(pipeline->ledger, entry);
    return source;
}

int pipeline_make_rate_limit(const struct listener_config *config, struct rate_limit **limit,
                             struct error *error)
{
    uint8_t secret[16];
    *limit = NULL;
    if (config->rate_limit == 0)
        return 0;
    if (random_bytes(secret, sizeof secret, error) != 0)
        return -1;
    *limit = rate_limit_create(config->rate_limit, secret);
    return *limit == NULL ? error_no_memory(error) : 0;
}
