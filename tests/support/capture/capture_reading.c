#include "tests/support/capture/capture_reading.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/capture/capture_builder.h"
#include "tests/support/test.h"

static void keep(struct capture_reading *reading, const struct capture_datagram *datagram)
{
    if (reading->count == reading->room) {
        reading->room = 2 * reading->room + 16;
        reading->datagrams =
            realloc(reading->datagrams, reading->room * sizeof reading->datagrams[0]);
        assert_non_null(reading->datagrams);
    }
    struct capture_read *kept = &reading->datagrams[reading->count++];
    kept->size = datagram->size;
    kept->source = datagram->source;
    kept->destination = datagram->destination;
    kept->time_ns = datagram->time_ns;
    kept->data = malloc(datagram->size + 1);
    assert_non_null(kept->data);
    memcpy(kept->data, datagram->data, datagram->size);
}

static void assert_counts_add_up(const struct capture_reading *reading)
{
    const struct capture_counts *counts = &reading->counts;
    assert_int_equal(counts->frames,
                     counts->whole + counts->fragments + counts->other + counts->cut);
    assert_int_equal(reading->count, counts->whole + counts->reassembled);
    /* A reassembled datagram had at least two fragments, and an incomplete one at least one. */
    assert_true(counts->fragments >= 2 * counts->reassembled + counts->incomplete);
}

void capture_reading_take(struct capture_reading *reading, const char *path, uint16_t port)
{
    *reading = (struct capture_reading){0};
    struct capture *capture = NULL;
    if (capture_open(path, port, &capture, &reading->error) != 0)
        fail_msg("%s", reading->error.text);
    struct capture_datagram datagram;
    while ((reading->end = capture_next(capture, &datagram, &reading->error)) == CAPTURE_DATAGRAM)
        keep(reading, &datagram);
    reading->counts = *capture_counts(capture);
    assert_counts_add_up(reading);

    struct error again = {0};
    assert_int_equal(capture_next(capture, &datagram, &again), reading->end);
    assert_string_equal(again.text, reading->error.text);
    assert_memory_equal(&reading->counts, capture_counts(capture), sizeof reading->counts);
    capture_close(capture);
}

void capture_reading_free(struct capture_reading *reading)
{
    for (size_t i = 0; i < reading->count; i++)
        free(reading->datagrams[i].data);
    free(reading->datagrams);
    *reading = (struct capture_reading){0};
}

void capture_reading_assert_counts(const struct capture_reading *reading,
                                   const struct capture_counts *expected)
{
    assert_int_equal(reading->counts.frames, expected->frames);
    assert_int_equal(reading->counts.whole, expected->whole);
    assert_int_equal(reading->counts.fragments, expected->fragments);
    assert_int_equal(reading->counts.reassembled, expected->reassembled);
    assert_int_equal(reading->counts.other, expected->other);
    assert_int_equal(reading->counts.cut, expected->cut);
    assert_int_equal(reading->counts.incomplete, expected->incomplete);
}

void capture_reading_assert_pattern(const struct capture_reading *reading, size_t index,
                                    unsigned seed, size_t size)
{
    assert_in_range(index, 0, reading->count - 1);
    assert_int_equal(reading->datagrams[index].size, size);
    for (size_t at = 0; at < size; at++)
        if (reading->datagrams[index].data[at] != packet_pattern(seed, at))
            fail_msg("datagram %zu differs at byte %zu", index, at);
}
