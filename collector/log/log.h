/*
 * The program's log for its operator: on stderr, or where log_divert sends it.
 *
 * Must not be called per datagram without a limit: a bad sender must not fill a disk. Any thread;
 * lines do not mix. Writing a line never waits: if stderr is full the line is lost, and the next
 * line that is written is preceded by the number of lost lines.
 *
 * Before log_begin and after log_end every line is written as text; between them level and format
 * follow the settings. A warning or error that repeats the previous line is counted instead of
 * written. The count is written with the next different line, or by log_write_repeats once
 * log_settings.repeats_ns have passed. Lines at LOG_INFO are never merged, because each may answer
 * a request, such as reopening a file.
 *
 * Text lines begin with their time if log_date_lines is set: for a program that runs for days, but
 * not for a command that ends at once. If stderr is the system's journal, each line begins with its
 * level as in sd-daemon(3) ("<3>"), without time and program name, which the journal adds.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_H
#define SLUICE_COLLECTOR_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/text/compiler.h"

/* The most severe first. */
enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO };

enum log_format {
    LOG_TEXT, /* "sluice: error: " and the message */
    LOG_JSON, /* an object with time, level, subject and message */
};

/* The settings of the log that a user can change. */
struct log_settings {
    enum log_level level; /* lines that are less severe are not logged */
    enum log_format format;
    uint64_t repeats_ns; /* interval at which the count of a repeated message is logged */
};

/* The part of the collector that a line is about, which JSON lines have as a member. */
enum log_subject { LOG_OF_PROGRAM, LOG_OF_LISTENER, LOG_OF_SINK, LOG_OF_DEAD_LETTERS };

/* --- lines ------------------------------------------------------------------------------------ */

/* Writes "sluice: ", the line and a newline. Control characters become '?'. */
void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* Writes a line as log_line does, about a listener or sink; the line begins with "NAME: ". */
void log_about(enum log_level level, enum log_subject subject, const char *name, const char *format,
               ...) PRINTF_LIKE(4, 5);

/* Writes a line as log_about does, but without "NAME: ", because the line contains the name. */
void log_naming(enum log_level level, enum log_subject subject, const char *name,
                const char *format, ...) PRINTF_LIKE(4, 5);

/*
 * Writes `size` bytes of whole lines unchanged, such as a ledger; waits at most `wait_ms`
 * milliseconds while stderr is full. Lines that other threads log at the same time are written
 * afterwards. Returns whether all bytes were written. One thread at a time.
 */
bool log_text(enum log_level level, const char *lines, size_t size, int wait_ms);

/* --- starting, changing and ending the log ---------------------------------------------------- */

/*
 * Begins to follow the settings. Only while there is one thread. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_INTERNAL).
 */
int log_begin(const struct log_settings *settings, struct error *error);

/* Changes the settings; between log_begin and log_end. Any thread. */
void log_set(const struct log_settings *settings);

/*
 * Sets whether text lines on stderr begin with their time (UTC, RFC 3339) from now on. JSON lines
 * always have the time, and the journal adds its own. Any thread.
 */
void log_date_lines(bool dated);

/* Writes the count of repeated lines and undoes log_begin. Only while there is one thread. */
void log_end(void);

/*
 * Sets a function that the logging thread calls when log_due_ns has become earlier, so that a
 * thread that waits for that time recomputes its wait. `wake` must not log. NULL: no thread waits.
 */
void log_watch(void (*wake)(void *context), void *context);

/*
 * Returns when (monotonic) to call log_write_repeats; INT64_MAX: no line has repetitions to report.
 */
int64_t log_due_ns(void);

/* Writes how often the last message was repeated, once log_due_ns has passed. */
void log_write_repeats(void);

/*
 * Writes how often the last message was repeated, without waiting for log_due_ns; for a process
 * that ends without log_end.
 */
void log_write_repeats_now(void);

/* --- where log lines go ----------------------------------------------------------------------- */

/*
 * Receives the log instead of stderr: `size` bytes of whole lines, without the program's name and
 * the level. Called in any thread, also by several threads at the same time. Must not wait. Returns
 * whether the lines were accepted.
 */
typedef bool log_taker(enum log_level level, const char *lines, size_t size);

/* Diverts the log to `taker`; NULL: back to stderr. Only while there is one thread. */
void log_divert(log_taker *taker);

/* --- rate limit ------------------------------------------------------------------------------- */

/*
 * Allows lines about one trouble at growing intervals: each interval is twice the one before, from
 * LOG_INTERVAL_FIRST_NS to LOG_INTERVAL_LONGEST_NS, so a trouble that lasts a quarter of an hour
 * has ten lines. After LOG_QUIET_NS without a line to suppress the intervals begin again. A place
 * in the code that reports several troubles has a limit for each. Zero-initialised; used by one
 * thread. Lines that it suppresses do not count as repetitions. The caller writes their number into
 * the next line, which is therefore different from the previous line and is written.
 */
#define LOG_INTERVAL_FIRST_NS   INT64_C(1000000000)
#define LOG_INTERVAL_LONGEST_NS INT64_C(512000000000)
#define LOG_QUIET_NS            INT64_C(60000000000)
struct log_limit {
    int64_t next_ns;     /* monotonic: when the next line may be written */
    int64_t interval_ns; /* from the last written line to next_ns */
    int64_t last_ns;     /* monotonic: the last line, written or suppressed */
    uint64_t held;       /* number of lines suppressed since the last written line */
};

/*
 * Returns whether a line may be written now. If so, *held is the number of lines suppressed since
 * the last written line; if not, this line is counted as suppressed.
 */
bool log_allowed(struct log_limit *limit, uint64_t *held);

#endif
