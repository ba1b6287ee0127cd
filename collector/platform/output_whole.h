/* How far the bytes of a file are whole records: what a format says about a file of its own. */
#ifndef SLUICE_COLLECTOR_PLATFORM_OUTPUT_WHOLE_H
#define SLUICE_COLLECTOR_PLATFORM_OUTPUT_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Of `size` bytes that begin where a record does (`at_start`: where the file does, with its head):
 * how many, from the front, are the head and whole records; 0: not even the first is. *foreign:
 * what follows those is not the beginning of a record either, so that somebody else has written
 * it. Where it is false they are all, or the next one goes on after the last byte. A pure
 * function.
 */
typedef size_t output_whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign);

/* How sure it is that bytes are a line that a format writes, or the beginning of one. */
enum output_line {
    OUTPUT_LINE_FOREIGN, /* the format writes no such line */
    OUTPUT_LINE_LIKELY,  /* it can write one, but so can others, or they are too few to say */
    OUTPUT_LINE_OWN,     /* it is marked as the format's */
};

/* Bytes of a line that a format looks at. */
#define OUTPUT_LINE_LOOK ((size_t)4096)

/*
 * Of the first `size` (≥ 1) bytes of a line, at most OUTPUT_LINE_LOOK of them. The last of them is
 * its newline where it is whole and no longer than that. A pure function.
 */
typedef enum output_line output_line(const uint8_t *bytes, size_t size);

#endif
