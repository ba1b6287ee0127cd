/* Makes a message of the log, and formats it as a line. Pure functions; any thread. */
#ifndef SLUICE_COLLECTOR_LOG_LOG_ENTRY_H
#define SLUICE_COLLECTOR_LOG_LOG_ENTRY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/log/log.h"

/* Bytes of a name, a message and a text line, with a NUL or newline. Longer ones are truncated. */
#define LOG_TEXT_SIZE 1024

/*
 * The upper limit of a line in bytes, with its newline. This line and a short one before it
 * together fit the 4096 bytes that a pipe accepts whole or not at all (log_stream_write,
 * platform/process.h).
 */
#define LOG_LINE_SIZE 3840

struct log_entry {
    enum log_level level;
    enum log_subject subject;
    bool named; /* the message already contains the name */
    char name[LOG_TEXT_SIZE];
    char message[LOG_TEXT_SIZE];
};

/* The place that a line is written to. It determines the prefix of the message. */
enum log_place {
    LOG_ON_STREAM,       /* program name and level */
    LOG_ON_STREAM_DATED, /* the time in UTC, "2026-01-02T03:04:05.678Z ", then as LOG_ON_STREAM */
    LOG_ON_TERMINAL,     /* as LOG_ON_STREAM, with a coloured level (ECMA-48, SGR) */
    LOG_ON_TERMINAL_DATED,
    LOG_IN_JOURNAL, /* level of the journal, such as "<3>" */
    LOG_ELSEWHERE,  /* no prefix */
};

/* Fills *entry. `name` is NULL for LOG_OF_PROGRAM. Control characters become '?'. */
void log_entry_make(struct log_entry *entry, enum log_level level, enum log_subject subject,
                    const char *name, bool named, const char *format, va_list arguments);

/* Returns true if level, subject, name and message are equal. */
bool log_entry_is(const struct log_entry *entry, const struct log_entry *other);

/*
 * Writes the entry as a line. If `repeated` is not 0, the line reports instead that the message was
 * repeated this number of times. `time_ns` is since 1970 UTC. `line` has room for LOG_LINE_SIZE
 * bytes. Returns the bytes written, with the newline.
 */
size_t log_entry_write(const struct log_entry *entry, uint64_t repeated, enum log_format format,
                       enum log_place place, int64_t time_ns, char *line);

#endif
