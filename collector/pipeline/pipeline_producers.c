#include "collector/pipeline/pipeline_producers.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/machine.h"
#include "collector/queue/batch_queue.h"
#include "collector/queue/tap.h"
#include "collector/receive/dead_letters.h"
#include "collector/receive/ingest_thread.h"
#include "collector/senders/sender_report.h"
#include "collector/senders/sequence_queue.h"
#include "collector/senders/traffic.h"

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
    while (own->source != source) {
        own++;
        RULE(own < pipeline->producers + pipeline->producer_count,
             "a source with threads of its own has a producer");
    }
    return own;
}

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

/* --- claiming --------------------------------------------------------------------------------- */

static size_t producer_index(const struct pipeline *pipeline, const struct producer *producer)
{
    size_t index = (size_t)(producer - pipeline->producers);
    RULE(index < pipeline->producer_count, "the producer is one of the pipeline's");
    return index;
}

/*
 * Returns true if the sinks have emptied the queues that this producer filled before it became
 * vacant.
 */
static bool is_drained(const struct pipeline *pipeline, const struct producer *producer)
{
    size_t place = producer_index(pipeline, producer);
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        const struct sink_slot *slot = pipeline->slots[i];
        if (place < slot->route_count && !batch_queue_finished(slot->routes[place].queue))
            return false;
    }
    return true;
}

static struct producer *find_vacant(struct pipeline *pipeline, size_t threads)
{
    for (size_t i = pipeline->fixed_count; i < pipeline->producer_count; i++) {
        struct producer *producer = &pipeline->producers[i];
        if (!producer->claimed && producer->thread_count >= threads &&
            is_drained(pipeline, producer))
            return producer;
    }
    return NULL;
}

struct producer *pipeline_claim_producer(struct pipeline *pipeline, size_t threads)
{
    struct producer *producer = find_vacant(pipeline, threads);
    if (producer == NULL) {
        if (pipeline->producer_count == pipeline->receiver_count + BATCH_QUEUE_LISTENERS)
            return NULL;
        producer = &pipeline->producers[pipeline->producer_count++];
        producer->thread_count = threads;
    }
    producer->claimed = true;
    producer->listeners = 1;
    return producer;
}

/* --- making producers ------------------------------------------------------------------------- */

/*
 * Makes the thread's queue of dead letters. If the queue exists but was closed when the producer
 * became vacant, opens it again.
 */
static int make_dead_letter_queue(struct pipeline *pipeline, struct ingest_thread *thread,
                                  struct error *error)
{
    if (pipeline->dead_letters == NULL)
        return 0;
    if (thread->dead_letters != NULL) {
        dead_letter_queue_open_again(thread->dead_letters);
        return 0;
    }
    struct dead_letter_counters *counters = ledger_dead_letter_block(pipeline->ledger);
    if (counters != NULL)
        thread->dead_letters = dead_letters_add_queue(pipeline->dead_letters, counters);
    return thread->dead_letters == NULL ? error_no_memory(error) : 0;
}

/*
 * Adds the thread's traffic table to the report of senders, if there is a report. During a start
 * there is none yet; make_sender_report then adds the tables.
 */
static int make_traffic(struct pipeline *pipeline, struct ingest_thread *thread,
                        struct error *error)
{
    uint8_t secret[16];
    if (pipeline->senders == NULL || thread->traffic != NULL)
        return 0;
    if (random_bytes(secret, sizeof secret, error) != 0)
        return -1;
    if (!sender_report_reserve(pipeline->senders, 1) ||
        (thread->traffic = traffic_table_create(secret)) == NULL)
        return error_no_memory(error);
    sender_report_add_table(pipeline->senders, thread->traffic);
    return 0;
}

static int make_ingest_thread(struct pipeline *pipeline, struct ingest_thread *thread,
                              struct error *error)
{
    thread->pool = pipeline->pool;
    if (thread->counters == NULL) {
        /*
         * Room for the counters of every possible listener. Pages that no counter has used need no
         * RAM.
         */
        thread->counters = calloc(BATCH_QUEUE_LISTENERS, sizeof(struct ingest_counters *));
        if (thread->counters == NULL)
            return error_no_memory(error);
        sequence_queue_init(&thread->numbers, pipeline->sequences, thread->counters);
    }
    if (thread->measures == NULL)
        thread->measures = ledger_thread_block(pipeline->ledger);
    if (thread->measures == NULL)
        return error_no_memory(error);
    for (size_t i = 0; i < pipeline->known_count; i++) {
        if (thread->counters[i] == NULL)
            thread->counters[i] = ledger_ingest_block(pipeline->ledger, (int)i);
        if (thread->counters[i] == NULL)
            return error_no_memory(error);
    }
    if (make_traffic(pipeline, thread, error) != 0)
        return -1;
    return make_dead_letter_queue(pipeline, thread, error);
}

