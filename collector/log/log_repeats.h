/*
 * Detects log messages that repeat the last message, and determines when to report their count.
 *
 * Pure functions: callers pass monotonic times in nanoseconds. Zero-initialised, except for the
 * interval. Not thread-safe.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_REPEATS_H
#define SLUICE_COLLECTOR_LOG_LOG_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/log/log_entry.h"

struct log_repeats {
    /*
     * The longest time for which a repetition stays unreported, and the time after a written line
     * in which an equal message counts as a repetition.
     */
    int64_t interval_ns;
    struct log_entry last; /* the last message written */
    bool known;            /* `last` is set, and may be repeated */
    uint64_t count;        /* number of unreported repetitions */
    int64_t due_ns;        /* when to report them; if there are none, when `last` expires */
};

/*
 * Returns true if the entry repeats the last message. The repetition is then counted, and the entry
 * must not be written.
 */
bool log_repeats_take(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* Stores the entry, which has been written, as the last message. */
void log_repeats_begin(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* Sets the count to 0 after it has been reported. */
void log_repeats_reported(struct log_repeats *repeats, int64_t now_ns);

/* Postpones the report by the interval, because it could not be written. */
void log_repeats_put_off(struct log_repeats *repeats, int64_t now_ns);

/* Forgets the last message. Returns the number of unreported repetitions. */
uint64_t log_repeats_end(struct log_repeats *repeats);

/* Returns the time at which the count must be reported, or INT64_MAX if there is none. */
int64_t log_repeats_due(const struct log_repeats *repeats);

#endif
