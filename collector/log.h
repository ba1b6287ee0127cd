/*
 * What the program tells its operator: on stderr, or where log_divert says.
 *
 * Never called per datagram without a limit: a bad sender must not fill a disk. Any thread; lines
 * do not mix. Writing a line never waits: where nobody reads stderr it is lost, and the next one
 * that is written says how many were.
 */
#ifndef SLUICE_COLLECTOR_LOG_H
#define SLUICE_COLLECTOR_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/compiler.h"

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO };

/* Writes "sluice: " and the line; its newline is added. Control characters become '?'. */
void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * Writes `size` bytes of whole lines as they are, such as a ledger, for at most `wait_ms`
 * milliseconds where stderr is full. Returns whether all were written.
 */
bool log_text(enum log_level level, const char *lines, size_t size, int wait_ms);

/*
 * Takes what would go to stderr: `size` bytes of whole lines, those of log_line without what says
 * on stderr who speaks and how bad it is. Called in any thread, by several at a time; it does not
 * wait. Returns whether it took them.
 */
typedef bool log_taker(enum log_level level, const char *lines, size_t size);

/* Has `taker` take all from now on; NULL: stderr does. While there is one thread. */
void log_divert(log_taker *taker);

/* At most one line a second from one place: all zero to begin with, used by one thread. */
struct log_limit {
    int64_t next_ns; /* monotonic: when the next line may be written */
    uint64_t held;   /* lines left out since the last one */
};

/*
 * Whether a line may be written now. If so, *held is the number left out since the last one;
 * otherwise this one is counted as left out.
 */
bool log_allowed(struct log_limit *limit, uint64_t *held);

#endif
