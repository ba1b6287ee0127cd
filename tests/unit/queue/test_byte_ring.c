/*
 * Tests that bytes go from one thread to another: in order, complete, and never more than the
 * capacity.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/thread.h"
#include "collector/queue/byte_ring.h"
#include "tests/support/test.h"

static bool put(struct byte_ring *ring, const void *bytes, size_t size)
{
    const struct byte_part part = {bytes, size};
    return byte_ring_put(ring, &part, 1);
}

TEST(bytes_come_out_in_order_in_any_pieces)
{
    struct byte_ring *ring = byte_ring_create(10);
    assert_non_null(ring);
    char taken[8] = "";
    /* The parts wrap around the end of the ring, at another position in each round. */
    for (int round = 0; round < 30; round++) {
        const struct byte_part parts[] = {{"ab", 2}, {NULL, 0}, {"cdefg", 5}};
        assert_true(byte_ring_is_empty(ring));
        assert_true(byte_ring_put(ring, parts, 3));
        assert_false(byte_ring_is_empty(ring));
        byte_ring_take(ring, taken, 3);
        byte_ring_take(ring, taken + 3, 4);
        assert_string_equal(taken, "abcdefg");
    }
    byte_ring_destroy(ring);
}

TEST(parts_that_do_not_fit_are_refused_together)
{
    struct byte_ring *ring = byte_ring_create(10);
    assert_non_null(ring);
    char taken[10];
    assert_false(put(ring, "01234567890", 11));
    assert_true(put(ring, "0123456789", 10));
    assert_false(byte_ring_has_room(ring, 1));
    assert_false(put(ring, "x", 1));
    byte_ring_take(ring, taken, 4);
    assert_true(byte_ring_has_room(ring, 4));
    assert_false(byte_ring_has_room(ring, 5));
    const struct byte_part parts[] = {{"abc", 3}, {"de", 2}};
    assert_false(byte_ring_put(ring, parts, 2));
    assert_true(put(ring, "abcd", 4));
    byte_ring_take(ring, taken, 10);
    assert_memory_equal(taken, "456789abcd", 10);
    assert_true(byte_ring_is_empty(ring));
    byte_ring_destroy(ring);
}

TEST(it_is_finished_when_it_is_closed_and_empty)
{
    struct byte_ring *ring = byte_ring_create(10);
    assert_non_null(ring);
    char taken;
    assert_false(byte_ring_is_finished(ring));
    assert_true(put(ring, "x", 1));
    byte_ring_close(ring);
    assert_false(byte_ring_is_finished(ring));
    byte_ring_take(ring, &taken, 1);
    assert_true(byte_ring_is_finished(ring));
    byte_ring_destroy(ring);
    byte_ring_destroy(NULL);
}

#define LETTERS 20000

/*
 * Puts pieces of 1 to 100 bytes, each after its size. The bytes of each piece depend on its number.
 */
static void produce(void *argument)
{
    struct byte_ring *ring = argument;
    uint8_t bytes[100];
    for (unsigned i = 0; i < LETTERS;) {
        uint8_t size = (uint8_t)(i % 100 + 1);
        memset(bytes, (int)(i % 251), size);
        const struct byte_part parts[] = {{&size, 1}, {bytes, size}};
        i += byte_ring_put(ring, parts, 2);
    }
    byte_ring_close(ring);
}

TEST(letters_are_seen_whole_by_another_thread)
{
    struct byte_ring *ring = byte_ring_create(257);
    struct thread *producer;
    struct error error;
    assert_non_null(ring);
    assert_int_equal(thread_start(&producer, "producer", produce, ring, &error), 0);
    unsigned i = 0;
    while (!byte_ring_is_finished(ring)) {
        uint8_t size, bytes[100], expected[100];
        if (byte_ring_is_empty(ring))
            continue;
        byte_ring_take(ring, &size, 1);
        assert_int_equal(size, i % 100 + 1);
        byte_ring_take(ring, bytes, size);
        memset(expected, (int)(i % 251), size);
        assert_memory_equal(bytes, expected, size);
        i++;
    }
    assert_int_equal(i, LETTERS);
    thread_join(producer);
    byte_ring_destroy(ring);
}
