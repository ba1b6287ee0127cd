#include "collector/log/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log_entry.h"
#include "collector/log/log_repeats.h"
#include "collector/log/progress_line.h"
#include "collector/platform/clock.h"
#include "collector/platform/process.h"
#include "collector/platform/thread.h"

/* log_stream_write writes up to this number of bytes whole or not at all. */
#define WHOLE_SIZE 4096

#define LOSS_SIZE (WHOLE_SIZE - LOG_LINE_SIZE)

/* Number of lost lines that were not reported yet. */
static _Atomic uint64_t lost;

static log_taker *diverted_to;

static _Atomic bool is_dated;

/* Used between log_begin and log_end. `lock` guards the members after it. */
static struct {
    _Atomic int level; /* an enum log_level */
    enum log_format format;
    void (*wake)(void *context);
    void *wake_context;
    struct mutex *lock; /* NULL before log_begin and after log_end: lines are then not merged */

    struct log_repeats repeats;

    /* Lines that were logged while log_text writes. They are written after it. */
    bool writing_text;
    size_t waiting_size;
    uint64_t waiting_count; /* number of messages, including repetitions */
    char waiting[WHOLE_SIZE];

    /*
     * The last text was not written completely, so the output may end within a line. Only the
     * thread that writes texts uses this.
     */
    bool torn;
} begun = {.level = LOG_INFO};

void log_divert(log_taker *taker)
{
    diverted_to = taker;
}

/* --- bytes ------------------------------------------------------------------------------------ */

static bool keep_waiting(const char *lines, size_t size)
{
    if (size > sizeof begun.waiting - begun.waiting_size)
        return false;
    memcpy(begun.waiting + begun.waiting_size, lines, size);
    begun.waiting_size += size;
    return true;
}

/* Writes lines. If the last text was not written completely, first ends its last line. */
static bool write_to_stream(const char *lines, size_t size)
{
    progress_line_make_room();
    if (begun.torn && log_stream_write("\n", 1, 0))
        begun.torn = false;
    return !begun.torn && log_stream_write(lines, size, 0);
}

static bool log_put(enum log_level level, const char *lines, size_t size)
{
    if (diverted_to != NULL)
        return diverted_to(level, lines, size);
    if (begun.writing_text)
        return keep_waiting(lines, size);
    return write_to_stream(lines, size);
}

/* --- lines ------------------------------------------------------------------------------------ */

static enum log_place place_of_lines(void)
{
    if (diverted_to != NULL)
        return LOG_ELSEWHERE;
    if (log_stream_is_journal())
        return LOG_IN_JOURNAL;
    bool dated = atomic_load_explicit(&is_dated, memory_order_relaxed);
    if (terminal_has_colour())
        return dated ? LOG_ON_TERMINAL_DATED : LOG_ON_TERMINAL;
    return dated ? LOG_ON_STREAM_DATED : LOG_ON_STREAM;
}

void log_date_lines(bool dated)
{
    atomic_store(&is_dated, dated);
}

static size_t write_loss(uint64_t count, enum log_place place, int64_t time_ns, char *line)
{
    struct log_entry loss = {.level = LOG_INFO, .subject = LOG_OF_PROGRAM};
    snprintf(loss.message, LOSS_SIZE / 2, "%" PRIu64 " line%s lost", count,
             count == 1 ? " was" : "s were");
    return log_entry_write(&loss, 0, begun.format, place, time_ns, line);
}

/*
 * Writes one line. Returns false on failure; the caller then counts the line as lost. First reports
 * the number of lines lost earlier. It does not do so while lines wait for a text, because the
 * report itself could be lost.
 */
