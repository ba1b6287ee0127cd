/*
 * Which messages of the log are repetitions of the last one, and when they have to be reported.
 *
 * Knows nothing of streams and clocks: times are handed in, nanoseconds that never go back. All but
 * the interval is zero to begin with. Not to be used by two threads at once.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_REPEATS_H
#define SLUICE_COLLECTOR_LOG_LOG_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/log/log_entry.h"

struct log_repeats {
    /*
     * How long a repetition may go unreported, and for how long after that a message counts as the
     * last one: what comes again later is news.
     */
    int64_t interval_ns;
    struct log_entry last; /* what was written last */
    bool known;            /* whether there is one that may be repeated */
    uint64_t count;        /* repetitions that have not been reported */
    int64_t due_ns;        /* when they are to be reported, or the last one is no longer news */
};

/* Whether it repeats the last one, and is counted instead of written. */
bool log_repeats_take(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* It has been written: what comes may repeat it. */
void log_repeats_begin(struct log_repeats *repeats, const struct log_entry *entry, int64_t now_ns);

/* What was counted has been reported; the next repetitions are counted anew. */
void log_repeats_reported(struct log_repeats *repeats, int64_t now_ns);

/* What was counted could not be reported: it is tried again after a while. */
void log_repeats_put_off(struct log_repeats *repeats, int64_t now_ns);

/* There is no last message any more. Returns how many repetitions have not been reported. */
uint64_t log_repeats_end(struct log_repeats *repeats);

/* When there is something to report; INT64_MAX: there is nothing. */
int64_t log_repeats_due(const struct log_repeats *repeats);

#endif
