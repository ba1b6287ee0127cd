#include "sinks/destinations/kafka_producer.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "sinks/destinations/end_within.h"

#define REMAKE_NS INT64_C(1000000000) /* time between two attempts to create a producer */

#define QUIET_NS INT64_C(1000000000) /* if no report comes for this time, the log is read */

#define END_MS 500 /* maximum wait for the end of a producer, in milliseconds */

#define ALL_AT_ONCE                                                                                \
    (RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING)

/*
 * Handle and memory of a producer that is being ended. Outlives the struct kafka_producer if the
 * library takes long.
 */
struct kafka_ending {
    const struct kafka_library *library;
    rd_kafka_t *handle;
    size_t lent_count;
    void *lent[2 * KAFKA_LENT_MOST]; /* freed after the library has ended */
};

/* --- callbacks of the library ----------------------------------------------------------------- */

/* Turns the library's debug lines on or off. While they are off, they cost the library nothing. */
static void read_log(struct kafka_producer *producer, bool reads)
{
    producer->reads_log = reads;
    producer->library->set_log_level(producer->handle,
                                     reads ? KAFKA_REASON_LEVEL : KAFKA_REASON_LEVEL - 1);
}

static void on_log(const rd_kafka_t *handle, int level, const char *facility, const char *text)
{
    struct kafka_producer *producer = kafka_library(NULL)->opaque(handle);
    char reason[KAFKA_REASON_SIZE];
    (void)level;
    if (kafka_reason_read_refused(facility, text, reason))
        memcpy(producer->certificate, reason, sizeof reason);
    else if (producer->reads_log && kafka_reason_read(facility, text, reason))
        memcpy(producer->refusal, reason, sizeof reason);
}

void kafka_producer_watch(struct kafka_producer *producer, bool is_waiting)
{
    if (!is_waiting || producer->handle == NULL) {
        producer->quiet_ns = 0;
        return;
    }
    int64_t now_ns = clock_monotonic_ns();
    if (producer->quiet_ns == 0)
        producer->quiet_ns = now_ns;
    if (!producer->reads_log && now_ns - producer->quiet_ns >= QUIET_NS)
        read_log(producer, true);
}

static void on_report(rd_kafka_t *handle, const rd_kafka_message_t *message, void *opaque)
{
    struct kafka_producer *producer = opaque;
    RULE(handle == producer->handle, "reports are of the producer that is in use");
    producer->quiet_ns = 0;
    if ((producer->is_away || producer->reads_log) &&
        producer->library->message_status(message) == RD_KAFKA_MSG_STATUS_PERSISTED) {
        producer->is_away = false;
        producer->refusal[0] = '\0';
        read_log(producer, false);
    }
    producer->report(producer->context, message);
}

/*
 * Logs an error of one broker. While no broker is reachable, the log lines of the outage contain
 * the error instead.
 */
static void log_broker_error(struct kafka_producer *producer)
{
    uint64_t suppressed;
    if (!producer->is_away && producer->now.connected != 0 &&
        log_allowed(&producer->log, &suppressed))
        log_about(LOG_WARNING, LOG_OF_SINK, producer->name, "%s", producer->last_error.text);
}

bool kafka_producer_is_away(const struct kafka_producer *producer, struct error *error)
{
    if (error != NULL && producer->is_away)
        error_set(error, EXIT_CODE_NOT_REACHED, "no broker is reachable%s%s",
                  producer->last_error.text[0] == '\0' ? "" : ": ", producer->last_error.text);
    else if (error != NULL)
        error_set(error, EXIT_CODE_NOT_REACHED, "%s", producer->refusal);
    return producer->is_away || producer->refusal[0] != '\0';
}

static void producer_on_error(rd_kafka_t *handle, int code, const char *reason, void *opaque)
{
    struct kafka_producer *producer = opaque;
    char fatal[256];
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        producer->library->fatal_error(handle, fatal, sizeof fatal);
        producer->is_fatal = true;
        log_about(LOG_WARNING, LOG_OF_SINK, producer->name,
                  "the Kafka producer has failed and is replaced: %s", fatal);
        return;
    }
    if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
        producer->is_away = true;
        return;
    }
    bool is_known = kafka_reason_is_certificate(reason) && producer->certificate[0] != '\0';
    error_set(&producer->last_error, EXIT_CODE_NOT_REACHED, "%s",
              is_known ? producer->certificate : reason);
    log_broker_error(producer);
}

/*
 * Publishes the sums of the counts of all producers so far. The library counts a repeated message
 * as a new request, not as a retry.
 */
