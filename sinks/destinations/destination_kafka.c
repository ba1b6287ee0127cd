/*
 * A `kafka:` sink passes messages to librdkafka, which sends them and reports the outcome of each.
 * A message is the lines of a record or of a block (key `per`).
 *
 * librdkafka does not copy messages: the sink must keep a block until the last of its messages is
 * reported. Reports are delivered within rd_kafka_poll(), so this code runs only in the sink's
 * thread. The library's own threads only wake that thread.
 *
 * Blocks wait here and not in the library. An idempotent producer (librdkafka 2.0.2) has one
 * request of several messages in flight for a partition, and its thread spins while more messages
 * wait. So all waiting blocks are handed over together, after all earlier messages are reported. If
 * a message is a whole block, BLOCKS_MOST messages can be in flight.
 *
 * After a fatal error an idempotent producer accepts no more messages. It is replaced when all of
 * its messages are reported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/encoder.h"
#include "collector/platform/clock.h"
#include "sinks/destinations/broker_place.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/kafka_flights.h"
#include "sinks/destinations/kafka_headers.h"
#include "sinks/destinations/kafka_library.h"
#include "sinks/destinations/kafka_outcome.h"
#include "sinks/destinations/kafka_probe.h"
#include "sinks/destinations/kafka_producer.h"
#include "sinks/destinations/record_key.h"
#include "sinks/destinations/topic_template.h"

static const struct broker_kind broker_kind = {"kafka", "topic", "TOPIC", 9092};

/* If each message is a block: the maximum number of blocks that the library has at a time. */
#define BLOCKS_MOST 5

/* Limits of one request, unless properties change them. The size includes message heads. */
#define REQUEST_MESSAGES ((size_t)10000)
#define REQUEST_SIZE     ((size_t)1000000)
#define HEADERS_SIZE     ((size_t)2048) /* maximum size of all headers of a message */

#define CHUNK 128 /* maximum number of messages in one call of the library */

#define ABANDON_MS 200 /* wait for the reports of abandoned messages; measured: 6 ms */

/* The memory of a connected library in bytes, without its queue: a measured value, rounded up. */
#define LIBRARY_MEMORY ((size_t)4 * 1024 * 1024)

struct kafka {
    struct destination destination;
    const struct kafka_library *library;
    struct broker_place place;
    struct kafka_headers headers;
    bool strips_newline; /* a message of one record loses the newline at its end */
    struct key_options key;
    struct topic_template topic;

    struct kafka_producer producer;

    int64_t timeout_ns; /* how long a block may wait here; INT64_MAX means no limit */
    struct kafka_flights flights;
    struct delivery_figures figures;
};

static struct kafka *kafka_of(struct destination *destination)
{
    return (struct kafka *)destination;
}

/* --- reports ---------------------------------------------------------------------------------- */

/*
 * Handles the report of a message. If its request was too large for its topic, the messages are
 * sent again in requests of half that size.
 */
static void kafka_note_report(void *context, const rd_kafka_message_t *message)
{
    struct kafka *kafka = context;
    struct kafka_outcome outcome =
        kafka_outcome_reported(kafka->library->message_status(message), message->err);
    outcome.why = kafka->library->err2str(message->err);
    size_t bytes = kafka->flights.group_bytes;
    const char *topic = kafka_flights_complete(&kafka->flights, message->_private, &outcome);
    if (topic != NULL)
        kafka_topics_lower(kafka->producer.topics, topic, bytes / 2, clock_monotonic_ns());
}

/* --- handing over ----------------------------------------------------------------------------- */

struct chunk {
    const struct delivery_block *block;
    rd_kafka_topic_t *topic;
    rd_kafka_message_t messages[CHUNK];
    struct record_range ranges[CHUNK];
    size_t count;
    int flags;    /* flags for rd_kafka_produce_batch */
    bool missing; /* a message was refused because its topic does not exist */
};

static size_t record_size(const struct kafka *kafka, const struct delivery_block *block,
                          const struct delivery_record *record)
{
    bool ends = kafka->strips_newline && record->size != 0 &&
                block->bytes[record->offset + record->size - 1] == '\n';
    return record->size - ends;
}

