#include "collector/metrics/metrics_merge.h"

#include <string.h>

static void add_totals(const struct ledger_term *terms, void *to, const void *from)
{
    for (; terms->name != NULL; terms++)
        *(uint64_t *)(void *)((char *)to + terms->total) += ledger_total(from, terms);
}

static void add_counts(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static void merge_measures(const struct ledger_measure *measures, void *to, const void *from)
{
    for (; measures->name != NULL; measures++) {
        struct histogram_totals *sum = (void *)((char *)to + measures->total);
        const struct histogram_totals *more = (const void *)((const char *)from + measures->total);
        add_counts(sum->ranges, more->ranges, HISTOGRAM_BOUNDS + 1);
        sum->sum += more->sum;
    }
}

static void merge_listeners(struct ledger_snapshot *ledger)
{
    size_t kept = 0;
    for (size_t i = 0; i < ledger->listener_count; i++) {
        const struct listener_totals *from = &ledger->listeners[i];
        struct listener_totals *to = ledger->listeners;
        while (to != ledger->listeners + kept && strcmp(to->name, from->name) != 0)
            to++;
        if (to == ledger->listeners + kept) {
            ledger->listeners[kept++] = *from;
            continue;
        }
        add_totals(listener_terms, to, from);
        add_counts(to->reasons, from->reasons, REASON_COUNT);
    }
    ledger->listener_count = kept;
}

static void merge_sinks(struct ledger_snapshot *ledger)
{
    size_t kept = 0;
    for (size_t i = 0; i < ledger->sink_count; i++) {
        const struct sink_totals *from = &ledger->sinks[i];
        struct sink_totals *to = ledger->sinks;
        while (to != ledger->sinks + kept && strcmp(to->name, from->name) != 0)
            to++;
        if (to == ledger->sinks + kept) {
            ledger->sinks[kept++] = *from;
            continue;
        }
        add_totals(offer_terms, to, from);
        add_totals(sink_terms, to, from);
        add_counts(to->refused, from->refused, REFUSAL_COUNT);
        add_counts(to->failed, from->failed, FAILURE_COUNT);
        merge_measures(sink_measures, to, from);
        to->in_flight += from->in_flight;
    }
    ledger->sink_count = kept;
}

void metrics_merge(struct ledger_snapshot *ledger)
{
    merge_listeners(ledger);
    merge_sinks(ledger);
}