static void note_statistics(struct kafka_producer *producer)
{
    struct delivery_figures *figures = producer->figures;
    const struct kafka_statistics *now = &producer->now, *before = &producer->before_it;
    delivery_figure_set(figures, FIGURE_CONNECTIONS, now->connected);
    delivery_figure_set(figures, FIGURE_CONNECTS, before->connects + now->connects);
    delivery_figure_set(figures, FIGURE_REQUESTS, before->requests + now->requests);
    delivery_figure_set(figures, FIGURE_REQUESTS_IN_FLIGHT, now->waiting);
    delivery_figure_set(figures, FIGURE_REQUEST_RETRIES, before->retries + now->retries);
    delivery_figure_set(figures, FIGURE_REQUEST_ERRORS, before->errors + now->errors);
    if (now->round_trip_ns != 0) /* there was an answer in the interval */
        delivery_figure_set(figures, FIGURE_ROUND_TRIP, now->round_trip_ns);
}

static int on_statistics(rd_kafka_t *handle, char *text, size_t size, void *opaque)
{
    (void)handle;
    struct kafka_producer *producer = opaque;
    struct kafka_statistics read;
    kafka_statistics_hide_id(text, size);
    if (!kafka_statistics_read(text, size, &read))
        return 0;
    producer->now = read;
    if (read.connected != 0)
        producer->is_away = false;
    note_statistics(producer);
    return 0; /* the library frees the text */
}

static void end_statistics(struct kafka_producer *producer)
{
    producer->before_it.connects += producer->now.connects;
    producer->before_it.requests += producer->now.requests;
    producer->before_it.retries += producer->now.retries;
    producer->before_it.errors += producer->now.errors;
    producer->now = (struct kafka_statistics){0};
    note_statistics(producer);
}

/* Called in a thread of the library. */
static void on_event(rd_kafka_t *handle, void *opaque)
{
    (void)handle;
    struct kafka_producer *producer = opaque;
    atomic_store(&producer->has_events, true);
    wakeup_signal(producer->wakeup);
}

/* --- the producer, from its beginning to its end ---------------------------------------------- */

static size_t message_size(const struct kafka_library *library, const rd_kafka_conf_t *conf)
{
    char value[32];
    size_t size = sizeof value;
    if (library->conf_get(conf, "message.max.bytes", value, &size) != RD_KAFKA_CONF_OK)
        return SIZE_MAX;
    return (size_t)strtoull(value, NULL, 10);
}

static int make_handle(struct kafka_producer *producer, struct error *error)
{
    const struct kafka_library *library = producer->library;
    rd_kafka_conf_t *conf = kafka_settings_make(library, &producer->settings, error);
    if (conf == NULL)
        return -1;
    library->conf_set_opaque(conf, producer);
    library->conf_set_dr_msg_cb(conf, on_report);
    library->conf_set_error_cb(conf, producer_on_error);
    library->conf_set_log_cb(conf, on_log);
    library->conf_set_stats_cb(conf, on_statistics);
    producer->message_size = message_size(library, conf);
    producer->handle = kafka_settings_open(library, RD_KAFKA_PRODUCER, conf, error);
    return producer->handle != NULL ? 0 : -1;
}

/* Creates the producer. Also allocates the memory for its end, so that the end cannot fail. */
static int producer_begin(struct kafka_producer *producer, struct error *error)
{
    const struct kafka_library *library = producer->library;
    RULE(producer->handle == NULL, "there is one producer at a time");
    producer->ending = calloc(1, sizeof *producer->ending);
    if (producer->ending == NULL)
        return error_no_memory(error);
    if (make_handle(producer, error) != 0) {
        free(producer->ending);
        return -1;
    }
    producer->ending->library = library;
    producer->ending->handle = producer->handle;
    producer->is_fatal = false;
    producer->quiet_ns = 0;
    producer->refusal[0] = '\0';
    library->set_log_queue(producer->handle, NULL); /* poll delivers log lines as well as reports */
    read_log(producer, false);
    producer->events = library->queue_get_main(producer->handle);
    library->queue_cb_event_enable(producer->events, on_event, producer);
    atomic_store(&producer->has_events, true); /* for earlier events, on_event was not called */
    return 0;
}

/*
 * Called by end_within, because rd_kafka_destroy waits for the library's threads, which may be in a
 * name lookup.
 */
