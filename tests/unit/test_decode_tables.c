/*
 * Blocks of the message that have the size of one of the decoder's own tables, and were first taken
 * for one. Only what is still there after the decoding counts: a message of one more takes as much
 * more memory as that one does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/schemas.h"
#include "tests/proto/generated/shapes.pb-c.h"
#include "tests/support/decoding.h"
#include "tests/support/patience.h"

#define LARGEST 65507 /* bytes of a datagram */

static int open_trees(void **state)
{
    return decoding_set_up_type(state, &sluice__shapes__tree__descriptor, TEXT_UTF8);
}

/* A sample of 16 bytes on the wire. */
static void put_sample(void)
{
    size_t sample = wire_begin(&wire, 6);
    wire_text(&wire, 1, "cpu");
    wire_double(&wire, 3, 0.5);
    wire_end(&wire, sample);
}

static size_t memory_of_samples(struct decoding *decoding, size_t count)
{
    wire_clear(&wire);
    for (size_t i = 0; i < count; i++)
        put_sample();
    assert_int_equal(wire.size, 16 * count);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    struct schema_cursor cursor = {0};
    struct sample sample;
    memset(decoding->scratch.base, 0xee, DECODING_SCRATCH);
    for (size_t i = 0; i < count; i++) {
        assert_true(
            schema_telemetry.next_sample(decoding->schema, decoding->message, &cursor, &sample));
        assert_true(sample.value.number == 0.5);
    }
    return decoding->arena.used;
}

static void no_count_of_samples_needs_more_memory_than_the_next(void **state)
{
    struct decoding *decoding = *state;
    size_t one = memory_of_samples(decoding, 2) - memory_of_samples(decoding, 1);
    size_t none = memory_of_samples(decoding, 1) - one;
    assert_int_equal(memory_of_samples(decoding, 2000), none + 2000 * one);
    for (size_t count = 64; count <= 4096; count *= 2)
        for (size_t near = count - 1; near <= count + 1; near++) {
            if (near > LARGEST / 16)
                break;
            assert_int_equal(memory_of_samples(decoding, near), none + near * one);
        }
    decoding_set_room(decoding, memory_of_samples(decoding, 2049));
    memory_of_samples(decoding, 2047);
    memory_of_samples(decoding, 2048);
    memory_of_samples(decoding, 2049);
}

