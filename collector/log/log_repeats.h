/*
 * Finds repetitions of the last log message, and when to report their count.
 *
 * Pure: callers pass monotonic times in nanoseconds. Zero-initialised except the interval. Not
 * thread-safe.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_REPEATS_H
#define SLUICE_COLLECTOR_LOG_LOG_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/log/log_entry.h"

struct log_repeats {
    /*
     * The longest time for which a repetition stays unreported; and how long after that a message
     * still counts as the last one.
     */
    int64_t interval_ns;
    struct log_entry last; /* the last message that was written */
    bool known;            /* `last` is set, and may be repeated */
    uint64_t count;        /* unreported repetitions */
    int64_t due_ns;        /* when they must be reported, or `last` expires */
};

/* Whether the entry repeats the last one. If so it is counted, and must not be written. */
bool log_repeats_take(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* The entry has been written, and becomes the last one. */
void log_repeats_begin(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* The count has been reported; it restarts at 0. */
void log_repeats_reported(struct log_repeats *repeats, int64_t now_ns);

/* The count could not be reported; retries after the interval. */
void log_repeats_put_off(struct log_repeats *repeats, int64_t now_ns);

/* Forgets the last message. Returns the unreported repetitions. */
uint64_t log_repeats_end(struct log_repeats *repeats);

/* When the count must be reported; INT64_MAX: there is none. */
int64_t log_repeats_due(const struct log_repeats *repeats);

#endif
