/*
 * Reads a capture to its end for a test. Fails the running cmocka test if the counts do not add up,
 * or if a further read does not report the end again.
 */
#ifndef SLUICE_TESTS_SUPPORT_CAPTURE_CAPTURE_READING_H
#define SLUICE_TESTS_SUPPORT_CAPTURE_CAPTURE_READING_H

#include <stddef.h>
#include <stdint.h>

#include "collector/capture/capture.h"

/* A datagram of the capture, with a copy of its payload. */
struct capture_read {
    uint8_t *data;
    size_t size;
    struct address source;
    struct address destination;
    int64_t time_ns;
};

struct capture_reading {
    struct capture_read *datagrams;
    size_t count;
    size_t room;
    struct capture_counts counts;
    enum capture_result end; /* CAPTURE_END or CAPTURE_DAMAGED */
    struct error error;      /* why the capture is damaged */
};

/*
 * Reads the capture at `path`, for `port` (0: all ports). The test fails if it cannot be opened.
 * Free the reading with capture_reading_free.
 */
void capture_reading_take(struct capture_reading *reading, const char *path, uint16_t port);
void capture_reading_free(struct capture_reading *reading);

/* Asserts that all counts are the expected ones. */
void capture_reading_assert_counts(const struct capture_reading *reading,
                                   const struct capture_counts *expected);

/*
 * Asserts that datagram `index` has the payload that packet_begin_pattern makes from `seed` and
 * `size`.
 */
void capture_reading_assert_pattern(const struct capture_reading *reading, size_t index,
                                    unsigned seed, size_t size);

#endif