static void run_ending(void *argument)
{
    struct kafka_ending *ending = argument;
    ending->library->destroy(ending->handle);
    for (size_t i = 0; i < ending->lent_count; i++)
        free(ending->lent[i]);
    free(ending);
}

/*
 * Ends the producer. Each of its messages is reported, or its memory was given to
 * kafka_producer_lend. So the library does not call the sink any more.
 */
static void producer_end(struct kafka_producer *producer)
{
    const struct kafka_library *library = producer->library;
    if (producer->handle == NULL)
        return;
    RULE(producer->ending->handle == producer->handle, "a producer ends with its own ending");
    kafka_topics_release(producer->topics);
    library->queue_cb_event_enable(producer->events, NULL, NULL);
    library->queue_destroy(producer->events);
    /*
     * If the library still reads blocks, it is busy: waiting would only delay the program's stop.
     */
    end_within(run_ending, producer->ending, producer->ending->lent_count != 0 ? 0 : END_MS);
    producer->handle = NULL;
    end_statistics(producer);
}

int kafka_producer_create(struct kafka_producer *producer, size_t topics, struct error *error)
{
    producer->topics = kafka_topics_create(producer->library, topics);
    return producer->topics == NULL ? error_no_memory(error) : producer_begin(producer, error);
}

void kafka_producer_destroy(struct kafka_producer *producer)
{
    producer_end(producer);
    kafka_topics_destroy(producer->topics);
}

bool kafka_producer_takes(const struct kafka_producer *producer)
{
    return producer->handle != NULL && !producer->is_fatal;
}

void kafka_producer_poll(struct kafka_producer *producer)
{
    atomic_store(&producer->has_events, false);
    if (producer->handle != NULL)
        producer->library->poll(producer->handle, 0);
}

/* Requests the remaining reports without waiting for brokers. Returns true if all have come. */
static bool producer_is_over(struct kafka_producer *producer, const size_t *unreported)
{
    producer->library->purge(producer->handle, ALL_AT_ONCE);
    producer->library->poll(producer->handle, 0);
    return *unreported == 0;
}

void kafka_producer_renew(struct kafka_producer *producer, const size_t *unreported)
{
    if (kafka_producer_takes(producer))
        return;
    if (producer->handle == NULL && clock_monotonic_ns() < producer->remake_ns)
        return;
    if (producer->handle != NULL && !producer_is_over(producer, unreported))
        return;
    producer_end(producer);
    struct error error;
    if (producer_begin(producer, &error) == 0) {
        delivery_figure_add(producer->figures, FIGURE_RESTARTS, 1);
        return;
    }
    producer->remake_ns = clock_monotonic_ns() + REMAKE_NS;
    log_about(LOG_WARNING, LOG_OF_SINK, producer->name, "%s", error.text);
}

/* The library uses the answer when it arrives. */
void kafka_producer_ask(const struct kafka_producer *producer, rd_kafka_topic_t *topic)
{
    const struct kafka_library *library = producer->library;
    const struct rd_kafka_metadata *answer = NULL;
    RULE(producer->handle != NULL, "a topic is asked for while there is a producer");
    if (library->metadata(producer->handle, 0, topic, &answer, 0) == RD_KAFKA_RESP_ERR_NO_ERROR)
        library->metadata_destroy(answer);
}

/*
 * The purge does not block: it would wait for the library's threads, which may be in a name lookup.
 */
void kafka_producer_abandon(struct kafka_producer *producer, int ms)
{
    if (producer->handle == NULL)
        return;
    producer->library->purge(producer->handle, ALL_AT_ONCE);
    producer->library->flush(producer->handle, ms);
}

void kafka_producer_lend(struct kafka_producer *producer, const void *bytes, const void *keys)
{
    struct kafka_ending *ending = producer->ending;
    RULE(producer->handle != NULL && ending->lent_count + 2 <= 2 * KAFKA_LENT_MOST,
         "a producer has no more blocks than it can");
    ending->lent[ending->lent_count++] = (void *)(uintptr_t)bytes;
    ending->lent[ending->lent_count++] = (void *)(uintptr_t)keys;
}

bool kafka_producer_is_left(const struct kafka_producer *producer)
{
    return producer->handle != NULL && producer->ending->lent_count != 0;
}

int64_t kafka_producer_due(const struct kafka_producer *producer)
{
    if (atomic_load(&producer->has_events))
        return 0;
    if (producer->handle == NULL)
        return producer->remake_ns;
    return producer->quiet_ns == 0 || producer->reads_log ? INT64_MAX
                                                          : producer->quiet_ns + QUIET_NS;
}
