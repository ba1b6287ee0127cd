/*
 * kafka: gives messages to librdkafka, which sends them, and hears of each what became of it.
 *
 * A message is a record's lines, or a block's. The library does not copy them: a block stays the
 * library's until the last of its messages has its report. Reports come within poll, so all of it
 * runs in the sink's thread; the library's own threads only wake that.
 *
 * What waits is kept here and not in the library. Of an idempotent producer (2.0.2) a partition has
 * one request of several messages on its way; while more messages wait for that, the library's
 * thread spins. So all blocks that wait are handed over together, when all before are reported. Of
 * blocks as messages five can be on their way.
 *
 * An idempotent producer that has met a fatal error takes nothing more. When all that it has taken
 * is reported, another one follows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/platform/clock.h"
#include "sinks/destinations/broker_place.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/kafka_fate.h"
#include "sinks/destinations/kafka_headers.h"
#include "sinks/destinations/kafka_library.h"
#include "sinks/destinations/kafka_probe.h"
#include "sinks/destinations/kafka_producer.h"
#include "sinks/destinations/record_key.h"
#include "sinks/destinations/topic_template.h"

#define DEFAULT_PORT 9092

#define FLIGHTS KAFKA_LENT_MOST /* blocks at a time, at most: in_flight= is less */

/* What the library may have on its way of one partition: messages, of blocks. */
#define BLOCKS_MOST 5

/* What one request holds, unless properties say otherwise: messages, and bytes with their heads. */
#define REQUEST_MESSAGES ((size_t)10000)
#define REQUEST_SIZE     ((size_t)1000000)
#define MESSAGE_HEAD     ((size_t)80)

#define CHUNK 128 /* messages that are handed over in one call */

#define ABANDON_MS 200 /* for the reports of what was given up; they take 6 */

/* Bytes that the library takes beside its queue, once it is connected: measured, and rounded up. */
#define LIBRARY_MEMORY ((size_t)4 * 1024 * 1024)

/* A block that was taken. */
struct flight {
    struct delivery_block *block; /* NULL: none */
    size_t unreported;            /* of its messages */
    size_t messages;              /* that the library was given */
    int64_t handed_ns;            /* when */
    bool handed;                  /* to the library; else it waits for that */
    uint64_t turn;                /* later ones have higher ones */
    int64_t until_ns;             /* while it waits: when it is given back */
    struct error error;           /* of the first message that was not acknowledged; empty: none */
};

struct kafka {
    struct destination destination;
    const struct kafka_library *library;
    struct broker_place place;
    struct kafka_headers headers;
    bool strips_newline; /* of a message of one record */
    enum message_unit per;
    struct key_options key;
    struct topic_template topic;

    struct kafka_producer producer;

    int64_t timeout_ns;  /* that a block may wait here; INT64_MAX: without end */
    size_t flight_count; /* at a time */
    struct flight flights[FLIGHTS];
    uint64_t turns;
    size_t handed;        /* flights that the library has */
    size_t done[FLIGHTS]; /* flights with all reports, in the order of these: a ring */
    size_t done_at, done_count;

    struct delivery_figures figures;
    size_t unreported; /* messages that the library has */
};

static struct kafka *of(struct destination *destination)
{
    return (struct kafka *)destination;
}

/* --- what became of messages ------------------------------------------------------------------ */

/* What a message carries through the library: its flight, and its record; of a block 0. */
static void *token(size_t flight, size_t record)
{
    return (void *)(uintptr_t)(record * FLIGHTS + flight);
}

static void note_done(struct kafka *kafka, size_t flight)
{
    kafka->done[(kafka->done_at + kafka->done_count++) % FLIGHTS] = flight;
}

/* The library has other messages now than before. */
static void note_unreported(struct kafka *kafka, size_t count)
{
    kafka->unreported = count;
    delivery_figure_set(&kafka->figures, FIGURE_MESSAGES, count);
}

static void note_reported(struct kafka *kafka, const struct flight *flight)
{
    note_unreported(kafka, kafka->unreported - flight->messages);
    histogram_note(&kafka->figures.request_time, histogram_times,
                   (uint64_t)(clock_monotonic_ns() - flight->handed_ns));
}