static bool write_entry(const struct log_entry *entry, uint64_t repeated)
{
    char text[LOSS_SIZE + LOG_LINE_SIZE];
    enum log_place place = place_of_lines();
    int64_t time_ns = clock_wall_ns();
    bool waits = begun.writing_text && diverted_to == NULL;
    uint64_t before = waits ? 0 : atomic_exchange(&lost, 0);
    size_t size = before != 0 ? write_loss(before, place, time_ns, text) : 0;
    RULE(size <= LOSS_SIZE, "the line about lost lines fits");
    size += log_entry_write(entry, repeated, begun.format, place, time_ns, text + size);
    if (!log_put(entry->level, text, size)) {
        atomic_fetch_add(&lost, before);
        return false;
    }
    if (waits)
        begun.waiting_count += repeated != 0 ? repeated : 1;
    return true;
}

static bool write_repeats(int64_t now_ns)
{
    if (begun.repeats.count == 0)
        return true;
    if (!write_entry(&begun.repeats.last, begun.repeats.count)) {
        log_repeats_put_off(&begun.repeats, now_ns);
        return false;
    }
    log_repeats_reported(&begun.repeats, now_ns);
    return true;
}

/*
 * Writes the count of repetitions before a different line, or at the end. If it cannot be written
 * now, the repetitions count as lost.
 */
static void end_repeats(int64_t now_ns)
{
    write_repeats(now_ns);
    atomic_fetch_add(&lost, log_repeats_end(&begun.repeats));
}

static void take_repetition(int64_t now_ns)
{
    if (now_ns >= log_repeats_due(&begun.repeats))
        write_repeats(now_ns);
    else if (begun.repeats.count == 1 && begun.wake != NULL)
        begun.wake(begun.wake_context);
}

static void log_merge(const struct log_entry *entry)
{
    int64_t now_ns = clock_monotonic_ns();
    if (log_repeats_take(&begun.repeats, entry, now_ns)) {
        take_repetition(now_ns);
        return;
    }
    end_repeats(now_ns);
    if (write_entry(entry, 0))
        log_repeats_begin(&begun.repeats, entry, now_ns);
    else
        atomic_fetch_add(&lost, 1);
}

static void log_write(enum log_level level, enum log_subject subject, const char *name, bool named,
                      const char *format, va_list arguments)
{
    struct log_entry entry;
    if ((int)level > atomic_load_explicit(&begun.level, memory_order_relaxed))
        return;
    log_entry_make(&entry, level, subject, name, named, format, arguments);
    if (begun.lock == NULL) {
        if (!write_entry(&entry, 0))
            atomic_fetch_add(&lost, 1);
        return;
    }
    mutex_lock(begun.lock);
    log_merge(&entry);
    mutex_unlock(begun.lock);
}

void log_line(enum log_level level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_write(level, LOG_OF_PROGRAM, NULL, false, format, arguments);
    va_end(arguments);
}

void log_about(enum log_level level, enum log_subject subject, const char *name, const char *format,
               ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_write(level, subject, name, false, format, arguments);
    va_end(arguments);
}

void log_naming(enum log_level level, enum log_subject subject, const char *name,
                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_write(level, subject, name, true, format, arguments);
    va_end(arguments);
}

/* --- texts ------------------------------------------------------------------------------------ */

static void begin_text(void)
{
    mutex_lock(begun.lock);
    RULE(!begun.writing_text, "one text is written at a time");
    write_repeats(clock_monotonic_ns());
    begun.writing_text = true;
    mutex_unlock(begun.lock);
}

/* Writes the lines that waited for the text. On failure they and their repetitions are lost. */
static void end_text(void)
{
    mutex_lock(begun.lock);
    begun.writing_text = false;
    if (begun.waiting_size != 0 && !write_to_stream(begun.waiting, begun.waiting_size))
        atomic_fetch_add(&lost, begun.waiting_count + log_repeats_end(&begun.repeats));
    begun.waiting_size = 0;
    begun.waiting_count = 0;
    mutex_unlock(begun.lock);
}

/*
 * Writes a text. Its first WHOLE_SIZE bytes are written whole or not at all; the rest may be
 * written in part.
 */