/*
 * Makes the producer's inlet to the tap (tap.h), if there is a tap. During a start there is none
 * yet; the inlets are then made with the tap.
 */
static bool make_inlet(struct pipeline *pipeline, const struct producer *producer)
{
    size_t place = producer_index(pipeline, producer);
    if (pipeline->tap == NULL)
        return true;
    while (tap_inlet_count(pipeline->tap) <= place)
        if (!tap_add_inlet(pipeline->tap))
            return false;
    fan_out_set_tap(producer->fan_out, tap_inlet(pipeline->tap, place));
    return true;
}

int pipeline_make_producer(struct pipeline *pipeline, struct producer *producer, size_t threads,
                           enum fan_out_waiting waiting, struct error *error)
{
    RULE(producer->claimed && producer->object == NULL, "a producer is claimed, then created");
    RULE(threads <= producer->thread_count, "a producer has room for its threads");
    RULE(producer->fan_out == NULL, "a producer has one fan-out");
    if (producer->threads == NULL)
        producer->threads = calloc(producer->thread_count, sizeof *producer->threads);
    if (producer->threads == NULL)
        return error_no_memory(error);
    bool waits = waiting != FAN_OUT_NEVER_WAITS;
    if (fan_out_create(&producer->fan_out, threads, waiting, error) != 0)
        return -1;
    if (!make_inlet(pipeline, producer))
        return error_no_memory(error);
    for (size_t i = 0; i < threads; i++) {
        struct ingest_thread *thread = &producer->threads[i];
        thread->fan_out = producer->fan_out;
        thread->lossless = waits;
        thread->shares = !waits && threads == 1;
        if (make_ingest_thread(pipeline, thread, error) != 0)
            return -1;
    }
    return 0;
}

int pipeline_make_own(struct pipeline *pipeline, struct producer *producer, struct source *source,
                      struct error *error)
{
    const struct source_ops *ops = source->config->source;
    producer->source = source;
    producer->ops = ops->producer;
    enum fan_out_waiting waiting = ops->ends ? FAN_OUT_ALWAYS_WAITS : FAN_OUT_WAITS;
    return pipeline_make_producer(pipeline, producer, pipeline_threads_of(source->config),
                                  ops->waits ? waiting : FAN_OUT_NEVER_WAITS, error);
}

int pipeline_create_producer(struct pipeline *pipeline, struct producer *producer,
                             struct error *error)
{
    struct source *source = producer->source;
    RULE(producer->object == NULL && producer->fan_out != NULL,
         "a producer is created once, after its fan-out");
    return source->config->source->create(&producer->object, source, producer->threads,
                                          &pipeline->host, error);
}

/* --- the end of producers --------------------------------------------------------------------- */

void pipeline_close_producer(struct producer *producer)
{
    for (size_t i = 0; producer->threads != NULL && i < producer->thread_count; i++)
        ingest_thread_close(&producer->threads[i]);
    if (producer->fan_out != NULL)
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

/*
 * Closes all queues from the producer. Its fan-out has closed most of them, but not the queue of a
 * sink that was added while the producer finished.
 */
static void close_queues(struct pipeline *pipeline, size_t place)
{
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        const struct sink_slot *slot = pipeline->slots[i];
        if (place >= slot->route_count)
            continue;
        batch_queue_close(slot->routes[place].queue);
        sink_thread_notify(slot->sink);
    }
}

void pipeline_vacate_producer(struct pipeline *pipeline, struct producer *producer)
{
    RULE(producer_index(pipeline, producer) >= pipeline->fixed_count,
         "receivers and captures are never vacated");
    RULE(producer->claimed, "a vacant producer is not vacated again");
    if (producer->object != NULL) {
        producer->ops->join(producer->object);
        producer->ops->destroy(producer->object);
    }
    for (size_t i = 0; producer->threads != NULL && i < producer->thread_count; i++)
        if (producer->threads[i].counters != NULL)
            ingest_thread_close(&producer->threads[i]);
    fan_out_destroy(producer->fan_out);
    close_queues(pipeline, producer_index(pipeline, producer));
    producer->object = NULL;
    producer->ops = NULL;
    producer->fan_out = NULL;
    producer->source = NULL;
    producer->leaving = false;
    producer->claimed = false;
}