/* Notes the fate of one message, given to the library as `opaque`. */
static void settle(struct kafka *kafka, void *opaque, struct kafka_fate fate,
                   rd_kafka_resp_err_t why)
{
    size_t at = (uintptr_t)opaque % FLIGHTS;
    size_t record = (uintptr_t)opaque / FLIGHTS;
    struct flight *flight = &kafka->flights[at];
    if (flight->unreported == 0)
        return; /* it was given up before */
    struct delivery_block *block = flight->block;
    if (kafka->per == MESSAGE_BLOCK) {
        block->fate = (uint8_t)fate.fate;
        block->reason = (uint8_t)fate.reason;
    } else {
        block->records[record].fate = (uint8_t)fate.fate;
        block->records[record].reason = (uint8_t)fate.reason;
    }
    if (fate.fate != DELIVERY_ACKNOWLEDGED && flight->error.text[0] == '\0')
        error_set(&flight->error, EXIT_CODE_IO, "%s", kafka->library->err2str(why));
    if (--flight->unreported != 0)
        return;
    note_reported(kafka, flight);
    kafka->handed--;
    note_done(kafka, at);
}

static void report(void *context, const rd_kafka_message_t *message)
{
    struct kafka *kafka = context;
    settle(kafka, message->_private,
           kafka_fate_reported(kafka->library->message_status(message), message->err),
           message->err);
}

/* --- handing over ----------------------------------------------------------------------------- */

static size_t free_flight(const struct kafka *kafka)
{
    size_t at = 0;
    while (at < kafka->flight_count && kafka->flights[at].block != NULL)
        at++;
    return at;
}

/* The bytes of a message of one record: its last newline does not belong to it. */
static size_t record_size(const struct kafka *kafka, const struct delivery_block *block,
                          const struct delivery_record *record)
{
    bool ends = kafka->strips_newline && record->size != 0 &&
                block->bytes[record->offset + record->size - 1] == '\n';
    return record->size - ends;
}

static rd_kafka_message_t message_of(const struct kafka *kafka, size_t flight, size_t record)
{
    const struct delivery_block *block = kafka->flights[flight].block;
    if (kafka->per == MESSAGE_BLOCK)
        return (rd_kafka_message_t){.payload = (void *)(uintptr_t)block->bytes,
                                    .len = block->size,
                                    ._private = token(flight, 0)};
    const struct delivery_record *one = &block->records[record];
    return (rd_kafka_message_t){
        .payload = (void *)(uintptr_t)(block->bytes + one->offset),
        .len = record_size(kafka, block, one),
        .key = one->key_size == 0 ? NULL : (void *)(uintptr_t)(block->keys + one->key),
        .key_len = one->key_size,
        ._private = token(flight, record),
    };
}