static bool write_parts(const char *lines, size_t size, int wait_ms)
{
    int64_t until_ns = clock_monotonic_ns() + (int64_t)wait_ms * 1000000;
    size_t first = size < WHOLE_SIZE ? size : WHOLE_SIZE;
    if (begun.torn && !log_stream_write("\n", 1, wait_ms))
        return false;
    begun.torn = false;
    if (!log_stream_write(lines, first, milliseconds_until(until_ns, clock_monotonic_ns())))
        return false;
    if (first == size)
        return true;
    begun.torn = !log_stream_write(lines + first, size - first,
                                   milliseconds_until(until_ns, clock_monotonic_ns()));
    return !begun.torn;
}

bool log_text(enum log_level level, const char *lines, size_t size, int wait_ms)
{
    if (diverted_to != NULL)
        return diverted_to(level, lines, size);
    progress_line_make_room();
    if (begun.lock == NULL)
        return log_stream_write(lines, size, wait_ms);
    begin_text();
    bool written = write_parts(lines, size, wait_ms);
    end_text();
    return written;
}

/* --- starting, changing and ending the log ---------------------------------------------------- */

static void log_follow(const struct log_settings *settings)
{
    begun.level = (int)settings->level;
    begun.format = settings->format;
    begun.repeats.interval_ns = (int64_t)settings->repeats_ns;
}

int log_begin(const struct log_settings *settings, struct error *error)
{
    RULE(begun.lock == NULL, "the log begins when it has not, or has ended");
    begun.lock = mutex_create();
    if (begun.lock == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "out of memory for the log");
        return -1;
    }
    log_follow(settings);
    return 0;
}

void log_set(const struct log_settings *settings)
{
    if (begun.lock == NULL)
        return;
    mutex_lock(begun.lock);
    write_repeats(clock_monotonic_ns());
    log_follow(settings);
    mutex_unlock(begun.lock);
}

void log_end(void)
{
    if (begun.lock == NULL)
        return;
    RULE(!begun.writing_text && begun.waiting_size == 0, "the log ends after its last text");
    end_repeats(clock_monotonic_ns());
    mutex_destroy(begun.lock);
    begun.lock = NULL;
    begun.wake = NULL;
    begun.level = LOG_INFO;
    begun.format = LOG_TEXT;
    begun.torn = false;
}

void log_watch(void (*wake)(void *context), void *context)
{
    if (begun.lock == NULL)
        return;
    mutex_lock(begun.lock);
    begun.wake = wake;
    begun.wake_context = context;
    mutex_unlock(begun.lock);
}

int64_t log_due_ns(void)
{
    if (begun.lock == NULL)
        return INT64_MAX;
    mutex_lock(begun.lock);
    int64_t due_ns = log_repeats_due(&begun.repeats);
    mutex_unlock(begun.lock);
    return due_ns;
}

static void write_repeats_before(int64_t limit_ns)
{
    if (begun.lock == NULL)
        return;
    mutex_lock(begun.lock);
    if (log_repeats_due(&begun.repeats) < limit_ns)
        write_repeats(clock_monotonic_ns());
    mutex_unlock(begun.lock);
}

void log_write_repeats(void)
{
    write_repeats_before(clock_monotonic_ns() + 1);
}

void log_write_repeats_now(void)
{
    write_repeats_before(INT64_MAX);
}

/* --- rate ------------------------------------------------------------------------------------- */

static int64_t next_interval(int64_t interval_ns)
{
    if (interval_ns == 0)
        return LOG_INTERVAL_FIRST_NS;
    return interval_ns < LOG_INTERVAL_LONGEST_NS / 2 ? 2 * interval_ns : LOG_INTERVAL_LONGEST_NS;
}

bool log_allowed(struct log_limit *limit, uint64_t *held)
{
    int64_t now = clock_monotonic_ns();
    if (now - limit->last_ns >= LOG_QUIET_NS)
        limit->interval_ns = 0;
    limit->last_ns = now;
    if (limit->interval_ns != 0 && now < limit->next_ns) {
        limit->held++;
        return false;
    }
    *held = limit->held;
    limit->held = 0;
    limit->interval_ns = next_interval(limit->interval_ns);
    limit->next_ns = now + limit->interval_ns;
    return true;
}
