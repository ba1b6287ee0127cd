#include "collector/config_tests/config_test_feed.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/capture/capture.h"
#include "collector/contract/schema.h"
#include "collector/contract/source.h"
#include "collector/platform/input_file.h"
#include "collector/platform/thread.h"
#include "collector/platform/udp.h"
#include "collector/receive/ingest.h"
#include "collector/receive/stream_blocks.h"
#include "collector/receive/stream_connection.h"

/* A time that is longer than any test, so that timeouts do not occur. */
#define NEVER_NS (INT64_MAX / 4)

struct feeder {
    struct config_test_feed *feed;
    struct ingest_thread *thread;
    struct ingest *ingest;
    struct thread *runner;
    struct address destination;
    _Atomic bool stopping;
    _Atomic bool finished;
    void (*on_finish)(void *context);
    void *context;
};

static void feed_fail(struct feeder *feeder, const struct error *error)
{
    if (!feeder->feed->damaged)
        feeder->feed->error = *error;
    feeder->feed->damaged = true;
}

static void fail_without_memory(struct feeder *feeder)
{
    struct error error;
    error_no_memory(&error);
    feed_fail(feeder, &error);
}

/* --- datagrams -------------------------------------------------------------------------------- */

/* Passes a datagram to ingest, truncated as a socket of the listener would truncate it. */
static void take_datagram(struct feeder *feeder, const uint8_t *data, size_t size,
                          const struct address *source, const struct address *destination,
                          int64_t time_ns)
{
    const struct listener_config *listener = feeder->feed->listener;
    bool limited = (listener->source->keys & SOURCE_KEYS_SOCKET) != 0;
    size_t most = limited ? (size_t)listener->max_datagram : DATAGRAM_MAX_SIZE;
    size_t held = size < most ? size : most;
    const struct datagram_slot slot = {
        .front = data,
        .rest = held > DATAGRAM_FRONT_SIZE ? data + DATAGRAM_FRONT_SIZE : NULL,
        .size = (uint32_t)held,
        .sent_size = (uint32_t)size,
        .truncated = held < size,
        .source = *source,
        .destination = destination,
        .received_ns = time_ns,
    };
    ingest_take(feeder->ingest, &slot);
    ingest_drained(feeder->ingest, 0, 0);
}

static void take_capture(struct feeder *feeder, const struct feed_item *item)
{
    const struct listener_config *listener = feeder->feed->listener;
    bool filtered = (listener->source->keys & SOURCE_KEYS_CAPTURE) != 0;
    struct capture *capture;
    struct capture_datagram datagram;
    struct error error;
    /* Refuses pipes, which may never end and cannot be read again. */
    if (input_load_check(item->capture, &error) != 0) {
        feed_fail(feeder, &error);
        return;
    }
    if (capture_open(item->capture, filtered ? (uint16_t)listener->port : 0, &capture, &error) !=
        0) {
        feed_fail(feeder, &error);
        return;
    }
    enum capture_result result;
    while ((result = capture_next(capture, &datagram, &error)) == CAPTURE_DATAGRAM &&
           !atomic_load_explicit(&feeder->stopping, memory_order_relaxed))
        take_datagram(feeder, datagram.data, datagram.size, &datagram.source, &datagram.destination,
                      datagram.time_ns != 0 ? datagram.time_ns : item->time_ns);
    if (result == CAPTURE_DAMAGED)
        feed_fail(feeder, &error);
    capture_close(capture);
}

/* --- connections ------------------------------------------------------------------------------ */

/* The bytes of a connection that are not read yet; the context of its channel. */
struct sent {
    const uint8_t *at;
    size_t left;
};

static bool begin_channel(struct stream_channel *channel, void *context, struct stream_share *share)
{
    (void)share;
    channel->session = context;
    return true;
}

static enum channel_result feed_receive(struct stream_channel *channel, void *to, size_t size,
                                        size_t *done)
{
    struct sent *sent = channel->session;
    *done = size < sent->left ? size : sent->left;
    if (*done == 0)
        return CHANNEL_END;
    memcpy(to, sent->at, *done);
    sent->at += *done;
    sent->left -= *done;
    return CHANNEL_OK;
}

static enum channel_result feed_transmit(struct stream_channel *channel, const void *bytes,
                                         size_t size, size_t *done)
{
    (void)channel;
    (void)bytes;
    *done = size;
    return CHANNEL_OK;
}

static void end_channel(struct stream_channel *channel)
{
    (void)channel;
}

static const struct channel_ops channel_in_memory = {
    .begin = begin_channel,
    .receive = feed_receive,
    .send = feed_transmit,
    .finish = end_channel,
    .close = end_channel,
};

static const struct schema_ops *answering(const struct listener_config *listener)
{
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].ops->answer != NULL)
            return listener->schemas[i].ops;
    return NULL;
}

static void read_to_end(struct feeder *feeder, const struct stream_settings *settings,
                        struct stream_worker *worker, const struct feed_item *item)
{
    struct stream_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
        fail_without_memory(feeder);
        return;
    }
    struct stream_share share = {0};
    stream_connection_begin(connection, NO_HANDLE, &item->source, &share, 0, settings);
    connection->own = &feeder->destination;
    do
        stream_connection_read(connection, settings, worker, true, 0);
    while (stream_connection_answer(connection, settings, 0) != STREAM_CLOSE);
    stream_connection_end(connection, settings);
    free(connection);
}