/*
 * Returns true if the message must be a copy: each message of a block begins with the block's head
 * (such as a CSV header), and the records of a later message do not follow the head in memory.
 */
static bool is_copied(const struct kafka *kafka, const struct delivery_block *block,
                      const struct record_range *range)
{
    return kafka->flights.per_block && range->first != 0 && block->records[0].offset != 0;
}

static rd_kafka_message_t message_of(const struct kafka *kafka, const struct delivery_block *block,
                                     const struct record_range *range, void *token)
{
    const struct delivery_record *first = &block->records[range->first];
    if (is_copied(kafka, block, range))
        return (rd_kafka_message_t){.payload = record_range_copy(block, range),
                                    .len = record_range_size(block, range),
                                    ._private = token};
    size_t offset = kafka->flights.per_block && range->first == 0 ? 0 : first->offset;
    void *payload = (void *)(uintptr_t)(block->bytes + offset);
    if (kafka->flights.per_block)
        return (rd_kafka_message_t){.payload = payload,
                                    .len = record_range_size(block, range) -
                                           (offset == 0 ? 0 : block->records[0].offset),
                                    ._private = token};
    return (rd_kafka_message_t){
        .payload = payload,
        .len = record_size(kafka, block, first),
        .key = first->key_size == 0 ? NULL : (void *)(uintptr_t)(block->keys + first->key),
        .key_len = first->key_size,
        ._private = token,
    };
}

/*
 * Hands over the messages and sets their errors. The library reads a message in its block until the
 * report. It frees a copied message, unless it refuses it.
 */
static void kafka_produce(struct kafka *kafka, struct chunk *chunk)
{
    rd_kafka_message_t *messages = chunk->messages;
    if (kafka->headers.wanted == 0) {
        kafka->library->produce_batch(chunk->topic, RD_KAFKA_PARTITION_UA, chunk->flags, messages,
                                      (int)chunk->count);
        return;
    }
    for (size_t i = 0; i < chunk->count; i++)
        messages[i].err = kafka_headers_produce(&kafka->headers, kafka->library,
                                                kafka->producer.handle, chunk->topic, &messages[i],
                                                chunk->flags, chunk->block, chunk->ranges[i].first);
}

static void kafka_note_refused(struct kafka *kafka, struct chunk *chunk, size_t i)
{
    const rd_kafka_message_t *message = &chunk->messages[i];
    struct kafka_outcome outcome = kafka_outcome_unsent(message->err);
    outcome.by_itself = true;
    outcome.why = kafka->library->err2str(message->err);
    if ((chunk->flags & RD_KAFKA_MSG_F_FREE) != 0)
        free(message->payload);
    chunk->missing = chunk->missing || kafka_outcome_is_missing_topic(message->err);
    const char *topic = kafka_flights_complete(&kafka->flights, message->_private, &outcome);
    if (topic != NULL)
        kafka_topics_lower(kafka->producer.topics, topic,
                           record_range_size(chunk->block, &chunk->ranges[i]) / 2,
                           clock_monotonic_ns());
}

static void hand_chunk(struct kafka *kafka, struct chunk *chunk)
{
    if (chunk->count != 0)
        kafka_produce(kafka, chunk);
    for (size_t i = 0; i < chunk->count; i++)
        if (chunk->messages[i].err != RD_KAFKA_RESP_ERR_NO_ERROR)
            kafka_note_refused(kafka, chunk, i);
    chunk->count = 0;
}

/*
 * Adds a message to the chunk. A copied message needs other flags, so it is handed over in a call
 * of its own.
 */
