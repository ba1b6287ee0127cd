/*
 * Detects log messages that repeat the last message, and says when to report their count.
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
     * The longest time for which a repetition stays unreported, and the time after a written line
     * in which an equal message is still a repetition.
     */
    int64_t interval_ns;
    struct log_entry last; /* the last message that was written */
    bool known;            /* `last` is set, and may be repeated */
    uint64_t count;        /* unreported repetitions */
    int64_t due_ns;        /* when these are reported; if there are none, when `last` expires */
};

/*
 * Returns whether the entry repeats the last message. If so, the repetition is counted, and the
 * entry must not be written.
 */
bool log_repeats_take(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* Makes the entry, which has been written, the last message. */
void log_repeats_begin(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* Restarts the count at 0 after it has been reported. */
void log_repeats_reported(struct log_repeats *repeats, int64_t now_ns);

/* Puts the report off by the interval, because it could not be written. */
void log_repeats_put_off(struct log_repeats *repeats, int64_t now_ns);

/* Forgets the last message. Returns the number of unreported repetitions. */
uint64_t log_repeats_end(struct log_repeats *repeats);

/* Returns when the count must be reported; INT64_MAX: there is no count to report. */
int64_t log_repeats_due(const struct log_repeats *repeats);

#endif
