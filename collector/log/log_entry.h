/*
 * One message of the log, and the line it becomes. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_LOG_LOG_ENTRY_H
#define SLUICE_COLLECTOR_LOG_LOG_ENTRY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/log/log.h"

/* Bytes of a name and of a message that are kept, and of a line of text; longer ones are cut. */
#define LOG_TEXT_SIZE 1024

/*
 * Bytes of any line with its newline. With a short one before it, it has the 4096 that a pipe takes
 * whole or not at all (log_stream.h).
 */
#define LOG_LINE_SIZE 3840

struct log_entry {
    enum log_level level;
    enum log_subject subject;
    bool named; /* the message says the name */
    char name[LOG_TEXT_SIZE];
    char message[LOG_TEXT_SIZE];
};

/* What a line has around its message. */
enum log_place {
    LOG_ON_STREAM,       /* who speaks and how bad it is */
    LOG_ON_STREAM_DATED, /* the same after the time, UTC: "2026-01-02T03:04:05.678Z " */
    LOG_ON_TERMINAL,     /* as the first two, of which how bad it is has a colour (ECMA-48, SGR) */
    LOG_ON_TERMINAL_DATED,
    LOG_IN_JOURNAL, /* "<3>" */
    LOG_ELSEWHERE,  /* nothing */
};

/* `name` is NULL for LOG_OF_PROGRAM. Control characters become '?'. */
void log_entry_make(struct log_entry *entry, enum log_level level, enum log_subject subject,
                    const char *name, bool named, const char *format, va_list arguments);

/* Whether both say the same of the same, as bad. */
bool log_entry_is(const struct log_entry *entry, const struct log_entry *other);

/*
 * Writes it as a line, or with `repeated` above 0 the line that says so often it was repeated.
 * `time_ns` (since 1970 UTC) is when. `line` has room for LOG_LINE_SIZE bytes; returns how many it
 * has, with its newline.
 */
size_t log_entry_write(const struct log_entry *entry, uint64_t repeated, enum log_format format,
                       enum log_place place, int64_t time_ns, char *line);

#endif
