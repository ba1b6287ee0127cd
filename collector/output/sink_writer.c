#include "collector/output/sink_writer.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/contract/destination_stream.h"
#include "collector/log/log.h"
#include "collector/output/sink_options.h"
#include "collector/platform/clock.h"
#include "collector/record/mismatch_hint.h"

/*
 * The pause after a failed write in milliseconds. It is doubled at each failure, up to the longest
 * pause. After LONGEST_PAUSE_MS without failures, the next pause is FIRST_PAUSE_MS again.
 */
#define FIRST_PAUSE_MS   10
#define LONGEST_PAUSE_MS 1000

/*
 * A destination may be reported writable and then accept no byte, for instance because another
 * writer was quicker. After SPURIOUS_MOST such waits in a row, the writer pauses for
 * SPURIOUS_PAUSE_NS (nanoseconds) instead of waiting for the handle.
 */
#define SPURIOUS_MOST     10
#define SPURIOUS_PAUSE_NS INT64_C(10000000)

/* --- outcomes of records ---------------------------------------------------------------------- */

static void commit_records(struct sink_writer *writer, struct counter *outcome, size_t records)
{
    counter_add(outcome, records);
    writer->unpublished += records;
}

void sink_writer_publish(struct sink_writer *writer)
{
    if (writer->unpublished == 0)
        return;
    atomic_fetch_sub_explicit(&writer->options.counters->in_flight, (int64_t)writer->unpublished,
                              memory_order_relaxed);
    writer->unpublished = 0;
}

void sink_writer_count_written(struct sink_writer *writer, size_t records,
                               const struct encoded *sum)
{
    struct sink_counters *counters = writer->options.counters;
    counter_add(&counters->lines, sum->lines);
    counter_add(&counters->samples, sum->samples);
    counter_add(&counters->json_fallback, sum->json_fallbacks);
    counter_add(&counters->left_out, sum->left_out);
    commit_records(writer, &counters->written, records);
}

void sink_writer_count_evicted(struct sink_writer *writer, size_t records)
{
    commit_records(writer, &writer->options.counters->evicted, records);
}

static enum record_failure failure_reason(const struct sink_writer *writer)
{
    if (writer->state == SINK_ENDED)
        return FAILED_READER_GONE;
    if (writer->cannot_write)
        return FAILED_IO_ERROR;
    return writer->unattended ? FAILED_COMMAND_ENDED : FAILED_STOP_TIMEOUT;
}

void sink_writer_count_failed(struct sink_writer *writer, size_t records)
{
    sink_writer_count_failed_by(writer, failure_reason(writer), records);
}

void sink_writer_count_failed_by(struct sink_writer *writer, enum record_failure reason,
                                 size_t records)
{
    commit_records(writer, &writer->options.counters->failed[reason], records);
}

void sink_writer_count_unknown(struct sink_writer *writer, size_t records)
{
    commit_records(writer, &writer->options.counters->unknown, records);
}

void sink_writer_note_spilled(struct sink_writer *writer, size_t records)
{
    writer->unpublished += records;
}

void sink_writer_note_unspilled(struct sink_writer *writer, size_t records)
{
    atomic_fetch_add_explicit(&writer->options.counters->in_flight, (int64_t)records,
                              memory_order_relaxed);
}

void sink_writer_count_raw_refused(struct sink_writer *writer, size_t datagrams)
{
    if (writer->options.settings->relay.raw)
        counter_add(&writer->options.counters->raw_refused, datagrams);
}

/*
 * With sample rules, only one in HINT_RULED_ONE_IN filtered records is examined for the hint that
 * the schema does not match, because the rules leave out many records on purpose.
 */
#define HINT_RULED_ONE_IN 64

static void hint_at_filtered(const struct sink_writer *writer, const struct record *record)
{
    const struct sink_thread_options *options = &writer->options;
    const struct listener *listener = record->listener;
    bool ruled = sample_rules_filter(&options->settings->encoding.rules);
    if (listener->hint == NULL ||
        (ruled && counter_read(&options->counters->filtered) % HINT_RULED_ONE_IN != 0))
        return;
    mismatch_hint_no_line(listener->hint, listener->name, record, options->name);
}

/*
 * Logs once that the sample rules have left out every record for the stall timeout, because a glob
 * may be misspelt.
 */
