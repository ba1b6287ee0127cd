#include "collector/series/series_guard.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/machine.h"

#define SECOND UINT64_C(1000000000)

/* Kinds of fingerprints, so that a name and an address never hash the same input. */
enum { NAME_FINGERPRINT, SENDER_FINGERPRINT };

static struct series_table_options table_options(const struct series_limits *limits)
{
    return (struct series_table_options){
        .series = (size_t)limits->max_series,
        .per_sender = (size_t)limits->max_per_sender,
        .timeout_s = (uint32_t)(limits->timeout / SECOND),
    };
}

size_t series_guard_memory(const struct series_limits *limits)
{
    if (!series_guard_is_needed(limits))
        return 0;
    const struct series_table_options options = table_options(limits);
    return sizeof(struct series_guard) + series_growth_memory() +
           (series_limits_series(limits) ? series_table_memory(&options) : 0);
}

static bool make_parts(struct series_guard *guard)
{
    const struct series_table_options options = table_options(&guard->limits);
    guard->growth = series_growth_create();
    if (guard->growth != NULL && series_limits_series(&guard->limits))
        guard->table = series_table_create(&options);
    return guard->growth != NULL && (guard->table != NULL || !series_limits_series(&guard->limits));
}

struct series_guard *series_guard_create(const struct series_limits *limits, struct error *error)
{
    struct series_guard *guard = calloc(1, sizeof *guard);
    if (guard == NULL) {
        error_no_memory(error);
        return NULL;
    }
    guard->limits = *limits;
    if (!make_parts(guard))
        error_no_memory(error);
    else if (random_bytes((uint8_t *)&guard->key, sizeof guard->key, error) == 0)
        return guard;
    series_guard_destroy(guard);
    return NULL;
}

void series_guard_destroy(struct series_guard *guard)
{
    if (guard == NULL)
        return;
    series_table_destroy(guard->table);
    series_growth_destroy(guard->growth);
    free(guard);
}

void series_guard_begin_record(struct series_guard *guard, int64_t received_ns)
{
    guard->now_s = (uint32_t)((uint64_t)received_ns / SECOND);
    if (guard->table != NULL)
        series_table_tick(guard->table, guard->now_s);
}

/* --- times ------------------------------------------------------------------------------------ */

/*
 * Returns true if `later` is more than `most` ns after `earlier`. If `most` is 0, there is no
 * limit.
 */
static bool is_apart(int64_t later, int64_t earlier, uint64_t most)
{
    return most != 0 && later > earlier && (uint64_t)later - (uint64_t)earlier > most;
}

bool series_guard_is_in_time(struct series_guard *guard, int64_t time_ns, int64_t received_ns,
                             const struct address *sender)
{
    if (time_ns == 0 || (!is_apart(received_ns, time_ns, guard->limits.max_age) &&
                         !is_apart(time_ns, received_ns, guard->limits.max_ahead)))
        return true;
    const struct address network = address_network(sender);
    series_growth_note_time(guard->growth, &network);
    return false;
}

/* --- series ----------------------------------------------------------------------------------- */

static uint64_t fingerprint_of_sender(const struct series_guard *guard,
                                      const struct address *sender)
{
    uint64_t hash = fingerprint_begin(&guard->key, SENDER_FINGERPRINT);
    hash = fingerprint_add(&guard->key, hash, &sender->family, sizeof sender->family);
    hash = fingerprint_add(&guard->key, hash, &sender->scope, sizeof sender->scope);
    hash = fingerprint_add(&guard->key, hash, sender->bytes, sizeof sender->bytes);
    return fingerprint_end(&guard->key, hash);
}

static uint64_t fingerprint_of_name(const struct series_guard *guard, const char *name)
{
    uint64_t hash = fingerprint_begin(&guard->key, NAME_FINGERPRINT);
    hash = fingerprint_add(&guard->key, hash, name, strlen(name));
    return fingerprint_end(&guard->key, hash);
}

bool series_guard_add(struct series_guard *guard, uint64_t series, const struct address *sender,
                      const char *name)
{
    const struct address network = address_network(sender);
    uint64_t fingerprint =
        name != NULL ? fingerprint_of_name(guard, name) : fingerprint_of_sender(guard, &network);
    bool added = series_table_add(guard->table, series, fingerprint, guard->now_s) == SERIES_ADDED;
    series_growth_note_series(guard->growth, &network, !added);
    return added;
}

void series_guard_read(const struct series_guard *guard, struct series_report *report)
{
    report->series = guard->table == NULL ? 0 : series_table_count(guard->table);
    report->series_most = guard->limits.max_series;
    series_growth_read(guard->growth, &report->growth);
}