/* Hands over `count` messages, each filled but for its headers; sets their errors. */
static void produce(struct kafka *kafka, rd_kafka_topic_t *topic, rd_kafka_message_t *messages,
                    size_t count)
{
    if (kafka->headers.wanted == 0) {
        kafka->library->produce_batch(topic, RD_KAFKA_PARTITION_UA, 0, messages, (int)count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t flight = (uintptr_t)messages[i]._private % FLIGHTS;
        size_t record = (uintptr_t)messages[i]._private / FLIGHTS;
        messages[i].err =
            kafka_headers_produce(&kafka->headers, kafka->library, kafka->producer.handle, topic,
                                  &messages[i], kafka->flights[flight].block, record);
    }
}

/* Hands over what was filled, and notes what was not taken. */
static void hand_chunk(struct kafka *kafka, rd_kafka_topic_t *topic, rd_kafka_message_t *messages,
                       size_t count)
{
    bool missing = false;
    produce(kafka, topic, messages, count);
    for (size_t i = 0; i < count; i++) {
        if (messages[i].err == RD_KAFKA_RESP_ERR_NO_ERROR)
            continue;
        missing = missing || kafka_fate_topic_is_missing(messages[i].err);
        settle(kafka, messages[i]._private, kafka_fate_unsent(messages[i].err), messages[i].err);
    }
    if (missing)
        kafka_producer_ask(&kafka->producer, topic);
}

/* Whether the record of that place is a message of its own that is to be sent. */
static bool is_pending(const struct kafka *kafka, const struct delivery_block *block, size_t record)
{
    return kafka->per == MESSAGE_BLOCK ? record == 0 : !block->records[record].done;
}

static void hand_over(struct kafka *kafka, rd_kafka_topic_t *topic, size_t flight)
{
    const struct delivery_block *block = kafka->flights[flight].block;
    rd_kafka_message_t messages[CHUNK];
    size_t filled = 0;
    for (size_t i = 0; i < block->count; i++) {
        if (!is_pending(kafka, block, i))
            continue;
        messages[filled++] = message_of(kafka, flight, i);
        if (filled == CHUNK) {
            hand_chunk(kafka, topic, messages, filled);
            filled = 0;
        }
    }
    if (filled != 0)
        hand_chunk(kafka, topic, messages, filled);
}

static void refuse_all(struct kafka *kafka, size_t flight)
{
    const struct delivery_block *block = kafka->flights[flight].block;
    for (size_t i = 0; i < block->count; i++)
        if (is_pending(kafka, block, i))
            settle(kafka, token(flight, i),
                   (struct kafka_fate){DELIVERY_REFUSED, DELIVERY_REJECTED},
                   RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION);
}

/* That is their fate until their reports. Returns how many messages there are. */
static size_t begin_messages(const struct kafka *kafka, struct delivery_block *block,
                             enum delivery_fate fate)
{
    size_t count = 0;
    block->per_record = kafka->per != MESSAGE_BLOCK;
    block->fate = (uint8_t)fate;
    for (size_t i = 0; i < block->count; i++) {
        if (!is_pending(kafka, block, i))
            continue;
        count++;
        if (block->per_record)
            block->records[i].fate = (uint8_t)fate;
    }
    return count;
}

static void hand_flight(struct kafka *kafka, size_t at)
{
    struct flight *flight = &kafka->flights[at];
    begin_messages(kafka, flight->block, DELIVERY_UNKNOWN);
    flight->handed = true;
    flight->handed_ns = clock_monotonic_ns();
    flight->messages = flight->unreported;
    note_unreported(kafka, kafka->unreported + flight->messages);
    kafka->handed++;
    rd_kafka_topic_t *topic =
        kafka_topics_find(kafka->producer.topics, kafka->producer.handle, flight->block->route);
    if (topic == NULL)
        refuse_all(kafka, at);
    else
        hand_over(kafka, topic, at);
}

/* The flight that waits for the longest time; FLIGHTS: none does. */
static size_t first_waiting(const struct kafka *kafka)
{
    size_t first = FLIGHTS;
    for (size_t i = 0; i < kafka->flight_count; i++) {
        const struct flight *flight = &kafka->flights[i];
        if (flight->unreported != 0 && !flight->handed &&
            (first == FLIGHTS || flight->turn < kafka->flights[first].turn))
            first = i;
    }
    return first;
}

/* Hands over what can be sent without something else of it having to wait. */
static void hand_waiting(struct kafka *kafka)
{
    size_t at, messages = 0, bytes = 0;
    bool per_block = kafka->per == MESSAGE_BLOCK;
    if (!kafka_producer_takes(&kafka->producer) || (!per_block && kafka->handed != 0))
        return;
    while ((at = first_waiting(kafka)) != FLIGHTS) {
        const struct flight *flight = &kafka->flights[at];
        messages += flight->unreported;
        bytes += flight->block->size + flight->unreported * MESSAGE_HEAD;
        bool room = per_block ? kafka->handed < BLOCKS_MOST
                              : kafka->handed == 0 ||
                                    (messages <= REQUEST_MESSAGES && bytes <= REQUEST_SIZE);
        if (!room)
            return;
        hand_flight(kafka, at);
    }
}

/* Without a producer that takes them, or behind blocks that nobody answers, their time goes by. */
static void give_back_late(struct kafka *kafka, int64_t now_ns)
{
    for (size_t i = 0; i < kafka->flight_count; i++) {
        struct flight *flight = &kafka->flights[i];
        if (flight->unreported == 0 || flight->handed || now_ns < flight->until_ns)
            continue;
        flight->unreported = 0;
        error_set(&flight->error, EXIT_CODE_IO, "no broker has taken what was to be sent before");
        note_done(kafka, i);
    }
}

static bool send_block(struct destination *destination, struct delivery_block *block,
                       struct error *error)
{
    (void)error;
    struct kafka *kafka = of(destination);
    size_t flight = free_flight(kafka);
    if (flight >= kafka->flight_count || kafka_producer_is_left(&kafka->producer))
        return false;
    int64_t now_ns = clock_monotonic_ns();
    kafka->flights[flight] = (struct flight){
        .block = block,
        .unreported = begin_messages(kafka, block, DELIVERY_NOT_SENT),
        .turn = ++kafka->turns,
        .until_ns = kafka->timeout_ns == INT64_MAX ? INT64_MAX : now_ns + kafka->timeout_ns,
    };
    hand_waiting(kafka);
    return true;
}

static void serve(struct destination *destination)
{
    struct kafka *kafka = of(destination);
    kafka_producer_poll(&kafka->producer);
    kafka_producer_renew(&kafka->producer, &kafka->unreported);
    hand_waiting(kafka);
    give_back_late(kafka, clock_monotonic_ns());
}

static int64_t due(const struct destination *destination)
{
    const struct kafka *kafka = (const struct kafka *)destination;
    /* A block that the library refused at once has its answer without an event. */
    if (kafka->done_count != 0)
        return 0;
    int64_t due_ns = kafka_producer_due(&kafka->producer);
    for (size_t i = 0; i < kafka->flight_count; i++) {
        const struct flight *flight = &kafka->flights[i];
        if (flight->unreported != 0 && !flight->handed && flight->until_ns < due_ns)
            due_ns = flight->until_ns;
    }
    return due_ns;
}

static bool route(struct destination *destination, const struct listener *listener,
                  const struct record *record, char *name)
{
    return topic_template_expand(&of(destination)->topic, listener, record, name) != 0;
}

static size_t key(struct destination *destination, const struct listener *listener,
                  const struct record *record, uint8_t *bytes)
{
    (void)listener;
    return record_key(&of(destination)->key, record, bytes);
}

static struct delivery_block *answer(struct destination *destination, struct error *error,
                                     int64_t *retry_after_ns)
{
    struct kafka *kafka = of(destination);
    *retry_after_ns = 0;
    if (kafka->done_count == 0)
        return NULL;
    struct flight *flight = &kafka->flights[kafka->done[kafka->done_at]];
    kafka->done_at = (kafka->done_at + 1) % FLIGHTS;
    kafka->done_count--;
    struct delivery_block *block = flight->block;
    if (error != NULL)
        *error = flight->error;
    flight->block = NULL;
    return block;
}

/*
 * A block that is not reported in time stays where it is: the library has no copy of it, and may be
 * about to send it. Its fates stay as they began.
 */
static void leave(struct kafka *kafka, size_t at)
{
    struct flight *flight = &kafka->flights[at];
    if (flight->handed) {
        kafka_producer_lend(&kafka->producer, flight->block->bytes, flight->block->keys);
        flight->block->lent = true;
    }
    flight->unreported = 0;
    error_set(&flight->error, EXIT_CODE_IO, "no report came in time");
    note_done(kafka, at);
}

static void abandon(struct destination *destination)
{
    struct kafka *kafka = of(destination);
    if (kafka->handed != 0)
        kafka_producer_abandon(&kafka->producer, ABANDON_MS);
    for (size_t i = 0; i < FLIGHTS; i++)
        if (kafka->flights[i].unreported != 0)
            leave(kafka, i);
    kafka->handed = 0;
    note_unreported(kafka, 0);
}

/* --- making one ------------------------------------------------------------------------------- */

static const struct delivery_ops delivery_ops = {
    .send = send_block,
    .answer = answer,
    .route = route,
    .key = key,
    .due = due,
    .serve = serve,
    .abandon = abandon,
};

static void destroy(struct destination *destination)
{
    struct kafka *kafka = of(destination);
    kafka_producer_destroy(&kafka->producer);
    free(kafka);
}

/* What Kafka allows in a name: letters, digits, '.', '_' and '-', and neither "." nor "..". */
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
        kafka->place.route, "is no topic: it may have letters, digits, '.', '_' and '-'", error);
}