static void kafka_add(struct kafka *kafka, struct chunk *chunk, const struct record_range *range,
                      void *token)
{
    bool copied = is_copied(kafka, chunk->block, range);
    if (chunk->count == CHUNK || copied)
        hand_chunk(kafka, chunk);
    rd_kafka_message_t message = message_of(kafka, chunk->block, range, token);
    if (message.payload == NULL) {
        static const struct kafka_outcome later = {.result = DELIVERY_NOT_SENT,
                                                   .why = "out of memory for a part of a block"};
        kafka_flights_complete(&kafka->flights, token, &later);
        return;
    }
    RULE(chunk->count < CHUNK && (!copied || chunk->count == 0),
         "a chunk has room, and a copied message has one of its own");
    chunk->messages[chunk->count] = message;
    chunk->ranges[chunk->count++] = *range;
    if (!copied)
        return;
    chunk->flags = RD_KAFKA_MSG_F_FREE;
    hand_chunk(kafka, chunk);
    chunk->flags = 0;
}

static size_t most_of_message(const struct kafka *kafka)
{
    size_t besides = KAFKA_MESSAGE_HEAD + (kafka->headers.wanted == 0 ? 0 : HEADERS_SIZE);
    return kafka->producer.message_size > besides ? kafka->producer.message_size - besides : 1;
}

/* Hands over messages of the flight, at most `limit` bytes in total, but at least one message. */
static void hand_flight(struct kafka *kafka, rd_kafka_topic_t *topic, size_t at, size_t limit)
{
    const struct kafka_flight *flight = &kafka->flights.all[at];
    struct chunk chunk = {.block = flight->block, .topic = topic};
    size_t most = most_of_message(kafka);
    size_t from = 0;
    struct record_range range;
    void *token;
    kafka_flights_begin(&kafka->flights, at);
    while (kafka_flights_next(&kafka->flights, at, &from, most < limit ? most : limit, &range,
                              &token)) {
        if (flight->bytes > limit && flight->messages > 1) {
            kafka_flights_return(&kafka->flights, token);
            break;
        }
        kafka_add(kafka, &chunk, &range, token);
    }
    hand_chunk(kafka, &chunk);
    kafka_flights_end(&kafka->flights, at);
    if (chunk.missing)
        kafka_producer_ask(&kafka->producer, topic);
}

static void refuse_flight(struct kafka *kafka, size_t at)
{
    const struct kafka_outcome outcome = {
        .result = DELIVERY_REFUSED,
        .reason = DELIVERY_REJECTED,
        .why = kafka->library->err2str(RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION),
    };
    kafka_flights_refuse(&kafka->flights, at, &outcome);
}

/* The messages and bytes handed over since all earlier messages were reported. */
struct group {
    size_t messages, bytes;
};

/*
 * Returns true if the flight may be handed over now. Adds it to *group, the messages handed over so
 * far.
 */
static bool has_room(const struct kafka *kafka, const struct kafka_flight *flight, bool is_limited,
                     struct group *group)
{
    bool is_first = kafka->flights.handed == 0;
    if (is_first)
        *group = (struct group){0, 0};
    else if (is_limited)
        return false;
    else if (kafka->flights.per_block)
        return kafka->flights.handed < BLOCKS_MOST;
    group->messages += flight->waiting;
    group->bytes += flight->block->size + flight->waiting * KAFKA_MESSAGE_HEAD;
    return is_first || (group->messages <= REQUEST_MESSAGES && group->bytes <= REQUEST_SIZE);
}

static void hand_waiting(struct kafka *kafka)
{
    struct kafka_flights *flights = &kafka->flights;
    struct kafka_topics *topics = kafka->producer.topics;
    struct group group = {0, 0};
    size_t at;
    if (!flights->per_block && flights->handed != 0)
        return;
    while (kafka_producer_takes(&kafka->producer) &&
           (at = kafka_flights_first_waiting(flights)) != KAFKA_FLIGHTS) {
        struct kafka_flight *flight = &flights->all[at];
        const char *name = flight->block->route;
        rd_kafka_topic_t *topic = kafka_topics_find(topics, kafka->producer.handle, name);
        if (topic == NULL) {
            refuse_flight(kafka, at);
            continue;
        }
        size_t limit = kafka_topics_limit(topics, name, clock_monotonic_ns());
        if (!has_room(kafka, flight, limit != SIZE_MAX, &group))
            return;
        hand_flight(kafka, topic, at, limit);
        if (flight->waiting != 0 && flight->unreported != 0)
            return; /* the remaining messages follow after the reports */
    }
}

