#include "collector/output/relay_writer.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/contract/destination_relay.h"
#include "collector/platform/clock.h"

/*
 * Size limits in bytes. Datagrams are sent when the collected ones have COLLECTED_SIZE bytes; the
 * buffer has room for one more datagram.
 */
#define COLLECTED_SIZE ((size_t)64 * 1024)
#define DATAGRAM_SIZE  ((size_t)64 * 1024)

/* Pause in nanoseconds if the socket's buffer is full. No event reports that it has room again. */
#define PAUSE_NS INT64_C(1000000)

struct relay_writer {
    struct sink_writer base;
    size_t count;
    struct relay_datagram datagrams[RELAY_MOST];
    bool raw[RELAY_MOST];       /* the datagram is undecoded, so it is counted separately */
    bool sending;               /* sending the datagrams has begun, but not ended */
    int64_t collected_until_ns; /* while there are datagrams: when they must be sent (monotonic) */
    struct log_limit log;
    struct output out; /* the bytes of the datagrams */
    char bytes[COLLECTED_SIZE + DATAGRAM_SIZE];
};

size_t relay_writer_memory(void)
{
    return sizeof(struct relay_writer);
}

static struct relay_writer *relay_of(struct sink_writer *writer)
{
    return (struct relay_writer *)writer;
}

/* --- sending ---------------------------------------------------------------------------------- */

static void log_unsent(struct relay_writer *relay, size_t unsent, const struct error *error)
{
    uint64_t left_out;
    if (log_allowed(&relay->log, &left_out))
        log_about(LOG_WARNING, LOG_OF_SINK, relay->base.options.name,
                  "%zu of %zu datagrams were not sent: %s", unsent, relay->count, error->text);
}

/*
 * Counts the outcomes of the datagrams. A datagram that was not sent to all targets may have been
 * sent to some; each of these sends counts as a line.
 */
static void count_outcomes(struct relay_writer *relay, const struct error *error)
{
    static const enum record_failure reasons[] = {
        [RELAY_SENT] = FAILED_SEND_ERROR,
        [RELAY_TOO_LARGE] = FAILED_TOO_LARGE,
        [RELAY_NO_SOURCE] = FAILED_NO_SOURCE,
        [RELAY_FAILED] = FAILED_SEND_ERROR,
    };
    struct sink_writer *writer = &relay->base;
    struct sink_counters *counters = writer->options.counters;
    struct encoded sum = {0};
    size_t unsent = 0, written = 0;
    for (size_t i = 0; i < relay->count; i++) {
        const struct relay_datagram *datagram = &relay->datagrams[i];
        bool sent = datagram->outcome == RELAY_SENT;
        RULE((size_t)datagram->outcome < sizeof reasons / sizeof reasons[0],
             "each datagram has an outcome");
        counter_add(&counters->bytes, datagram->sent * datagram->size);
        sum.lines += datagram->sent;
        unsent += !sent;
        if (relay->raw[i])
            counter_add(sent ? &counters->raw_sent : &counters->raw_refused, 1);
        else if (sent)
            written++;
        else if (writer->state == SINK_WRITING)
            sink_writer_count_failed_by(writer, reasons[datagram->outcome], 1);
        else
            sink_writer_count_failed(writer, 1);
    }
    sink_writer_count_written(writer, written, &sum);
    if (writer->state != SINK_WRITING) /* the deadline has passed before the datagrams could be
                                        * sent; the system has not refused them */
        return;
    if (unsent != 0)
        log_unsent(relay, unsent, error);
    if (unsent == relay->count)
        sink_writer_note_failure(writer);
    else
        sink_writer_note_success(writer);
}

static bool try_to_send(struct relay_writer *relay, struct error *error)
{
    struct sink_writer *writer = &relay->base;
    struct destination *destination = writer->destination;
    if (!sink_writer_goes_on(writer)) {
        destination->relay->cancel(destination, relay->datagrams, relay->count);
        return true;
    }
    sink_writer_begin_io(writer);
    if (writer->options.before_write != NULL)
        writer->options.before_write(writer->options.hook_context);
    bool done = destination->relay->send(destination, relay->datagrams, relay->count, error);
    sink_writer_end_io(writer);
    return done;
}