/* Reads what stands in the options. Returns 0, or -1 with `error` filled. */
static int read_options(struct kafka *kafka, const struct destination_options *options,
                        struct error *error)
{
    kafka->library = kafka_library(error);
    if (kafka->library == NULL ||
        broker_place_read(options->path, DEFAULT_PORT, &kafka->place, error) != 0 ||
        topic_template_read(&kafka->topic, kafka->place.route, false, error) != 0 ||
        check_topic(kafka, error) != 0)
        return -1;
    kafka->per = options->broker.per == MESSAGE_BLOCK ? MESSAGE_BLOCK : MESSAGE_RECORD;
    kafka->flight_count = options->in_flight < FLIGHTS ? options->in_flight : FLIGHTS;
    kafka->timeout_ns = options->spills ? INT64_MAX : (int64_t)options->timeout_ns;
    kafka->key = options->broker.key;
    kafka->strips_newline = !options->encoder->binary;
    kafka->producer = (struct kafka_producer){
        .library = kafka->library,
        .name = options->name,
        .wakeup = options->wakeup,
        .settings = {.brokers = kafka->place.brokers,
                     .compression = broker_compression_names[options->broker.compression],
                     .properties = options->broker.properties,
                     .lines = options->broker.kafka,
                     .timeout_ns = options->spills ? 0 : options->timeout_ns},
        .figures = &kafka->figures,
        .report = report,
        .context = kafka,
    };
    kafka_headers_init(&kafka->headers, options->broker.headers);
    return 0;
}

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    struct kafka *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    if (read_options(made, options, error) != 0) {
        free(made);
        return -1;
    }
    made->destination = (struct destination){
        .delivery = &delivery_ops,
        .figures = &made->figures,
        .has_figures = DELIVERY_HAS(FIGURE_COUNT) - 1 + DELIVERY_HAS_TIMES,
        .destroy = destroy,
    };
    if (kafka_producer_create(&made->producer, options->broker.max_topics, error) != 0) {
        destroy(&made->destination);
        return -1;
    }
    *out = &made->destination;
    return 0;
}