static void hint_at_rules(struct sink_writer *writer)
{
    const struct sink_thread_options *options = &writer->options;
    const struct sample_rules *rules = &options->settings->encoding.rules;
    if (writer->rules_settled || !sample_rules_filter(rules))
        return;
    int64_t now = clock_monotonic_ns();
    if (writer->rules_since_ns == 0)
        writer->rules_since_ns = now;
    if (now - writer->rules_since_ns < (int64_t)options->stall_timeout_ns)
        return;
    writer->rules_settled = true;
    log_about(LOG_WARNING, LOG_OF_SINK, options->name,
              "the rules for samples (%s=) have left out all records since the first, for %.0f s; "
              "check them: sluice explain filtered",
              sample_rules_given(rules), (double)(now - writer->rules_since_ns) / 1e9);
}

void sink_writer_count_filtered(struct sink_writer *writer, const struct record *record)
{
    hint_at_filtered(writer, record);
    hint_at_rules(writer);
    commit_records(writer, &writer->options.counters->filtered, 1);
}

/*
 * Counts the samples and labels of a record that could not be written as they are. Also called for
 * records that are not written.
 */
static void count_changes(const struct sink_writer *writer, const struct encoded *encoded)
{
    if (encoded->left_out != 0)
        counter_add(&writer->options.counters->left_out, encoded->left_out);
    if (encoded->joined != 0)
        counter_add(&writer->options.counters->labels_joined, encoded->joined);
}

bool sink_writer_encode(struct sink_writer *writer, const struct listener *listener,
                        const struct record *record, struct output *out, struct encoded *encoded)
{
    size_t start = out->used;
    *encoded = writer->options.settings->encoder->encode(writer->encoder, listener, record, out);
    count_changes(writer, encoded);
    sink_series_count(&writer->series, writer->options.name, writer->options.counters, encoded);
    bool allowed = encoder_allows(&writer->options.settings->encoding, record, out->used - start);
    if (!out->overflow && allowed && encoded->lines != 0) {
        writer->rules_settled = true;
        return true;
    }
    if (out->overflow)
        sink_writer_count_failed_by(writer, FAILED_TOO_LARGE, 1);
    else if (!allowed)
        sink_writer_count_failed_by(writer, FAILED_AMPLIFIED, 1);
    else if (encoded->series_refused + encoded->out_of_time != 0)
        commit_records(writer, &writer->options.counters->filtered, 1);
    else
        sink_writer_count_filtered(writer, record);
    out->overflow = false;
    out->used = start;
    return false;
}

/* --- the outcome of writes -------------------------------------------------------------------- */

bool sink_writer_block(struct sink_writer *writer, wait_handle handle, bool want_write,
                       int64_t until_ns)
{
    writer->waited = true;
    writer->block = (struct sink_block){handle, want_write, until_ns};
    if (handle != NO_HANDLE && writer->spurious >= SPURIOUS_MOST) {
        int64_t paused_ns = clock_monotonic_ns() + SPURIOUS_PAUSE_NS;
        writer->block = (struct sink_block){
            .handle = NO_HANDLE,
            .until_ns = paused_ns < until_ns ? paused_ns : until_ns,
        };
    }
    return false;
}

void sink_writer_report_wait(struct sink_writer *writer, enum wakeup_reason reason)
{
    uint64_t left_out;
    if (reason == WAKEUP_FAILED && log_allowed(&writer->wait_log, &left_out))
        log_about(LOG_ERROR, LOG_OF_SINK, writer->options.name,
                  "waiting for events fails; this sink polls every millisecond instead");
}

void sink_writer_note_wait(struct sink_writer *writer, enum wakeup_reason reason)
{
    sink_writer_report_wait(writer, reason);
    bool ready = reason == WAKEUP_WRITABLE || reason == WAKEUP_BROKEN;
    if (ready && writer->spurious < SPURIOUS_MOST)
        writer->spurious++;
}

void sink_writer_begin_io(struct sink_writer *writer)
{
    heartbeat_wait(writer->heartbeat);
}

void sink_writer_end_io(struct sink_writer *writer)
{
    heartbeat_work(writer->heartbeat);
}

