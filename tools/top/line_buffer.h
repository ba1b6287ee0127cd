/*
 * Buffers the bytes of a connection: they are read to the end of the buffer, and complete lines are
 * taken from its beginning. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_LINE_BUFFER_H
#define SLUICE_TOOLS_TOP_LINE_BUFFER_H

#include <stddef.h>

/* This is more than the collector's longest answer (CONTROL_ANSWER_MOST). */
#define LINE_BUFFER_SIZE ((size_t)5 * 1024 * 1024)

/* A buffer is empty when `begin` and `end` are 0. */
struct line_buffer {
    size_t begin, end; /* the data that was not taken */
    char bytes[LINE_BUFFER_SIZE];
};

/*
 * Takes the next line. Returns its size with its newline, or 0 if it is not complete. Replaces
 * other control characters in it. *line is valid until line_buffer_room or the next read.
 */
size_t line_buffer_next(struct line_buffer *buffer, const char **line);

/*
 * Moves the data to the beginning of the buffer. Returns the number of free bytes after `end`, or 0
 * if the line is too long.
 */
size_t line_buffer_room(struct line_buffer *buffer);

#endif