/*
 * Makes what create would make a producer of: both are the caller's to free. Returns 0, or -1 with
 * `error` filled.
 */
static int prepare(const struct destination_options *options, struct kafka **tried,
                   rd_kafka_conf_t **conf, struct error *error)
{
    struct kafka *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    *conf = NULL;
    if (read_options(made, options, error) == 0)
        *conf = kafka_settings_make(made->library, &made->producer.settings, error);
    if (*conf == NULL) {
        free(made);
        return -1;
    }
    *tried = made;
    return 0;
}

/* All but the producer: that would connect. */
static int check(const struct destination_options *options, struct error *error)
{
    struct kafka *tried;
    rd_kafka_conf_t *conf;
    if (prepare(options, &tried, &conf, error) != 0)
        return -1;
    tried->library->conf_destroy(conf);
    free(tried);
    return 0;
}

static int probe(const struct destination_options *options, int64_t timeout_ns, char *reached,
                 struct error *error)
{
    struct kafka *tried;
    rd_kafka_conf_t *conf;
    char name[DELIVERY_ROUTE_SIZE];
    if (prepare(options, &tried, &conf, error) != 0)
        return -1;
    bool is_fixed = !tried->topic.has_values && !tried->topic.has_time;
    topic_template_example(&tried->topic, name);
    int result =
        kafka_probe_run(tried->library, conf, is_fixed ? name : NULL, timeout_ns, reached, error);
    free(tried);
    return result;
}

static bool shape(const struct destination_options *options, struct destination_shape *shape)
{
    *shape = (struct destination_shape){
        .memory =
            sizeof(struct kafka) + kafka_topics_memory(options->broker.max_topics) + LIBRARY_MEMORY,
    };
    return true;
}

const struct destination_ops destination_kafka = {
    .scheme = "kafka",
    .place = "//BROKER[,BROKER]/TOPIC",
    .needs_path = true,
    .library = kafka_library_version,
    .is_delivery = true,
    .is_kafka = true,
    .takes_property = kafka_settings_takes,
    .shape = shape,
    .check = check,
    .probe = probe,
    .create = create,
};