void sink_writer_end(struct sink_writer *writer)
{
    RULE(writer->state == SINK_WRITING, "a sink ends while it writes, and once");
    writer->state = SINK_ENDED;
    atomic_store(&writer->ended, true);
    log_about(LOG_INFO, LOG_OF_SINK, writer->options.name,
              "the reader has gone; this sink has ended");
    if (writer->options.ended != NULL)
        writer->options.ended(writer->options.ended_context);
}

void sink_writer_note_failure(struct sink_writer *writer)
{
    if (!writer->failing)
        atomic_store_explicit(&writer->fails_since_ns, clock_monotonic_ns(), memory_order_relaxed);
    writer->failing = true;
}

static void writer_note_trouble(struct sink_writer *writer, const char *what, bool is_silent)
{
    struct sink_outage *outage = &writer->outage;
    char waiting[SINK_WAITING_SIZE] = "";
    if (!sink_outage_note(outage, writer->options.counters, what))
        return;
    if (writer->ops->describe_waiting != NULL)
        writer->ops->describe_waiting(writer, waiting);
    sink_outage_log(outage, writer->options.name, writer->options.counters, what, is_silent,
                    waiting);
}

void sink_writer_note_outage(struct sink_writer *writer, const char *what)
{
    writer_note_trouble(writer, what, false);
}

void sink_writer_note_silence(struct sink_writer *writer, const char *what)
{
    writer_note_trouble(writer, what, true);
}

void sink_writer_note_retry(struct sink_writer *writer, const struct error *error)
{
    counter_add(&writer->options.counters->write_errors, 1);
    sink_writer_note_outage(writer, error->text);
    sink_writer_note_failure(writer);
}

void sink_writer_pause(struct sink_writer *writer, const struct error *error)
{
    sink_writer_note_retry(writer, error);
    writer->cannot_write = true;
    int64_t now = clock_monotonic_ns();
    if (now >= writer->calm_ns)
        writer->pause_ms = FIRST_PAUSE_MS;
    writer->pausing = true;
    sink_writer_block(writer, NO_HANDLE, false, now + writer->pause_ms * INT64_C(1000000));
}

/*
 * Returns true if the pause is over. Any wake-up ends the pause, because it may request a
 * reopening, which may make writes succeed. Only a wake-up that requests room in a queue does not
 * end it.
 */
bool sink_writer_has_paused(struct sink_writer *writer)
{
    if (!writer->pausing)
        return true;
    int64_t now = clock_monotonic_ns();
    if (writer->made_room && now < writer->block.until_ns && !deadline_is_over(&writer->deadline) &&
        !atomic_load_explicit(&writer->reopen_wanted, memory_order_relaxed))
        return false;
    writer->pausing = false;
    writer->pause_ms =
        writer->pause_ms * 2 < LONGEST_PAUSE_MS ? writer->pause_ms * 2 : LONGEST_PAUSE_MS;
    writer->calm_ns = now + LONGEST_PAUSE_MS * INT64_C(1000000);
    return true;
}

static void end_outage(struct sink_writer *writer, const char *how)
{
    sink_outage_end(&writer->outage, writer->options.name, writer->options.counters, how);
    if (writer->failing)
        atomic_store_explicit(&writer->fails_since_ns, 0, memory_order_relaxed);
    writer->failing = false;
}

void sink_writer_note_return(struct sink_writer *writer)
{
    end_outage(writer, "connected again");
}

void sink_writer_note_success(struct sink_writer *writer)
{
    end_outage(writer, "writing again");
    writer->spurious = 0;
    writer->cannot_write = false;
    if (writer->waited)
        atomic_store_explicit(&writer->waits_since_ns, clock_monotonic_ns(), memory_order_relaxed);
    writer->waited = false;
}

void sink_writer_note_reader(struct sink_writer *writer, bool there)
{
    if (writer->unattended != there)
        return;
    writer->unattended = !there;
    if (!writer->failing)
        atomic_store_explicit(&writer->fails_since_ns, there ? 0 : clock_monotonic_ns(),
                              memory_order_relaxed);
}

void sink_writer_begin_block(struct sink_writer *writer)
{
    writer->waited = false;
    writer->write_begun_ns = clock_monotonic_ns();
    atomic_store_explicit(&writer->waits_since_ns, writer->write_begun_ns, memory_order_relaxed);
}