static bool kafka_send_block(struct destination *destination, struct delivery_block *block,
                             struct error *error)
{
    (void)error;
    struct kafka *kafka = kafka_of(destination);
    int64_t until_ns =
        kafka->timeout_ns == INT64_MAX ? INT64_MAX : clock_monotonic_ns() + kafka->timeout_ns;
    if (kafka_producer_is_left(&kafka->producer) ||
        !kafka_flights_put(&kafka->flights, block, until_ns))
        return false;
    hand_waiting(kafka);
    kafka_producer_watch(&kafka->producer, kafka->flights.unreported != 0);
    return true;
}

static void kafka_serve(struct destination *destination)
{
    struct kafka *kafka = kafka_of(destination);
    kafka_producer_poll(&kafka->producer);
    kafka_producer_renew(&kafka->producer, &kafka->flights.unreported);
    hand_waiting(kafka);
    kafka_producer_watch(&kafka->producer, kafka->flights.unreported != 0);
    kafka_flights_expire(&kafka->flights, clock_monotonic_ns());
}

static int64_t kafka_due(const struct destination *destination)
{
    const struct kafka *kafka = (const struct kafka *)destination;
    int64_t producer_ns = kafka_producer_due(&kafka->producer);
    int64_t flights_ns = kafka_flights_due(&kafka->flights);
    return producer_ns < flights_ns ? producer_ns : flights_ns;
}

static bool kafka_is_away(const struct destination *destination, struct error *error)
{
    return kafka_producer_is_away(&((const struct kafka *)destination)->producer, error);
}

static bool kafka_route(struct destination *destination, const struct listener *listener,
                        const struct record *record, char *name)
{
    return topic_template_expand(&kafka_of(destination)->topic, listener, record, name) != 0;
}

static size_t kafka_key(struct destination *destination, const struct listener *listener,
                        const struct record *record, uint8_t *bytes)
{
    (void)listener;
    return record_key(&kafka_of(destination)->key, record, bytes);
}

static struct delivery_block *kafka_answer(struct destination *destination, struct error *error,
                                           int64_t *retry_after_ns)
{
    *retry_after_ns = 0;
    return kafka_flights_take(&kafka_of(destination)->flights, error);
}

/*
 * Lends a block to the library after the sink's end: the library may still send messages that point
 * into it.
 */
static void kafka_lend_block(void *context, struct delivery_block *block)
{
    struct kafka *kafka = context;
    kafka_producer_lend(&kafka->producer, block->bytes, block->keys);
    block->lent = true;
}

static void kafka_abandon(struct destination *destination)
{
    struct kafka *kafka = kafka_of(destination);
    if (kafka->flights.handed != 0)
        kafka_producer_abandon(&kafka->producer, ABANDON_MS);
    kafka_flights_abandon(&kafka->flights, kafka_lend_block, kafka);
}

/* --- making a destination --------------------------------------------------------------------- */

static const struct delivery_ops delivery_ops = {
    .send = kafka_send_block,
    .answer = kafka_answer,
    .route = kafka_route,
    .key = kafka_key,
    .is_away = kafka_is_away,
    .due = kafka_due,
    .serve = kafka_serve,
    .abandon = kafka_abandon,
};

static void kafka_destroy(struct destination *destination)
{
    struct kafka *kafka = kafka_of(destination);
    kafka_producer_destroy(&kafka->producer);
    free(kafka);
}

/*
 * Checks the topic by Kafka's rules: letters, digits, '.', '_' and '-', but neither "." nor "..".
 */
static int check_topic(const struct kafka *kafka, struct error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    char name[DELIVERY_ROUTE_SIZE];
    size_t size = topic_template_example(&kafka->topic, name);
    if (size != 0 && strspn(name, allowed) == size && strcmp(name, ".") != 0 &&
        strcmp(name, "..") != 0)
        return 0;
    return broker_place_refuse(
        kafka->place.route, "is not a topic: letters, digits, '.', '_' and '-' are allowed", error);
}

