/*
 * Determines when to log the beginning, the duration and the end of troubles, such as an outage of
 * a sink's destination.
 *
 * The troubles of one part of the program share a budget: in any LOG_BUDGET_NS they have at most
 * LOG_BUDGET_LINES lines, for a single long trouble as well as for one that begins and ends again
 * and again. A trouble that begins after a quiet time is logged at once, and so is the end of each
 * trouble whose beginning was logged. The more lines were written in the last LOG_BUDGET_NS, the
 * longer the next one waits. A line about a trouble that continues leaves room for its end, and for
 * the beginning and the end of another trouble.
 *
 * Both structures are zero-initialised and used by one thread. Times are monotonic nanoseconds.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_TROUBLE_H
#define SLUICE_COLLECTOR_LOG_LOG_TROUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_BUDGET_LINES ((size_t)10)
#define LOG_BUDGET_NS    INT64_C(900000000000)

struct log_budget {
    int64_t lines_ns[LOG_BUDGET_LINES]; /* times of the last lines */
    size_t oldest;                      /* index of the oldest line */
    size_t count;                       /* number of lines, up to LOG_BUDGET_LINES */
    size_t ends; /* number of troubles whose beginning was logged, but not their end */
};

struct log_trouble {
    int64_t since_ns;  /* beginning of the present trouble; 0 if there is none */
    int64_t begun_ns;  /* time of the last line about a beginning; 0 if there was none */
    int64_t line_ns;   /* time of the last line of any kind */
    int64_t wait_ns;   /* nanoseconds from the last line to the next one, while the trouble
                        * continues */
    bool is_logged;    /* its beginning was logged */
    uint64_t unlogged; /* number of troubles that ended without a line since the last logged end */
};

/*
 * Notes that there is a trouble now. Returns true if the caller must write a line about it; the
 * line then counts as written.
 */
bool log_trouble_note(struct log_trouble *trouble, struct log_budget *budget, int64_t now_ns);

/*
 * Returns the time from which log_trouble_note would return true, for the present trouble or one
 * that begins now.
 */
int64_t log_trouble_due(const struct log_trouble *trouble, const struct log_budget *budget);

/* Notes that there is no trouble. Returns true if the caller must write a line about its end. */
bool log_trouble_end(struct log_trouble *trouble, struct log_budget *budget, int64_t now_ns);

#endif