void sink_writer_end_block(struct sink_writer *writer, bool out)
{
    writer->waited = false; /* a wait for bytes outside of a block is not published */
    atomic_store_explicit(&writer->waits_since_ns, 0, memory_order_relaxed);
    if (out)
        histogram_note(&writer->options.counters->write_time, histogram_times,
                       (uint64_t)(clock_monotonic_ns() - writer->write_begun_ns));
}

bool sink_writer_goes_on(struct sink_writer *writer)
{
    if (writer->state == SINK_WRITING && !writer->stores && deadline_is_over(&writer->deadline))
        writer->state = SINK_GIVING_UP;
    return writer->state == SINK_WRITING;
}

int64_t sink_writer_collected_until(const struct sink_writer *writer, int64_t since_ns)
{
    uint64_t interval = writer->options.settings->flush_interval;
    return interval == 0 || interval > (uint64_t)(INT64_MAX - since_ns)
               ? INT64_MAX
               : since_ns + (int64_t)interval;
}

/* --- making a writer -------------------------------------------------------------------------- */

static int64_t delay_most_ns = SINK_DELAY_MOST_NS;

void sink_thread_set_delay_most(int64_t delay_ns)
{
    delay_most_ns = delay_ns;
}

/*
 * Returns the delay of the sink. A command counts as a reader even before it is started, when it
 * has no handle yet.
 */
static int64_t delay_of(const struct sink_writer *writer)
{
    const struct destination *destination = writer->destination;
    const struct stream_ops *stream = destination->stream;
    uint64_t asked = writer->options.settings->flush_interval;
    if (asked != 0)
        return asked < (uint64_t)delay_most_ns ? (int64_t)asked : delay_most_ns;
    if (writer->options.settings->at_once)
        return 0;
    if (destination->relay != NULL)
        return SINK_DELAY_PIPE_NS;
    if (stream == NULL)
        return delay_most_ns;
    if (stream->is_watched != NULL && stream->is_watched(destination))
        return 0;
    bool read = stream->restart != NULL || stream->handle(destination) != NO_HANDLE;
    return read ? SINK_DELAY_PIPE_NS : delay_most_ns;
}

void sink_writer_note_delay(struct sink_writer *writer)
{
    atomic_store_explicit(&writer->delay_ns, delay_of(writer), memory_order_relaxed);
}

int sink_writer_open(struct sink_writer *writer, struct error *error)
{
    RULE(writer->destination == NULL, "a sink opens one destination");
    const struct sink_thread_options *options = &writer->options;
    writer->head = (struct output){.data = writer->head_text, .capacity = sizeof writer->head_text};
    if (options->settings->encoder->begin != NULL)
        options->settings->encoder->begin(writer->encoder, &writer->head);
    struct destination_options to = sink_options_of_destination(options);
    to.head = writer->head.data;
    to.head_size = writer->head.used;
    to.counters = options->counters;
    to.wakeup = writer->wakeup;
    if (options->destination->absent != NULL)
        return sink_options_refuse_absent(options->destination, error);
    if (writer->ops->open != NULL && writer->ops->open(writer, error) != 0)
        return -1;
    return options->destination->create(&to, &writer->destination, error);
}

int sink_writer_init(struct sink_writer *writer, const struct sink_thread_options *options,
                     struct error *error)
{
    writer->options = *options;
    deadline_init(&writer->deadline);
    if (sink_outage_init(&writer->outage, error) != 0)
        return -1;
    struct encoder_options encoding = options->settings->encoding;
    if (sink_series_init(&writer->series, &encoding.limits, error) != 0)
        return -1;
    encoding.series = writer->series.guard;
    writer->encoder = options->settings->encoder->create(&encoding);
    if (writer->encoder != NULL)
        return wakeup_create(&writer->wakeup, error);
    error_set(error, EXIT_CODE_INTERNAL, "no memory for a sink");
    return -1;
}

void sink_writer_destroy(struct sink_writer *writer)
{
    if (writer == NULL)
        return;
    if (writer->destination != NULL)
        writer->destination->destroy(writer->destination);
    if (writer->encoder != NULL)
        writer->encoder->ops->destroy(writer->encoder);
    sink_series_destroy(&writer->series);
    wakeup_destroy(writer->wakeup);
    sink_outage_destroy(&writer->outage);
    writer->ops->destroy(writer);
}
