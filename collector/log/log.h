/*
 * The program's log for its operator, on stderr or where log_divert sends it.
 *
 * Log lines about datagrams need a limit (log_allowed), because a bad sender must not fill a disk.
 * Any thread; lines do not mix. Writing a line never waits: if stderr is full, the line is lost,
 * and the next line is preceded by the number of lost lines.
 *
 * Between log_begin and log_end, level and format follow the settings, and a warning or error that
 * repeats the previous line is counted instead of written. The count is written with the next
 * different line, or by log_write_repeats once log_settings.repeats_ns have passed. Lines at
 * LOG_INFO are never merged, because each may answer a request, such as reopening a file. Before
 * log_begin and after log_end, every line is written as text.
 *
 * Text lines begin with their time after log_date_lines(true), which is for a program that runs for
 * days, and not for a command that ends at once. If stderr is the system's journal, each line
 * begins with its level as in sd-daemon(3) ("<3>"), without time and program name, which the
 * journal adds.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_H
#define SLUICE_COLLECTOR_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/text/compiler.h"

/* The levels of lines, the most severe first. */
enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO };

enum log_format {
    LOG_TEXT, /* "sluice: error: ", then the message */
    LOG_JSON, /* an object with time, level, subject and message */
};

struct log_settings {
    enum log_level level; /* lines of a less severe level are not logged */
    enum log_format format;
    uint64_t repeats_ns; /* interval at which the count of a repeated message is logged */
};

/* The part of the collector that a line is about; a member of JSON lines. */
enum log_subject { LOG_OF_PROGRAM, LOG_OF_LISTENER, LOG_OF_SINK, LOG_OF_DEAD_LETTERS };

/* --- lines ------------------------------------------------------------------------------------ */

/* Writes "sluice: ", the line and a newline. Control characters become '?'. */
void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* Writes a line about a listener or sink, as log_line does. The line begins with "NAME: ". */
void log_about(enum log_level level, enum log_subject subject, const char *name, const char *format,
               ...) PRINTF_LIKE(4, 5);

/*
 * Writes a line as log_about does, but without "NAME: ", because the text already contains the
 * name.
 */
void log_naming(enum log_level level, enum log_subject subject, const char *name,
                const char *format, ...) PRINTF_LIKE(4, 5);

/*
 * Writes `size` bytes of whole lines unchanged, such as a ledger. Waits at most `wait_ms`
 * milliseconds while stderr is full. Lines that other threads log during the call are written after
 * it. Returns true if all bytes were written. One thread at a time.
 */
bool log_text(enum log_level level, const char *lines, size_t size, int wait_ms);

/* --- starting, changing and ending the log ---------------------------------------------------- */

/*
 * Begins to follow the settings. Call it while there is one thread. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_INTERNAL).
 */
int log_begin(const struct log_settings *settings, struct error *error);

/* Changes the settings. Any thread, between log_begin and log_end. */
void log_set(const struct log_settings *settings);

/*
 * Sets whether text lines on stderr begin with their time (UTC, RFC 3339). JSON lines always have
 * the time, and the journal adds its own. Any thread.
 */
void log_date_lines(bool dated);

/* Writes the count of repeated lines and undoes log_begin. Call it while there is one thread. */
void log_end(void);

/*
 * Sets a function that the logging thread calls when log_due_ns has become earlier, so that a
 * thread that waits for that time can recompute its wait. `wake` must not log. NULL if no thread
 * waits.
 */
void log_watch(void (*wake)(void *context), void *context);

/*
 * Returns the time (monotonic) to call log_write_repeats, or INT64_MAX if no repetitions must be
 * reported.
 */
int64_t log_due_ns(void);

/* Writes how often the last message was repeated, if log_due_ns has passed. */
void log_write_repeats(void);

/*
 * Like log_write_repeats, but does not wait for log_due_ns. For a process that ends without
 * log_end.
 */
void log_write_repeats_now(void);

/* --- where log lines go ----------------------------------------------------------------------- */

/*
 * Receives the log instead of stderr: `size` bytes of whole lines, without program name and level.
 * Called in any thread, also in several at the same time. Must not wait. Returns true if the lines
 * were accepted.
 */
typedef bool log_taker(enum log_level level, const char *lines, size_t size);

/*
 * Diverts the log to `taker`, or to stderr again if it is NULL. Call it while there is one thread.
 */
void log_divert(log_taker *taker);

/* --- rate limit ------------------------------------------------------------------------------- */

/*
 * Allows lines about one trouble at growing intervals. Each interval is twice the previous one,
 * from LOG_INTERVAL_FIRST_NS to LOG_INTERVAL_LONGEST_NS, so a trouble that lasts a quarter of an
 * hour has ten lines. After LOG_QUIET_NS without a line, written or suppressed, the intervals begin
 * again. Each trouble needs its own limit. Zero-initialised; used by one thread. Suppressed lines
 * do not count as repetitions. The caller writes their number into the next line, so that line
 * differs from the previous one and is written.
 */
#define LOG_INTERVAL_FIRST_NS   INT64_C(1000000000)
#define LOG_INTERVAL_LONGEST_NS INT64_C(512000000000)
#define LOG_QUIET_NS            INT64_C(60000000000)
struct log_limit {
    int64_t next_ns;     /* monotonic time from which the next line may be written */
    int64_t interval_ns; /* nanoseconds from the last written line to next_ns */
    int64_t last_ns;     /* monotonic time of the last line, written or suppressed */
    uint64_t held;       /* number of lines suppressed since the last written one */
};

/*
 * Returns true if a line may be written now; *held is then the number of lines suppressed since the
 * last written one. Otherwise counts this line as suppressed.
 */
bool log_allowed(struct log_limit *limit, uint64_t *held);

#endif
