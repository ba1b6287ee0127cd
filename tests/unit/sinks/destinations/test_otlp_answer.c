#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/otlp_answer.h"
#include "tests/support/base/random_number.h"
#include "tests/support/proto/wire.h"
#include "tests/support/test.h"

static struct wire wire;

/*
 * Reads the answer from a block of its exact size, so that a sanitizer detects a read past its end.
 */
static bool read(const void *bytes, size_t size, uint64_t rejected, const char *message)
{
    uint8_t *exact = malloc(size == 0 ? 1 : size);
    struct otlp_answer answer;
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    bool is_answer = otlp_answer_read(exact, size, &answer);
    if (message != NULL) {
        assert_true(answer.rejected == rejected);
        assert_int_equal(answer.message.size, strlen(message));
        assert_memory_equal(answer.message.data, message, answer.message.size);
    }
    free(exact);
    return is_answer;
}

static void put_partial(uint64_t rejected, const char *message)
{
    size_t partial = wire_begin(&wire, 1);
    wire_uint(&wire, 1, rejected);
    wire_text(&wire, 2, message);
    wire_end(&wire, partial);
}

TEST(an_empty_answer_says_that_all_was_taken)
{
    assert_true(read("", 0, 0, ""));
    assert_true(read("\x0a\x00", 2, 0, ""));
}

TEST(a_partial_success_says_how_many_points_were_refused_and_why)
{
    wire_clear(&wire);
    put_partial(17, "too old");
    assert_true(read(wire.bytes, wire.size, 17, "too old"));
    wire_clear(&wire);
    put_partial(0, "slow down"); /* a warning, without rejected points */
    assert_true(read(wire.bytes, wire.size, 0, "slow down"));
}

TEST(of_a_field_that_is_there_twice_the_last_counts)
{
    wire_clear(&wire);
    put_partial(17, "first");
    put_partial(2, "second");
    assert_true(read(wire.bytes, wire.size, 2, "second"));
}

TEST(fields_that_are_not_known_are_passed_over)
{
    wire_clear(&wire);
    wire_uint(&wire, 9, 5);
    size_t partial = wire_begin(&wire, 1);
    wire_double(&wire, 3, 1);
    wire_uint(&wire, 1, 4);
    wire_float(&wire, 4, 1);
    wire_text(&wire, 5, "what");
    wire_end(&wire, partial);
    wire_text(&wire, 2, "else");
    assert_true(read(wire.bytes, wire.size, 4, ""));
}

TEST(a_number_below_zero_refuses_nothing)
{
    wire_clear(&wire);
    put_partial((uint64_t)-1, "");
    assert_true(read(wire.bytes, wire.size, 0, ""));
    wire_clear(&wire);
    put_partial(INT64_MAX, "");
    assert_true(read(wire.bytes, wire.size, INT64_MAX, ""));
}

TEST(what_is_cut_is_no_answer)
{
    wire_clear(&wire);
    put_partial(300, "a message");
    for (size_t size = 1; size < wire.size; size++)
        assert_false(read(wire.bytes, size, 0, ""));
}

TEST(what_is_something_else_is_no_answer)
{
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {
        {"<html>", 6},
        {"{\"partialSuccess\":{}}", 21},
        {"\x0a\x02\x0a\x01", 4},
        {"\x00\x00", 2},
        {"\x0b\x0c", 2},
        {"\x0a\xff\xff\xff\xff\x7f", 6},
        {"\xff\xff\xff\xff\xff\xff", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_false(read(cases[i].bytes, cases[i].size, 0, ""));
}

TEST(random_bytes_are_read_within_their_bounds)
{
    uint64_t state = 3;
    for (int i = 0; i < 50000; i++) {
        uint8_t bytes[32];
        size_t size = (size_t)next_below(&state, sizeof bytes + 1);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)next_random(&state);
        if (size != 0 && next_below(&state, 2) == 0)
            bytes[0] = 0x0a;
        read(bytes, size, 0, NULL);
    }
}
