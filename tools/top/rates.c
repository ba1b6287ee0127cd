#include "tools/top/rates.h"

#include <stdlib.h>
#include <string.h>

#include "collector/ledger/ledger_terms.h"

struct making {
    struct rates *rates;
    const struct model *now, *before;
    size_t used; /* number of used elements in rates->all */
};

/* Returns a counter's increase per second. A counter that has decreased was restarted at 0. */
static double per_second(const struct making *making, uint64_t now, uint64_t before)
{
    uint64_t since = now < before ? now : now - before;
    return making->rates->seconds > 0 ? (double)since / making->rates->seconds : 0;
}

static uint64_t count_named(const struct model_counts *counts, const char *name)
{
    for (size_t i = 0; counts != NULL && i < counts->count; i++)
        if (strcmp(counts->items[i].name, name) == 0)
            return counts->items[i].value;
    return 0;
}

static double *rates_of_counts(struct making *making, const struct model_counts *now,
                               const struct model_counts *before)
{
    double *list = making->rates->all + making->used;
    making->used += now->count;
    for (size_t i = 0; i < now->count; i++)
        list[i] = per_second(making, now->items[i].value, count_named(before, now->items[i].name));
    return list;
}

bool rates_is_loss(const char *reason)
{
#define WITHOUT_REMEDY(constant, name, letter, what, remedy) sizeof(remedy) == 1 ? #name : NULL,
    static const char *const harmless[] = {
        DATAGRAM_REASONS(WITHOUT_REMEDY) "kernel_drops_and_filtered"};
#undef WITHOUT_REMEDY
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (harmless[i] != NULL && strcmp(harmless[i], reason) == 0)
            return false;
    return true;
}

static double sum(const double *rates, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += rates[i];
    return total;
}

static void add_losing(struct listener_rates *rates, const struct model_listener *now)
{
    rates->losing = rates_is_loss(now->drops_name) ? rates->kernel_drops : 0;
    for (size_t i = 0; i < now->reasons.count; i++)
        rates->losing += rates_is_loss(now->reasons.items[i].name) ? rates->reasons[i] : 0;
}

static void make_listener(struct making *making, size_t index)
{
    static const struct model_listener nothing;
    const struct model_listener *now = &making->now->listeners[index];
    const struct model_listener *before = &nothing;
    for (size_t i = 0; making->before != NULL && i < making->before->listener_count; i++)
        if (strcmp(making->before->listeners[i].name, now->name) == 0)
            before = &making->before->listeners[i];
    making->rates->listeners[index] = (struct listener_rates){
        .received = per_second(making, now->received, before->received),
        .bytes = per_second(making, now->bytes, before->bytes),
        .kernel_drops = per_second(making, now->kernel_drops, before->kernel_drops),
        .reasons = rates_of_counts(making, &now->reasons, &before->reasons),
    };
    add_losing(&making->rates->listeners[index], now);
}

static void make_sink(struct making *making, size_t index)
{
    static const struct model_sink nothing;
    const struct model_sink *now = &making->now->sinks[index];
    const struct model_sink *before = &nothing;
    for (size_t i = 0; making->before != NULL && i < making->before->sink_count; i++)
        if (strcmp(making->before->sinks[i].name, now->name) == 0)
            before = &making->before->sinks[i];
    struct sink_rates *rates = &making->rates->sinks[index];
    *rates = (struct sink_rates){
        .written = per_second(making, now->written, before->written),
        .bytes = per_second(making, now->bytes, before->bytes),
        .evicted = per_second(making, now->evicted, before->evicted),
        .unknown = per_second(making, now->unknown, before->unknown),
        .series_refused = per_second(making, now->series_refused, before->series_refused),
        .out_of_time = per_second(making, now->out_of_time, before->out_of_time),
        .refused = rates_of_counts(making, &now->refused, &before->refused),
        .failed = rates_of_counts(making, &now->failed, &before->failed),
    };
    rates->losing = rates->evicted + rates->unknown + sum(rates->refused, now->refused.count) +
                    sum(rates->failed, now->failed.count);
}

static void make_sender(struct making *making, size_t index)
{
    static const struct model_sender nothing;
    const struct model_sender *now = &making->now->senders[index];
    const struct model_sender *before = &nothing;
    for (size_t i = 0; making->before != NULL && i < making->before->sender_count; i++)
        if (strcmp(making->before->senders[i].address, now->address) == 0 &&
            strcmp(making->before->senders[i].listener, now->listener) == 0)
            before = &making->before->senders[i];
    making->rates->senders[index] = (struct sender_rates){
        .datagrams = per_second(making, now->datagrams, before->datagrams),
        .bytes = per_second(making, now->bytes, before->bytes),
    };
}

static size_t count_reasons(const struct model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < model->listener_count; i++)
        count += model->listeners[i].reasons.count;
    for (size_t i = 0; i < model->sink_count; i++)
        count += model->sinks[i].refused.count + model->sinks[i].failed.count;
    return count;
}

bool rates_make(struct rates *rates, const struct model *now, const struct model *before)
{
    if (before != NULL && before->uptime >= now->uptime)
        before = NULL;
    *rates = (struct rates){
        .seconds = now->uptime - (before != NULL ? before->uptime : 0),
        .listeners = calloc(now->listener_count + 1, sizeof *rates->listeners),
        .sinks = calloc(now->sink_count + 1, sizeof *rates->sinks),
        .senders = calloc(now->sender_count + 1, sizeof *rates->senders),
        .all = calloc(count_reasons(now) + 1, sizeof *rates->all),
    };
    if (rates->listeners == NULL || rates->sinks == NULL || rates->senders == NULL ||
        rates->all == NULL) {
        rates_clear(rates);
        return false;
    }
    struct making making = {.rates = rates, .now = now, .before = before};
    for (size_t i = 0; i < now->listener_count; i++)
        make_listener(&making, i);
    for (size_t i = 0; i < now->sink_count; i++)
        make_sink(&making, i);
    for (size_t i = 0; i < now->sender_count; i++)
        make_sender(&making, i);
    return true;
}

void rates_clear(struct rates *rates)
{
    free(rates->listeners);
    free(rates->sinks);
    free(rates->senders);
    free(rates->all);
    *rates = (struct rates){0};
}
