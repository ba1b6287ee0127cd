/*
 * What the program reports to its operator: on stderr, or where log_divert says.
 *
 * Never called per datagram without a limit: a bad sender must not fill a disk. Any thread; lines
 * do not mix. Writing a line never waits: where nobody reads stderr it is lost, and the next one
 * that is written says how many were.
 *
 * Until log_begin, and after log_end, every line is written as text. Between them the level and the
 * format are those asked for. A warning or an error that comes again, with nothing else logged in
 * between, is counted instead of written. Whoever logs next writes how often it came, or
 * log_write_repeats does when log_settings.repeats_ns have passed. Lines at LOG_INFO are never
 * merged: each answers somebody who may be waiting for it, such as whoever had a file reopened.
 *
 * Lines of text begin with their time as long as log_date_lines says so: a program that runs for
 * days dates them, one that answers a question does not. Where stderr is the system's journal each
 * line begins with its level, as sd-daemon(3) has it ("<3>"), and says neither when it was nor who
 * speaks: the journal knows.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_H
#define SLUICE_COLLECTOR_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/compiler.h"
#include "collector/base/error.h"

/* From the worst on. */
enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO };

enum log_format {
    LOG_TEXT, /* "sluice: error: " and the message */
    LOG_JSON, /* an object with time, level, message, and whom it is about */
};

/* How the program logs; the user sets it. */
struct log_settings {
    enum log_level level; /* what is less is not logged */
    enum log_format format;
    uint64_t repeats_ns; /* how often a message that repeats is logged, with its count */
};

/* Whom a line is about: a member of its own in JSON. */
enum log_subject { LOG_OF_PROGRAM, LOG_OF_LISTENER, LOG_OF_SINK, LOG_OF_DEAD_LETTERS };

/* --- lines ------------------------------------------------------------------------------------ */

/* Writes "sluice: " and the line; its newline is added. Control characters become '?'. */
void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same of a listener or sink of that name, which stands before the line: "NAME: ". */
void log_about(enum log_level level, enum log_subject subject, const char *name, const char *format,
               ...) PRINTF_LIKE(4, 5);

/* The same where the line itself says the name. */
void log_naming(enum log_level level, enum log_subject subject, const char *name,
                const char *format, ...) PRINTF_LIKE(4, 5);

/*
 * Writes `size` bytes of whole lines as they are, such as a ledger, for at most `wait_ms`
 * milliseconds where stderr is full; lines that others log meanwhile come after it. Returns
 * whether all were written. One thread at a time.
 */
bool log_text(enum log_level level, const char *lines, size_t size, int wait_ms);

/* --- from start to end ------------------------------------------------------------------------ */

/*
 * Begins to log as the settings say. While there is one thread. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_INTERNAL).
 */
int log_begin(const struct log_settings *settings, struct error *error);

/* Other settings from now on, between the two. Any thread. */
void log_set(const struct log_settings *settings);

/*
 * From now on lines of text on stderr begin with their time (UTC, RFC 3339), or no longer. Lines as
 * JSON have it always; the journal adds its own. Any thread.
 */
void log_date_lines(bool dated);

/* Writes what is counted and unwritten and ends all that log_begin began; while there is one thread
 * again. */
void log_end(void);

/*
 * Has `wake` called, in whatever thread logs, when log_due_ns has become earlier: whoever waits for
 * that moment waits anew. It must not log. NULL: nobody waits.
 */
void log_watch(void (*wake)(void *context), void *context);

/* When log_write_repeats has something to do: monotonic; INT64_MAX: nothing is counted. */
int64_t log_due_ns(void);

/* Writes how often the last message was repeated, if it was and log_due_ns has come. */
void log_write_repeats(void);

/* The same at once: before the process ends without log_end. */
void log_write_repeats_now(void);

/* --- where to --------------------------------------------------------------------------------- */

/*
 * Takes what would go to stderr: `size` bytes of whole lines, those of log_line without what says
 * on stderr who speaks and how bad it is. Called in any thread, by several at a time; it does not
 * wait. Returns whether it took them.
 */
typedef bool log_taker(enum log_level level, const char *lines, size_t size);

/* Has `taker` take all from now on; NULL: stderr does. While there is one thread. */
void log_divert(log_taker *taker);

/* --- how often -------------------------------------------------------------------------------- */

/*
 * At most one line a second from one place: all zero to begin with, used by one thread. It comes
 * before the merging: what it leaves out is no repetition, and its caller says how much that was,
 * so that lines of a place that is limited differ and each is written.
 */
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