static size_t round_up(size_t size)
{
    return (size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

/* A name and `count` children, each sixteenth of which has as much, `depth` levels down. */
static void put_tree(size_t depth, size_t count, const char *name, size_t name_size)
{
    wire_bytes(&wire, 3, name, name_size);
    for (size_t i = 0; i < count; i++) {
        size_t child = wire_begin(&wire, 2);
        if (depth > 0 && i % 16 == 7)
            put_tree(depth - 1, count, name, name_size);
        wire_end(&wire, child);
    }
}

static size_t memory_of_tree(struct decoding *decoding, size_t depth, size_t count,
                             size_t name_size)
{
    static char name[32769];
    memset(name, 'z', sizeof name);
    wire_clear(&wire);
    put_tree(depth, count, name, name_size);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    size_t used = decoding->arena.used;
    memset(decoding->scratch.base, 0xee, DECODING_SCRATCH);
    char *json = decoding_json(decoding, true, false);
    size_t names = 0;
    for (const char *at = json; (at = strchr(at, 'z')) != NULL; at += strspn(at, "z"))
        names += strspn(at, "z") == name_size;
    assert_int_equal(names, 1 + (depth == 0 ? 0 : (count + 8) / 16));
    free(json);
    return used;
}

/* Beside a table: 20 children are more than the 16 that need none. */
static void no_size_of_a_string_needs_more_memory_than_the_next(void **state)
{
    struct decoding *decoding = *state;
    for (size_t children = 0; children <= 20; children += 20) {
        size_t without = memory_of_tree(decoding, 0, children, 1) - round_up(1);
        for (size_t size = 1024; size <= 32768; size *= 2)
            for (size_t near = size - 1; near <= size + 1; near++)
                assert_int_equal(memory_of_tree(decoding, 0, children, near),
                                 without + round_up(near));
    }
}

/* Lists of 128 and names of 1024, where both are alive among tables of the levels above. */
static void lists_and_strings_of_a_tables_size_nest(void **state)
{
    struct decoding *decoding = *state;
    size_t child = memory_of_tree(decoding, 0, 2, 8) - memory_of_tree(decoding, 0, 1, 8);
    for (size_t count = 128; count <= 256; count += 128) {
        size_t levels = 1 + count / 16; /* the root, and those of its children with their own */
        size_t plain = memory_of_tree(decoding, 1, count - 8, 1000);
        for (size_t fewer = 0; fewer <= 1; fewer++)
            for (size_t size = 1016; size <= 1032; size += 8)
                assert_int_equal(memory_of_tree(decoding, 1, count - fewer, size),
                                 plain + levels * (size - 1000 + (8 - fewer) * child));
    }
}

/* As many of them in one datagram as there can be: 64 empty tags are a list of 1024 bytes. */
static void a_datagram_full_of_such_lists_is_decoded(void **state)
{
    struct decoding *decoding = *state;
    size_t used[2];
    for (size_t more = 0; more < 2; more++) {
        wire_clear(&wire);
        for (size_t i = 0; i < 490; i++) {
            size_t event = wire_begin(&wire, 6);
            for (size_t k = 0; k < 64 + more; k++)
                wire_text(&wire, 7, "");
            wire_end(&wire, event);
        }
        assert_in_range(wire.size, LARGEST - 2000, LARGEST);
        assert_decodes_to(decoding, &wire, DECODE_OK);
        used[more] = decoding->arena.used;
    }
    assert_in_range(used[1] - used[0], 490 * 16, 490 * 24); /* the list, and its tags joined */
}

/* Where the scratch arena is too small the tables are in the message's memory. */
static void with_any_scratch_arena_a_message_that_fits_is_decoded(void **state)
{
    struct decoding *decoding = *state;
    static char name[2048];
    memset(name, 'z', sizeof name);
    put_tree(1, 128, name, sizeof name);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    size_t least = decoding->arena.used;
    char *json = decoding_json(decoding, true, false);
    for (size_t room = 0; room < 100000; room += 504) {
        decoding->scratch.capacity = room;
        assert_decodes_to(decoding, &wire, DECODE_OK);
        assert_true(decoding->arena.used >= least);
        char *again = decoding_json(decoding, true, false);
        assert_string_equal(again, json);
        free(again);
    }
    assert_int_equal(decoding->arena.used, least);
    /* What is wrong with a message has the same reason in any memory that holds it. */
    wire_raw(&wire, "\x1a\x05", 2);
    for (size_t room = 0; room < 100000; room += 5040) {
        decoding->scratch.capacity = room;
        assert_decodes_to(decoding, &wire, DECODE_MALFORMED);
    }
    free(json);
}

/* In the last bytes of the scratch arena, so that none past its end can be touched unseen. */
static enum decode_result decode_in(struct decoding *decoding, const struct wire *damaged,
                                    size_t room, size_t scratch_room)
{
    struct arena whole = decoding->scratch;
    decoding->scratch.base += DECODING_SCRATCH - scratch_room;
    decoding->scratch.capacity = scratch_room;
    decoding_set_room(decoding, room);
    enum decode_result result = decoding_wire(decoding, damaged);
    decoding->scratch = whole;
    return result;
}

static void no_damage_does_harm_in_any_memory(void **state)
{
    struct decoding *decoding = *state;
    static struct wire damaged;
    static char name[2048];
    size_t results[4] = {0};
    uint64_t random = 3;
    memset(name, 'z', sizeof name);
    for (int i = 0; i < 600; i++) {
        wire_clear(&wire);
        put_tree(i % 2 + 1, i % 3 == 0 ? 128 : 64, name, i % 4 < 2 ? 1024 : 2048);
        damaged = wire;
        for (uint64_t flips = next_random(&random) % 3; flips > 0; flips--)
            damaged.bytes[next_random(&random) % wire.size] ^= (uint8_t)next_random(&random);
        enum decode_result expected =
            decode_in(decoding, &damaged, DECODING_ROOM, DECODING_SCRATCH);
        size_t needed = decoding->arena.used;
        char *json = expected == DECODE_OK ? decoding_json(decoding, true, false) : NULL;
        for (int k = 0; k < 4; k++) {
            size_t scratch_room = next_random(&random) % 20000 * ARENA_ALIGNMENT;
            size_t room = next_random(&random) % 100000;
            enum decode_result result = decode_in(decoding, &damaged, room, scratch_room);
            results[result]++;
            if (result == DECODE_OK) {
                assert_true(decoding->arena.used >= needed);
                char *again = decoding_json(decoding, true, false);
                assert_string_equal(again, json);
                free(again);
            }
            if (result != DECODE_TOO_LARGE)
                assert_int_equal(result, expected);
        }
        free(json);
    }
    for (int i = 0; i < 4; i++)
        if (i != DECODE_TOO_DEEP)
            assert_true(results[i] > 100);
}

#define trees(test)     cmocka_unit_test_setup_teardown(test, open_trees, close_decoding)
#define riemann(test)   cmocka_unit_test_setup_teardown(test, open_riemann, close_decoding)
#define telemetry(test) cmocka_unit_test_setup_teardown(test, open_telemetry, close_decoding)

int main(void)
{
    const struct CMUnitTest tests[] = {
        telemetry(no_count_of_samples_needs_more_memory_than_the_next),
        trees(no_size_of_a_string_needs_more_memory_than_the_next),
        trees(lists_and_strings_of_a_tables_size_nest),
        riemann(a_datagram_full_of_such_lists_is_decoded),
        trees(with_any_scratch_arena_a_message_that_fits_is_decoded),
        trees(no_damage_does_harm_in_any_memory),
    };
    return cmocka_run_group_tests_name("decode_tables", tests, NULL, NULL);
}
