#include "collector/metrics/metrics_ledger.h"

#include <stdbool.h>
#include <stddef.h>

#include "collector/metrics/metrics_group.h"
#include "collector/metrics/metrics_rows.h"

static struct metrics_group group_of_listeners(const struct ledger_snapshot *ledger)
{
    return (struct metrics_group){"listener",
                                  "listener_",
                                  (const char *)ledger->listeners,
                                  ledger->listener_count,
                                  sizeof *ledger->listeners,
                                  offsetof(struct listener_totals, name)};
}

static struct metrics_group group_of_sinks(const struct ledger_snapshot *ledger)
{
    return (struct metrics_group){"sink",
                                  "sink_",
                                  (const char *)ledger->sinks,
                                  ledger->sink_count,
                                  sizeof *ledger->sinks,
                                  offsetof(struct sink_totals, name)};
}

static struct metrics_group group_of_threads(const struct ledger_snapshot *ledger)
{
    return (struct metrics_group){"receiver",
                                  "receiver_",
                                  (const char *)ledger->threads,
                                  ledger->thread_count,
                                  sizeof *ledger->threads,
                                  offsetof(struct thread_totals, name)};
}

typedef bool term_filter(const struct ledger_term *term, const void *row);

static bool term_fits_listener(const struct ledger_term *term, const void *row)
{
    const struct listener_totals *listener = row;
    if (!ledger_has_term(listener, term))
        return false;
    if (term->total != offsetof(struct listener_totals, kernel_drops))
        return true;
    return listener->kind->is_socket && listener->drops_counted && !listener->drops.filtered;
}

static bool term_fits_sink(const struct ledger_term *term, const void *row)
{
    (void)term;
    (void)row;
    return true;
}

static void put_terms(struct metrics_text *text, const struct metrics_group *group,
                      const struct ledger_term *terms, term_filter *fits)
{
    for (; terms->name != NULL; terms++) {
        const struct metric metric = metric_of_term(group->of, terms);
        bool begun = false;
        for (size_t i = 0; i < group->count; i++) {
            const void *row = metrics_group_at(group, i);
            if (!fits(terms, row))
                continue;
            if (!begun)
                metrics_text_begin(text, &metric, terms->help);
            begun = true;
            metrics_text_integer(text, &metric,
                                 METRIC_LABELS({group->label, metrics_group_name(group, row)}),
                                 ledger_total(row, terms));
        }
    }
}

/*
 * Counters in each row of a group, one for each reason. They are an array at the offset `counts` in
 * a row.
 */
struct reasons {
    enum metrics_row_index row;
    const char *const *names;
    size_t count, counts;
};

static void put_reasons(struct metrics_text *text, const struct metrics_group *group,
                        const struct reasons *reasons)
{
    if (group->count == 0)
        return;
    const struct metric *metric = metrics_rows_begin(text, reasons->row);
    for (size_t i = 0; i < group->count; i++) {
        const char *row = metrics_group_at(group, i);
        const uint64_t *counts = (const void *)(row + reasons->counts);
        for (size_t k = 0; k < reasons->count; k++)
            metrics_text_integer(text, metric,
                                 METRIC_LABELS({group->label, metrics_group_name(group, row)},
                                               {"reason", reasons->names[k]}),
                                 counts[k]);
    }
}

static void put_measure(struct metrics_text *text, const struct metrics_group *group,
                        const struct ledger_measure *measure)
{
    const struct metric metric = {"sluice_", group->of, measure->metric, METRIC_HISTOGRAM};
    if (group->count != 0)
        metrics_text_begin(text, &metric, measure->help);
    for (size_t i = 0; i < group->count; i++) {
        const char *row = metrics_group_at(group, i);
        const struct metric_label label = {group->label, metrics_group_name(group, row)};
        metrics_text_histogram(text, &metric, &label, measure->bounds,
                               (const void *)(row + measure->total));
    }
}

/* Writes the kernel's drops with kernel_filter=on, which have another name. */
static void put_filtered_drops(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metric *metric = NULL;
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_totals *listener = &ledger->listeners[i];
        if (!listener->drops.filtered || !listener->drops_counted)
            continue;
        if (metric == NULL)
            metric = metrics_rows_begin(text, ROW_KERNEL_DROPS_AND_FILTERED);
        metrics_text_integer(text, metric, METRIC_LABELS({"listener", listener->name}),
                             listener->kernel_drops);
    }
}

static void put_listener_info(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metric *metric = metrics_rows_begin(text, ROW_LISTENER);
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_totals *listener = &ledger->listeners[i];
        metrics_text_integer(
            text, metric,
            METRIC_LABELS({"listener", listener->name}, {"kind", listener->kind->name},
                          {"schema", listener->schema},
                          {"kernel_drops_unit", listener->drops.buffers ? "buffer" : "datagram"}),
            1);
    }
}

static void put_listeners(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metrics_group group = group_of_listeners(ledger);
    const struct reasons refused = {ROW_LISTENER_REFUSED, datagram_reason_names, REASON_COUNT,
                                    offsetof(struct listener_totals, reasons)};
    put_listener_info(text, ledger);
    put_terms(text, &group, listener_terms, term_fits_listener);
    put_filtered_drops(text, ledger);
    put_reasons(text, &group, &refused);
}

static void put_receivers(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metrics_group group = group_of_threads(ledger);
    for (const struct ledger_measure *measure = thread_measures; measure->name != NULL; measure++)
        put_measure(text, &group, measure);
}

static void put_in_flight(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metric *metric = metrics_rows_begin(text, ROW_IN_FLIGHT);
    for (size_t i = 0; i < ledger->sink_count; i++)
        metrics_text_number(text, metric, METRIC_LABELS({"sink", ledger->sinks[i].name}),
                            (double)ledger->sinks[i].in_flight);
}

static void put_sinks(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    const struct metrics_group group = group_of_sinks(ledger);
    const struct reasons refused = {ROW_SINK_REFUSED, record_refusal_names, REFUSAL_COUNT,
                                    offsetof(struct sink_totals, refused)};
    const struct reasons failed = {ROW_SINK_FAILED, record_failure_names, FAILURE_COUNT,
                                   offsetof(struct sink_totals, failed)};
    put_terms(text, &group, offer_terms, term_fits_sink);
    put_terms(text, &group, sink_terms, term_fits_sink);
    put_reasons(text, &group, &refused);
    put_reasons(text, &group, &failed);
    put_in_flight(text, ledger);
    for (const struct ledger_measure *measure = sink_measures; measure->name != NULL; measure++)
        put_measure(text, &group, measure);
}

static void put_dead_letters(struct metrics_text *text,
                             const struct dead_letter_totals *dead_letters)
{
    if (dead_letters->name == NULL)
        return;
    for (const struct ledger_term *term = dead_letter_terms; term->name != NULL; term++) {
        const struct metric metric = metric_of_term("dead_letters_", term);
        metrics_text_begin(text, &metric, term->help);
        metrics_text_integer(text, &metric, METRIC_NO_LABELS, ledger_total(dead_letters, term));
    }
    const struct metric *dropped = metrics_rows_begin(text, ROW_DROPPED);
    for (size_t i = 0; i < DROP_COUNT; i++)
        metrics_text_integer(text, dropped, METRIC_LABELS({"reason", dead_letter_drop_names[i]}),
                             dead_letters->dropped[i]);
}

void metrics_ledger_write(struct metrics_text *text, const struct ledger_snapshot *ledger)
{
    put_listeners(text, ledger);
    put_receivers(text, ledger);
    put_sinks(text, ledger);
    put_dead_letters(text, &ledger->dead_letters);
}