static void take_connection(struct feeder *feeder, const struct feed_item *item)
{
    const struct listener_config *listener = feeder->feed->listener;
    const char *type = listener->content_type != NULL ? listener->content_type : "";
    struct sent sent = {item->data, item->size};
    struct stream_settings settings = {
        .framing = listener->schemas[0].framing,
        .content_type = {type, strlen(type)},
        .answering = answering(listener),
        .max_frame = (size_t)listener->max_frame,
        .kind = {.ops = &channel_in_memory, .context = &sent},
        .idle_ns = NEVER_NS,
        .frame_ns = NEVER_NS,
        .blocks = stream_blocks_create(1, stream_block_size((size_t)listener->max_frame)),
        .arrival_ns = item->time_ns,
    };
    struct stream_worker *worker = calloc(1, sizeof *worker);
    if (worker != NULL && settings.blocks != NULL) {
        worker->ingest = feeder->ingest;
        worker->counters = ingest_counters(feeder->ingest);
        read_to_end(feeder, &settings, worker, item);
    } else {
        fail_without_memory(feeder);
    }
    free(worker);
    stream_blocks_destroy(settings.blocks);
}

/* --- the thread ------------------------------------------------------------------------------- */

static void take_item(struct feeder *feeder, const struct feed_item *item)
{
    if (item->capture != NULL)
        take_capture(feeder, item);
    else if (config_test_feed_is_stream(feeder->feed->listener))
        take_connection(feeder, item);
    else
        take_datagram(feeder, item->data, item->size, &item->source, &feeder->destination,
                      item->time_ns);
}

static void feed_run(void *argument)
{
    struct feeder *feeder = argument;
    const struct config_test_feed *feed = feeder->feed;
    for (size_t i = 0; i < feed->count && !atomic_load(&feeder->stopping); i++)
        take_item(feeder, &feed->items[i]);
    ingest_finish(feeder->ingest);
    ingest_thread_close(feeder->thread);
    fan_out_close(feeder->thread->fan_out);
    atomic_store(&feeder->finished, true);
    feeder->on_finish(feeder->context);
}

static int feed_start(void *producer, struct error *error)
{
    struct feeder *feeder = producer;
    RULE(feeder->runner == NULL && !atomic_load(&feeder->finished), "a feed is started once");
    return thread_start(&feeder->runner, "input", feed_run, feeder, error);
}

static void feed_stop(void *producer, int64_t deadline_ns)
{
    struct feeder *feeder = producer;
    atomic_store(&feeder->stopping, true);
    fan_out_set_deadline(feeder->thread->fan_out, deadline_ns);
}

static bool feed_has_finished(const void *producer)
{
    const struct feeder *feeder = producer;
    return atomic_load(&feeder->finished);
}

static void feed_join(void *producer)
{
    struct feeder *feeder = producer;
    RULE(feeder->runner != NULL, "a feed that was started is joined once");
    thread_join(feeder->runner);
    feeder->runner = NULL;
}

static void feed_destroy(void *producer)
{
    struct feeder *feeder = producer;
    if (feeder == NULL)
        return;
    RULE(feeder->runner == NULL, "a feed is destroyed after its thread was joined");
    ingest_destroy(feeder->ingest);
    free(feeder);
}

/*
 * Returns the destination address of datagrams: the listener's address, or, if that is a wildcard,
 * an address of its family.
 */
static struct address feed_destination(const struct listener_config *listener)
{
    static const uint8_t ipv4[4] = {192, 0, 2, 2};
    static const uint8_t ipv6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 2};
    const struct address *own = &listener->address;
    if (own->family != ADDRESS_NONE && !address_is_wildcard(own))
        return *own;
    return own->family == ADDRESS_IPV6 ? address_from_ipv6(ipv6, 0, own->port)
                                       : address_from_ipv4(ipv4, own->port);
}

/*
 * Creates the feeder. `place` of the listener points to the first member of the feed, so it leads
 * to the feed.
 */
static int feed_create(void **producer, struct source *source, struct ingest_thread *thread,
                       const struct source_host *host, struct error *error)
{
    struct feeder *feeder = calloc(1, sizeof *feeder);
    if (feeder == NULL)
        return error_no_memory(error);
    feeder->feed = (struct config_test_feed *)source->config->place;
    feeder->thread = thread;
    RULE(feeder->feed->listener != NULL, "a feed is joined before its source is created");
    feeder->destination = feed_destination(feeder->feed->listener);
    feeder->on_finish = host->finished;
    feeder->context = host->context;
    feeder->ingest =
        ingest_create(thread, &source->listener, thread->counters[source->listener.index]);
    *producer = feeder;
    return feeder->ingest == NULL ? error_no_memory(error) : 0;
}

static const struct producer_ops feeder_ops = {
    .start = feed_start,
    .stop = feed_stop,
    .has_finished = feed_has_finished,
    .join = feed_join,
    .destroy = feed_destroy,
};

static size_t longest_message(const struct listener_config *listener)
{
    const struct listener_config *original =
        ((const struct config_test_feed *)listener->place)->listener;
    return original->source->longest == NULL ? DATAGRAM_MAX_SIZE
                                             : original->source->longest(original);
}

static const struct source_ops source_in_memory = {
    .scheme = "test",
    .syntax = "test:",
    .kind = "udp", /* not "capture", because the ledger counts frames for captures */
    .place = PLACE_NAME,
    .ends = true,
    .waits = true,
    .producer = &feeder_ops,
    .longest = longest_message,
    .create = feed_create,
    .own_thread = "the input of a test has its own thread",
};

bool config_test_feed_is_stream(const struct listener_config *listener)
{
    return (listener->source->keys & SOURCE_KEYS_STREAM) != 0;
}

void config_test_feed_join(struct config_test_feed *feed, const struct listener_config *original,
                           struct listener_config *listener)
{
    *listener = *original;
    listener->source = &source_in_memory;
    listener->place = feed->place;
    feed->listener = original;
}
