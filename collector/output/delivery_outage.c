#include "collector/output/delivery_outage.h"

#include <inttypes.h>
#include <stdio.h>

#define SECOND INT64_C(1000000000)

static double mebibytes(uint64_t bytes)
{
    return (double)bytes / (1024 * 1024);
}

void delivery_outage_describe(const struct sink_writer *writer, char text[SINK_WAITING_SIZE])
{
    const struct delivery_writer *delivery = (const struct delivery_writer *)writer;
    const struct delivery_options *options = &writer->options.settings->delivery;
    if (delivery->spill == NULL) {
        snprintf(
            text, SINK_WAITING_SIZE,
            "; records wait for timeout= (%.1f s), or until the queue is full, because there is "
            "no spill=",
            (double)options->timeout / (double)SECOND);
        return;
    }
    struct delivery_spill_counts counts = delivery_spill_counts(delivery->spill);
    snprintf(text, SINK_WAITING_SIZE, "; records wait in the spill (%.1f of %.0f MiB)",
             mebibytes(counts.bytes), mebibytes(options->spill_size));
}

/*
 * Returns the time at which the destination counts as silent if it does not answer before then, or
 * INT64_MAX if it has no block to answer.
 */
static int64_t silent_at(const struct delivery_writer *delivery)
{
    int64_t since = atomic_load_explicit(&delivery->base.waits_since_ns, memory_order_relaxed);
    uint64_t timeout = delivery->base.options.stall_timeout_ns;
    if (delivery->out == 0 || since == 0 || timeout > (uint64_t)(INT64_MAX - since))
        return INT64_MAX;
    return since + (int64_t)timeout;
}

static void note_silence(struct delivery_writer *delivery, int64_t now)
{
    int64_t since = atomic_load_explicit(&delivery->base.waits_since_ns, memory_order_relaxed);
    char what[64];
    snprintf(what, sizeof what, "no answer for %" PRId64 " s", (now - since) / SECOND);
    sink_writer_note_silence(&delivery->base, what);
}

static bool is_away(const struct delivery_writer *delivery, struct error *error)
{
    const struct delivery_ops *ops = delivery_ops_of(delivery);
    return ops->is_away != NULL && ops->is_away(delivery->base.destination, error);
}

/*
 * Called in each step of the sink. Asks the destination for the text of the error only when the
 * text will be used, because making it takes time.
 */
void delivery_outage_look(struct delivery_writer *delivery, int64_t now)
{
    struct error error;
    bool was_away = delivery->is_away;
    delivery->is_away = is_away(delivery, NULL);
    if (delivery->is_away) {
        sink_writer_note_failure(&delivery->base);
        if (sink_outage_wants(&delivery->base.outage, now) && is_away(delivery, &error))
            sink_writer_note_outage(&delivery->base, error.text);
    } else if (now >= silent_at(delivery)) {
        if (sink_outage_wants(&delivery->base.outage, now))
            note_silence(delivery, now);
    } else if (was_away && delivery->out == 0 && delivery->waiting == NULL) {
        sink_writer_note_return(&delivery->base);
    }
}

int64_t delivery_outage_due(const struct delivery_writer *delivery)
{
    int64_t line_ns = sink_outage_due(&delivery->base.outage);
    int64_t silent_ns = silent_at(delivery);
    if (is_away(delivery, NULL) || line_ns > silent_ns)
        return line_ns;
    return silent_ns;
}
