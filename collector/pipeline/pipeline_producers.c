/* Who fills batches for listeners: a receiver, or what a source has for itself. */
#include <stdlib.h>

#include "collector/pipeline/pipeline_parts.h"

size_t pipeline_threads_of(const struct listener_config *listener)
{
    return listener->source->threads == NULL ? 1 : listener->source->threads(listener);
}

size_t pipeline_sockets_of(const struct listener_config *listener)
{
    return listener->source->sockets == NULL ? 0 : listener->source->sockets(listener);
}

size_t pipeline_producers_of(const struct source *source)
{
    return source->config->source->producer != NULL ? 1 : pipeline_sockets_of(source->config);
}

struct producer *pipeline_producer_of(const struct pipeline *pipeline, const struct source *source,
                                      size_t index)
{
    if (source->config->source->producer == NULL)
        return &pipeline->producers[source_receiver(source, index, pipeline->receiver_count)];
    struct producer *own = pipeline->producers + pipeline->receiver_count;
    for (size_t i = 0; pipeline->sources[i] != source; i++)
        own += pipeline->sources[i]->config->source->producer != NULL;
    return own;
}

/* Of those that there are now. */
void pipeline_count_listeners(struct pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->receiver_count; i++)
        pipeline->producers[i].listeners = 0;
    for (size_t i = 0; i < pipeline->known_count; i++) {
        const struct source *source = pipeline->known[i];
        if (source->config == NULL || source->config->source->producer != NULL)
            continue;
        size_t sockets = pipeline_sockets_of(source->config);
        for (size_t k = 0; k < sockets && k < pipeline->receiver_count; k++)
            pipeline_producer_of(pipeline, source, k)->listeners++;
    }
}

/* --- making them ------------------------------------------------------------------------------ */

static int add_letter_queue(struct pipeline *pipeline, struct ingest_thread *thread,
                            struct error *error)
{
    if (pipeline->letters == NULL)
        return 0;
    struct letter_counters *counters = ledger_letter_block(pipeline->ledger);
    if (counters != NULL)
        thread->letters = dead_letters_add_queue(pipeline->letters, counters);
    return thread->letters == NULL ? error_no_memory(error) : 0;
}

static int make_ingest_thread(struct pipeline *pipeline, struct ingest_thread *thread,
                              struct error *error)
{
    thread->pool = pipeline->pool;
    /* For all that there can ever be: of its pages only those of listeners that there are count. */
    thread->counters = calloc(BATCH_QUEUE_LISTENERS, sizeof(struct ingest_counters *));
    thread->measures = ledger_thread_block(pipeline->ledger);
    if (thread->counters == NULL || thread->measures == NULL)
        return error_no_memory(error);
    sequence_queue_init(&thread->numbers, pipeline->sequences, thread->counters);
    for (size_t i = 0; i < pipeline->known_count; i++) {
        thread->counters[i] = ledger_ingest_block(pipeline->ledger, (int)i);
        if (thread->counters[i] == NULL)
            return error_no_memory(error);
    }
    return add_letter_queue(pipeline, thread, error);
}

int pipeline_make_producer(struct pipeline *pipeline, struct producer *producer, size_t threads,
                           bool lossless, struct error *error)
{
    producer->threads = calloc(threads, sizeof *producer->threads);
    if (producer->threads == NULL)
        return error_no_memory(error);
    producer->thread_count = threads;
    if (fan_out_create(&producer->fan_out, threads, lossless, error) != 0)
        return -1;
    for (size_t i = 0; i < threads; i++) {
        struct ingest_thread *thread = &producer->threads[i];
        thread->fan_out = producer->fan_out;
        thread->lossless = lossless;
        thread->shares = !lossless && threads == 1;
        if (make_ingest_thread(pipeline, thread, error) != 0)
            return -1;
    }
    return 0;
}

int pipeline_create_producer(struct pipeline *pipeline, struct source *source, struct error *error)
{
    const struct source_ops *ops = source->config->source;
    struct producer *producer = pipeline_producer_of(pipeline, source, 0);
    producer->listeners = 1;
    size_t threads = pipeline_threads_of(source->config);
    if (pipeline_make_producer(pipeline, producer, threads, ops->waits, error) != 0)
        return -1;
    producer->ops = ops->producer;
    return ops->create(&producer->object, source, producer->threads, &pipeline->host, error);
}

/* --- their end -------------------------------------------------------------------------------- */

void pipeline_close_producer(struct producer *producer)
{
    for (size_t i = 0; i < producer->thread_count; i++)
        ingest_thread_close(&producer->threads[i]);
    fan_out_close(producer->fan_out);
}

void pipeline_destroy_producer(struct producer *producer)
{
    if (producer->ops != NULL)
        producer->ops->destroy(producer->object);
    fan_out_destroy(producer->fan_out);
    for (size_t i = 0; producer->threads != NULL && i < producer->thread_count; i++) {
        traffic_table_destroy(producer->threads[i].traffic);
        free(producer->threads[i].counters);
    }
    free(producer->threads);
}