static bool relay_flush(struct sink_writer *writer)
{
    struct relay_writer *relay = relay_of(writer);
    struct error error = {0};
    if (relay->count == 0)
        return true;
    if (!relay->sending)
        sink_writer_begin_block(writer);
    relay->sending = true;
    if (!try_to_send(relay, &error))
        return sink_writer_block(writer, NO_HANDLE, false, clock_monotonic_ns() + PAUSE_NS);
    relay->sending = false;
    count_outcomes(relay, &error);
    sink_writer_end_block(writer, writer->state == SINK_WRITING);
    relay->count = 0;
    relay->out.used = 0;
    sink_writer_publish(writer);
    return true;
}

/* --- collecting ------------------------------------------------------------------------------- */

/*
 * Adds the datagram that was appended at `start` to the collected ones. Returns as `put` of struct
 * sink_writer_ops.
 */
static bool relay_add(struct sink_writer *writer, const struct record *record, size_t start,
                      bool raw)
{
    struct relay_writer *relay = relay_of(writer);
    RULE(relay->count < RELAY_MOST && !relay->sending, "a datagram is added between two sends");
    if (relay->count == 0)
        relay->collected_until_ns = writer->options.settings->flush_interval == 0
                                        ? INT64_MAX
                                        : sink_writer_collected_until(writer, clock_monotonic_ns());
    relay->raw[relay->count] = raw;
    relay->datagrams[relay->count++] = (struct relay_datagram){
        .source = record->source,
        .data = (const uint8_t *)relay->out.data + start,
        .size = relay->out.used - start,
    };
    bool full = relay->count == RELAY_MOST || relay->out.used >= COLLECTED_SIZE;
    return !full || relay_flush(writer);
}

static bool relay_put(struct sink_writer *writer, const struct listener *listener,
                      const struct record *record)
{
    struct relay_writer *relay = relay_of(writer);
    size_t start = relay->out.used;
    struct encoded encoded;
    return !sink_writer_encode(writer, listener, record, &relay->out, &encoded) ||
           relay_add(writer, record, start, false);
}

static bool relay_put_raw(struct sink_writer *writer, const struct record *record)
{
    struct output *out = &relay_of(writer)->out;
    size_t start = out->used;
    writer->options.settings->encoder->encode(writer->encoder, record->listener, record, out);
    if (!out->overflow)
        return relay_add(writer, record, start, true);
    out->overflow = false;
    out->used = start;
    sink_writer_count_raw_refused(writer, 1);
    return true;
}

static bool relay_has_work(const struct sink_writer *writer)
{
    const struct relay_writer *relay = (const struct relay_writer *)writer;
    return writer->options.settings->flush_interval == 0 && relay->count != 0;
}

static int64_t relay_due(const struct sink_writer *writer)
{
    const struct relay_writer *relay = (const struct relay_writer *)writer;
    return relay->count == 0 ? INT64_MAX : relay->collected_until_ns;
}

static bool relay_serve(struct sink_writer *writer, int64_t now_ns)
{
    return !relay_of(writer)->sending && now_ns < relay_due(writer) ? true : relay_flush(writer);
}

/* --- operations without effect ---------------------------------------------------------------- */

/* There is no file name to reopen. */
static void relay_reopen(struct sink_writer *writer)
{
    atomic_store(&writer->reopen_wanted, false);
}

/*
 * Returns no handle, because the system does not report whether a program receives the
 * datagrams.
 */
static wait_handle relay_handle(const struct sink_writer *writer)
{
    (void)writer;
    return NO_HANDLE;
}

/* --- making a writer -------------------------------------------------------------------------- */

static void relay_destroy(struct sink_writer *writer)
{
    free(relay_of(writer));
}

static const struct sink_writer_ops relay_writer_ops = {
    .put = relay_put,
    .put_on = relay_flush,
    .put_raw = relay_put_raw,
    .has_work = relay_has_work,
    .flush = relay_flush,
    .due = relay_due,
    .serve = relay_serve,
    .reopen = relay_reopen,
    .handle = relay_handle,
    .destroy = relay_destroy,
};

struct sink_writer *relay_writer_create(void)
{
    struct relay_writer *relay = calloc(1, sizeof *relay);
    if (relay == NULL)
        return NULL;
    relay->base.ops = &relay_writer_ops;
    relay->out = (struct output){.data = relay->bytes, .capacity = sizeof relay->bytes};
    return &relay->base;
}
