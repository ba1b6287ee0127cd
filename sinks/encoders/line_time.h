/*
 * Writes the time at the end of a line, and caches its text, because the next line usually has the
 * same time. Initially zero. For one encoder, in its thread. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_LINE_TIME_H
#define SLUICE_SINKS_ENCODERS_LINE_TIME_H

#include <stdint.h>

#include "collector/text/output.h"

/* Room for a space, any 64-bit number with a decimal point, and a newline. */
#define LINE_TIME_SIZE 32

struct line_time {
    int64_t time_ns; /* since 1970 UTC */
    size_t size;     /* size of the text; 0 means nothing is cached */
    char text[LINE_TIME_SIZE];
};

/* Appends a time in the format's form. The same time must always give the same text. */
typedef void line_time_writer(struct output *out, int64_t time_ns);

/* Fills `end` with a space, the time and a newline. */
void line_time_set(struct line_time *end, int64_t time_ns, line_time_writer *write);

static inline void line_time_put(struct line_time *end, int64_t time_ns, line_time_writer *write,
                                 struct output *out)
{
    if (end->time_ns != time_ns || end->size == 0)
        line_time_set(end, time_ns, write);
    output_bytes(out, end->text, end->size);
}

#endif
