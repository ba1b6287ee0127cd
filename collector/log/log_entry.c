#include "collector/log/log_entry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/text/calendar.h"
#include "collector/text/control_character.h"
#include "collector/text/json_writer.h"

void log_entry_make(struct log_entry *entry, enum log_level level, enum log_subject subject,
                    const char *name, bool named, const char *format, va_list arguments)
{
    entry->level = level;
    entry->subject = subject;
    entry->named = named;
    snprintf(entry->name, sizeof entry->name, "%s", name != NULL ? name : "");
    entry->message[0] = '\0'; /* in case vsnprintf fails */
    vsnprintf(entry->message, sizeof entry->message, format, arguments);
    control_characters_hide(entry->name, strlen(entry->name));
    control_characters_hide(entry->message, strlen(entry->message));
}

bool log_entry_is(const struct log_entry *entry, const struct log_entry *other)
{
    return entry->level == other->level && entry->subject == other->subject &&
           strcmp(entry->message, other->message) == 0 && strcmp(entry->name, other->name) == 0;
}

/* --- text ------------------------------------------------------------------------------------- */

static const char *entry_prefix(enum log_level level, enum log_place place)
{
    static const char *const on_stream[] = {
        [LOG_ERROR] = "sluice: error: ",
        [LOG_WARNING] = "sluice: warning: ",
        [LOG_INFO] = "sluice: ",
    };
    /* Red and yellow. */
    static const char *const on_terminal[] = {
        [LOG_ERROR] = "sluice: \033[31merror:\033[0m ",
        [LOG_WARNING] = "sluice: \033[33mwarning:\033[0m ",
        [LOG_INFO] = "sluice: ",
    };
    /* The journal's prefixes, with the numbers of syslog(3). */
    static const char *const in_journal[] = {
        [LOG_ERROR] = "<3>", [LOG_WARNING] = "<4>", [LOG_INFO] = "<6>"};
    switch (place) {
    case LOG_ON_STREAM:
    case LOG_ON_STREAM_DATED:
        return on_stream[level];
    case LOG_ON_TERMINAL:
    case LOG_ON_TERMINAL_DATED:
        return on_terminal[level];
    case LOG_IN_JOURNAL:
        return in_journal[level];
    case LOG_ELSEWHERE:
        break;
    }
    return "";
}

static void entry_put(struct output *out, const char *text)
{
    size_t size = strlen(text);
    size_t room = out->capacity - out->used;
    output_bytes(out, text, size < room ? size : room);
}

/* Appends a date of RFC 3339 with milliseconds, and a space. Times before 1970 become 1970. */
static void put_date(struct output *out, int64_t time_ns)
{
    char text[32];
    const uint64_t day_ms = UINT64_C(86400000);
    uint64_t ms = time_ns < 0 ? 0 : (uint64_t)time_ns / 1000000;
    unsigned of_day = (unsigned)(ms % day_ms);
    struct calendar_date date =
        calendar_date_of((uint32_t)(ms / day_ms) + CALENDAR_DAYS_BEFORE_1970);
    snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ ", (unsigned)date.year,
             (unsigned)date.month, (unsigned)date.day, of_day / 3600000, of_day / 60000 % 60,
             of_day / 1000 % 60, of_day % 1000);
    entry_put(out, text);
}

static size_t write_text(const struct log_entry *entry, uint64_t repeated, enum log_place place,
                         int64_t time_ns, char *line)
{
    struct output out = {.data = line, .capacity = LOG_TEXT_SIZE - 2};
    char times[64];
    if (place == LOG_ON_STREAM_DATED || place == LOG_ON_TERMINAL_DATED)
        put_date(&out, time_ns);
    entry_put(&out, entry_prefix(entry->level, place));
    if (repeated != 0) {
        snprintf(times, sizeof times, "last message repeated %" PRIu64 " time%s", repeated,
                 repeated == 1 ? "" : "s");
        entry_put(&out, times);
    } else {
        bool name_first = entry->subject != LOG_OF_PROGRAM && !entry->named;
        entry_put(&out, name_first ? entry->name : "");
        size_t length = strlen(entry->name);
        bool has_colon = length != 0 && entry->name[length - 1] == ':'; /* such as "stdout:" */
        entry_put(&out, !name_first ? "" : has_colon ? " " : ": ");
        entry_put(&out, entry->message);
    }
    line[out.used++] = '\n';
    return out.used;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void put_subject(struct output *out, const struct log_entry *entry)
{
    switch (entry->subject) {
    case LOG_OF_PROGRAM:
        return;
    case LOG_OF_LISTENER:
        json_key_literal(out, "listener");
        break;
    case LOG_OF_SINK:
        json_key_literal(out, "sink");
        break;
    case LOG_OF_DEAD_LETTERS:
        json_key_literal(out, "dead_letter");
        break;
    }
    json_string(out, entry->name, strlen(entry->name));
}

static void put_object(struct output *out, const struct log_entry *entry, uint64_t repeated,
                       int64_t time_ns, size_t message_size)
{
    static const char *const levels[] = {
        [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_INFO] = "info"};
    json_object_begin(out);
    json_key_literal(out, "time");
    json_time(out, time_ns);
    json_member_text(out, "level", levels[entry->level]);
    put_subject(out, entry);
    json_key_literal(out, "message");
    json_string(out, entry->message, message_size);
    if (repeated != 0)
        json_member_uint64(out, "repeated", repeated);
    json_object_end(out);
    output_char(out, '\n');
}

/*
 * Escapes, and replacements of invalid UTF-8, can turn one byte into three. If the line becomes too
 * long, the message is cut; the other members always fit.
 */
static size_t entry_write_json(const struct log_entry *entry, uint64_t repeated, const char *prefix,
                               int64_t time_ns, char *line)
{
    struct output out;
    size_t begun = strlen(prefix);
    size_t size = strlen(entry->message);
    memcpy(line, prefix, begun);
    for (;; size /= 2) {
        out = (struct output){.data = line + begun, .capacity = LOG_LINE_SIZE - begun};
        put_object(&out, entry, repeated, time_ns, size);
        if (!out.overflow || size == 0)
            return begun + out.used;
    }
}

size_t log_entry_write(const struct log_entry *entry, uint64_t repeated, enum log_format format,
                       enum log_place place, int64_t time_ns, char *line)
{
    if (format == LOG_TEXT)
        return write_text(entry, repeated, place, time_ns, line);
    const char *prefix = place == LOG_IN_JOURNAL ? entry_prefix(entry->level, place) : "";
    return entry_write_json(entry, repeated, prefix, time_ns, line);
}