static int kafka_read_options(struct kafka *kafka, const struct destination_options *options,
                              struct error *error)
{
    kafka->library = kafka_library(error);
    if (kafka->library == NULL ||
        broker_place_read(options->path, &broker_kind, &kafka->place, error) != 0 ||
        topic_template_read(&kafka->topic, kafka->place.route, false, error) != 0 ||
        check_topic(kafka, error) != 0)
        return -1;
    kafka->flights.per_block = options->settings->broker.per == MESSAGE_BLOCK;
    kafka->flights.most = options->settings->delivery.in_flight < KAFKA_FLIGHTS
                              ? options->settings->delivery.in_flight
                              : KAFKA_FLIGHTS;
    kafka->flights.figures = &kafka->figures;
    kafka->timeout_ns = options->settings->delivery.spill != NULL
                            ? INT64_MAX
                            : (int64_t)options->settings->delivery.timeout;
    kafka->key = options->settings->broker.key;
    kafka->strips_newline = !options->settings->encoder->binary;
    kafka->producer = (struct kafka_producer){
        .library = kafka->library,
        .name = options->name,
        .wakeup = options->wakeup,
        .settings = {.brokers = kafka->place.brokers,
                     .compression = broker_compression_names[options->settings->broker.compression],
                     .properties = options->settings->broker.properties,
                     .lines = options->settings->broker.kafka,
                     .timeout_ns = options->settings->delivery.spill != NULL
                                       ? 0
                                       : options->settings->delivery.timeout},
        .figures = &kafka->figures,
        .report = kafka_note_report,
        .context = kafka,
    };
    kafka_headers_init(&kafka->headers, options->settings->broker.headers);
    return 0;
}

static struct kafka *kafka_make(const struct destination_options *options, struct error *error)
{
    struct kafka *made = calloc(1, sizeof *made);
    if (made == NULL)
        error_no_memory(error);
    else if (kafka_read_options(made, options, error) == 0)
        return made;
    free(made);
    return NULL;
}

static int kafka_create(const struct destination_options *options, struct destination **out,
                        struct error *error)
{
    struct kafka *made = kafka_make(options, error);
    if (made == NULL)
        return -1;
    made->destination = (struct destination){
        .delivery = &delivery_ops,
        .figures = &made->figures,
        .has_figures = DELIVERY_HAS(FIGURE_COUNT) - 1 + DELIVERY_HAS_TIMES,
        .destroy = kafka_destroy,
    };
    if (kafka_producer_create(&made->producer, options->settings->broker.max_topics, error) != 0) {
        kafka_destroy(&made->destination);
        return -1;
    }
    *out = &made->destination;
    return 0;
}

/* Checks the settings. Creates no producer, because a producer connects. */
static int kafka_check(const struct destination_options *options, struct error *error)
{
    struct kafka *tried = kafka_make(options, error);
    if (tried == NULL)
        return -1;
    rd_kafka_conf_t *conf = kafka_settings_make(tried->library, &tried->producer.settings, error);
    if (conf != NULL)
        tried->library->conf_destroy(conf);
    free(tried);
    return conf != NULL ? 0 : -1;
}

static void kafka_probe(const struct destination_options *options, int64_t timeout_ns,
                        struct error *said)
{
    struct kafka *tried = kafka_make(options, said);
    char name[DELIVERY_ROUTE_SIZE];
    if (tried == NULL)
        return;
    bool is_fixed = !tried->topic.has_values && !tried->topic.has_time;
    topic_template_example(&tried->topic, name);
    kafka_probe_run(tried->library, &tried->producer.settings, is_fixed ? name : NULL, timeout_ns,
                    said);
    free(tried);
}

static bool kafka_shape(const struct destination_options *options, struct destination_shape *shape)
{
    *shape = (struct destination_shape){
        .memory = sizeof(struct kafka) + kafka_topics_memory(options->settings->broker.max_topics) +
                  LIBRARY_MEMORY,
    };
    return true;
}

const struct destination_ops destination_kafka = {
    DESTINATION_kafka,           .library = kafka_library_version,
    .topic = broker_place_route, .takes_property = kafka_settings_takes,
    .shape = kafka_shape,        .check = kafka_check,
    .probe = kafka_probe,        .create = kafka_create,
};
