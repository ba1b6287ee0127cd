/* Tests the limits of a datagram's levels and memory, and damaged datagrams of real senders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/capture/capture.h"
#include "collector/text/utf8.h"
#include "proto/schemas.h"
#include "tests/support/base/random_number.h"
#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

#define LARGEST 65507 /* bytes of a datagram */

static int open_trees(void **state)
{
    return decoding_set_up_shape(state, "sluice.shapes.Tree");
}

static int open_legacy(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Legacy");
}

/* --- depth ------------------------------------------------------------------------------------ */

static void assert_tower(struct decoding *decoding, uint32_t field, size_t levels,
                         enum decode_result expected)
{
    wire_clear(&wire);
    wire_wrap(&wire, field, levels);
    assert_decodes_to(decoding, &wire, expected);
}

static void a_hundred_levels_are_decoded_and_one_more_is_too_deep(void **state)
{
    struct decoding *decoding = *state;
    /* The fields are a single message, a list, and a member of a oneof. */
    static const uint32_t fields[] = {1, 2, 4};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        assert_tower(decoding, fields[i], SCHEMA_MAX_DEPTH - 1, DECODE_OK);
        assert_tower(decoding, fields[i], SCHEMA_MAX_DEPTH, DECODE_OK);
        assert_tower(decoding, fields[i], SCHEMA_MAX_DEPTH + 1, DECODE_TOO_DEEP);
        assert_tower(decoding, fields[i], SCHEMA_MAX_DEPTH + 2, DECODE_TOO_DEEP);
    }
}

static void the_deepest_tower_that_a_datagram_holds_is_too_deep(void **state)
{
    struct decoding *decoding = *state;
    wire_clear(&wire);
    while (wire.size < LARGEST - 4)
        wire_wrap(&wire, 1, 1);
    assert_decodes_to(decoding, &wire, DECODE_TOO_DEEP);
}

static void many_towers_side_by_side_are_as_deep_as_one(void **state)
{
    struct decoding *decoding = *state;
    static struct wire one;
    wire_clear(&one);
    wire_wrap(&one, 2, SCHEMA_MAX_DEPTH);
    wire_clear(&wire);
    for (int i = 0; i < 50; i++)
        wire_raw(&wire, one.bytes, one.size);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    wire_wrap(&one, 2, 1);
    wire_raw(&wire, one.bytes, one.size); /* only the last of them is too deep */
    assert_decodes_to(decoding, &wire, DECODE_TOO_DEEP);
}

static void types_that_nest_through_each_other_count_every_level(void **state)
{
    struct decoding *decoding = *state;
    for (size_t levels = SCHEMA_MAX_DEPTH - 1; levels <= SCHEMA_MAX_DEPTH + 2; levels++) {
        wire_clear(&wire);
        wire_wrap(&wire, 1, levels - 1); /* messages There and Back in turn, each in field 1 */
        wire_wrap(&wire, 7, 1);
        assert_decodes_to(decoding, &wire,
                          levels <= SCHEMA_MAX_DEPTH ? DECODE_OK : DECODE_TOO_DEEP);
    }
}

/*
 * Wraps the bytes written so far in two more levels: in `inner` of a group if `group` is true,
 * otherwise in the value of a map entry.
 */
static void wrap_in_two(bool group)
{
    static struct wire content;
    wire_wrap(&wire, 2, 1);
    if (!group) {
        wire_wrap(&wire, 15, 1);
        return;
    }
    content = wire;
    wire_clear(&wire);
    wire_tag(&wire, 4, 3);
    wire_raw(&wire, content.bytes, content.size);
    wire_tag(&wire, 4, 4);
}

static void known_groups_and_entries_of_maps_count_as_levels(void **state)
{
    for (int group = 0; group <= 1; group++)
        for (size_t levels = SCHEMA_MAX_DEPTH - 1; levels <= SCHEMA_MAX_DEPTH + 2; levels++) {
            wire_clear(&wire);
            wire_wrap(&wire, 18, levels % 2);
            for (size_t left = levels / 2; left > 0; left--)
                wrap_in_two(group != 0);
            assert_decodes_to(*state, &wire,
                              levels <= SCHEMA_MAX_DEPTH ? DECODE_OK : DECODE_TOO_DEEP);
        }
}

/*
 * Unknown fields are not decoded, so their bytes may look like messages that are nested too deep.
 */
static void unknown_bytes_are_not_looked_into(void **state)
{
    struct decoding *decoding = *state;
    assert_tower(decoding, 99, (size_t)2 * SCHEMA_MAX_DEPTH, DECODE_OK);
    assert_tower(decoding, 3, 40, DECODE_OK); /* the bytes of a string are not decoded either */
}

/*
 * A length may be up to five bytes long. Levels are counted in the same way if a length is longer
 * than necessary.
 */
static void padded_lengths_hide_no_level(void **state)
{
    struct decoding *decoding = *state;
    for (size_t levels = SCHEMA_MAX_DEPTH - 1; levels <= SCHEMA_MAX_DEPTH + 2; levels++) {
        wire_clear(&wire);
        for (size_t left = levels; left > 0; left--) {
            size_t inner = 6 * (left - 1);
            uint8_t head[6] = {
                0x0a, (uint8_t)(inner | 0x80), (uint8_t)(inner >> 7 | 0x80), 0x80, 0x80, 0};
            wire_raw(&wire, head, sizeof head);
        }
        assert_decodes_to(decoding, &wire,
                          levels <= SCHEMA_MAX_DEPTH ? DECODE_OK : DECODE_TOO_DEEP);
    }
}

static void put_groups(size_t levels, bool closed)
{
    wire_clear(&wire);
    for (size_t i = 0; i < levels; i++)
        wire_tag(&wire, 99, 3);
    for (size_t i = 0; closed && i < levels; i++)
        wire_tag(&wire, 99, 4);
}

static void unknown_groups_count_as_levels(void **state)
{
    struct decoding *decoding = *state;
    put_groups(1, true);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    put_groups(SCHEMA_MAX_DEPTH, true);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    for (int closed = 0; closed <= 1; closed++) {
        put_groups(SCHEMA_MAX_DEPTH + 1, closed != 0);
        assert_decodes_to(decoding, &wire, DECODE_TOO_DEEP);
        put_groups(LARGEST / 4, closed != 0);
        assert_decodes_to(decoding, &wire, DECODE_TOO_DEEP);
    }
    put_groups(1, false);
    assert_decodes_to(decoding, &wire, DECODE_MALFORMED);
    put_groups(SCHEMA_MAX_DEPTH, false);
    assert_decodes_to(decoding, &wire, DECODE_MALFORMED);
}

static void what_makes_no_sense_before_a_tower_is_malformed(void **state)
{
    struct decoding *decoding = *state;
    wire_clear(&wire);
    wire_wrap(&wire, 1, 5000);
    static struct wire spoilt;
    wire_clear(&spoilt);
    wire_raw(&spoilt, "\x0a\x01\x0a", 3); /* a child, whose own child has no length */
    wire_raw(&spoilt, wire.bytes, wire.size);
    assert_decodes_to(decoding, &spoilt, DECODE_MALFORMED);
    wire_clear(&spoilt);
    wire_raw(&spoilt, "\x0f", 1);
    wire_raw(&spoilt, wire.bytes, wire.size);
    assert_decodes_to(decoding, &spoilt, DECODE_MALFORMED);
}

/* --- time limits ------------------------------------------------------------------------------ */

/*
 * Each occurrence of the message is merged with the map of the earlier ones. If it adds no entry,
 * the map must not be sorted again. Sorting it each time took more than a second for each of these
 * datagrams.
 */
static void a_map_is_not_looked_at_again_for_merges_that_add_nothing(void **state)
{
    struct decoding *decoding = *state;
    size_t structure = wire_begin(&wire, 4);
    for (unsigned i = 0; i < 4000; i++) {
        char key[8];
        size_t entry = wire_begin(&wire, 1);
        snprintf(key, sizeof key, "%u", i);
        wire_text(&wire, 1, key);
        wire_end(&wire, entry);
    }
    wire_end(&wire, structure);
    while (wire.size + 2 <= LARGEST)
        wire_raw(&wire, "\x22", 2);
    for (int i = 0; i < 100; i++)
        assert_in_range(decoding_wire(decoding, &wire), DECODE_OK, DECODE_TOO_LARGE);
}

/* --- memory limits ---------------------------------------------------------------------------- */

static void put_events(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t event = wire_begin(&wire, 6);
        wire_text(&wire, 3, "service");
        wire_text(&wire, 7, "tag");
        wire_sint(&wire, 13, (int64_t)i);
        wire_end(&wire, event);
    }
}

static void any_number_of_fields_is_decoded(void **state)
{
    struct decoding *decoding = *state;
    for (size_t count = 1; count < 3000; count += count < 70 ? 1 : 211) {
        wire_clear(&wire);
        put_events(count);
        assert_decodes_to(decoding, &wire, DECODE_OK);
        struct schema_cursor cursor = {0};
        struct sample sample;
        int64_t next = 0;
        while (schema_riemann.next_sample(decoding->schema, decoding->message, &cursor, &sample))
            assert_true(sample.value.int64 == next++);
        assert_int_equal(next, count);
    }
}

static void with_too_little_memory_a_message_is_too_large_and_takes_none(void **state)
{
    struct decoding *decoding = *state;
    put_events(20);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    size_t needed = decoding->arena.used;
    for (size_t room = 0; room < needed; room += room < 2000 ? 8 : 200) {
        decoding_set_room(decoding, room);
        enum decode_result result = decoding_wire(decoding, &wire);
        if (decoding->arena.capacity < needed)
            assert_int_equal(result, DECODE_TOO_LARGE);
    }
    decoding_set_room(decoding, needed);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_int_equal(decoding->arena.used, needed);
}

/* A datagram of 65,506 bytes with only empty events needs almost 8 MiB. */
static void a_datagram_that_grows_a_hundredfold_is_bounded_by_the_arena(void **state)
{
    struct decoding *decoding = *state;
    while (wire.size + 2 <= LARGEST)
        wire_raw(&wire, "\x32", 2);
    assert_int_equal(wire.size, 65506);
    assert_decodes_to(decoding, &wire, DECODE_TOO_LARGE);
    decoding_set_room(decoding, (size_t)9 * 1024 * 1024);
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_in_range(decoding->arena.used, 100 * wire.size, 9 * 1024 * 1024);
    wire_clear(&wire);
    put_events(1);
    decoding_set_room(decoding, 4096);
    assert_decodes_to(decoding, &wire, DECODE_OK);
}

/*
 * Doubles the memory until it suffices. Until then each decoding must return DECODE_TOO_LARGE, and
 * it must not use more memory than it was given.
 */
static void assert_bounded_by_room(struct decoding *decoding, size_t most)
{
    size_t room = 1024;
    decoding_set_room(decoding, room);
    while (decoding_wire(decoding, &wire) == DECODE_TOO_LARGE) {
        assert_in_range(room, 0, most);
        room *= 2;
        decoding_set_room(decoding, room);
    }
    assert_decodes_to(decoding, &wire, DECODE_OK);
    assert_in_range(decoding->arena.used, room / 2, decoding->arena.capacity);
}

static void thirty_thousand_empty_messages_are_bounded_by_the_arena(void **state)
{
    static const char *const messages[] = {"\x2b\x2c", "\xca\x01\x00", "\xd2\x01\x00"};
    for (size_t i = 0; i < 3; i++) { /* groups, messages, and map entries with one key */
        size_t size = i == 0 ? 2 : 3;
        wire_clear(&wire);
        while (wire.size + size <= LARGEST && wire.size < 30000 * size)
            wire_raw(&wire, messages[i], size);
        assert_bounded_by_room(*state, (size_t)64 * 1024 * 1024);
    }
}

/*
 * Each level has about three bytes in the datagram, but needs a struct with all fields of Legacy.
 * Merging the message with itself needs this memory again.
 */
static void a_few_bytes_that_nest_large_messages_are_bounded_by_the_arena(void **state)
{
    wire_wrap(&wire, 18, 90);
    assert_in_range(wire.size, 1, 400);
    assert_bounded_by_room(*state, (size_t)1024 * 1024);
    static struct wire once;
    once = wire;
    wire_raw(&wire, once.bytes, once.size);
    assert_bounded_by_room(*state, (size_t)1024 * 1024);
}

/*
 * The same message with a list is merged again and again. Each merge copies the list, which needs
 * memory.
 */
static void a_message_merged_many_times_is_bounded_by_the_arena(void **state)
{
    size_t child = wire_begin(&wire, 18);
    static uint8_t numbers[30000];
    wire_bytes(&wire, 16, numbers, sizeof numbers);
    wire_end(&wire, child);
    for (int i = 0; i < 200; i++) {
        child = wire_begin(&wire, 18);
        wire_uint(&wire, 16, 1);
        wire_uint(&wire, 99, 1);
        wire_end(&wire, child);
    }
    assert_bounded_by_room(*state, (size_t)128 * 1024 * 1024);
}

/* --- damaged datagrams of real senders -------------------------------------------------------- */

#define MUTATIONS 25 /* for each datagram */

static void read_whole(struct decoding *decoding)
{
    const struct schema_ops *ops = decoding->schema->ops;
    struct schema_cursor cursor = {.scratch = &decoding->scratch};
    struct sample sample;
    unsigned sum = 0;
    while (decoding->schema->has_samples &&
           ops->next_sample(decoding->schema, decoding->message, &cursor, &sample)) {
        struct schema_cursor place = {.scratch = &decoding->scratch};
        struct label label;
        for (size_t i = 0; i < sample.name.size; i++)
            sum += (unsigned char)sample.name.data[i];
        while (ops->next_label(decoding->schema, decoding->message, &sample, &place, &label)) {
            for (size_t i = 0; i < label.key.size; i++)
                sum += (unsigned char)label.key.data[i];
            for (size_t i = 0; i < label.value.size; i++)
                sum += (unsigned char)label.value.data[i];
        }
    }
    assert_int_equal(decoding->scratch.used, 0);
    static volatile unsigned sink;
    sink = sum;
    (void)sink;
}

static void assert_written_back(struct decoding *decoding)
{
    static char packed[1 << 20];
    struct output out = {.data = packed, .capacity = sizeof packed};
    char *json = decoding_json(decoding, true, false);
    assert_true(utf8_valid(json, strlen(json)));
    struct json_tree *tree = json_tree_read(json, strlen(json));
    assert_non_null(tree);
    json_tree_free(tree);
    decoding->schema->ops->write_protobuf(decoding->schema, decoding->message, &out);
    assert_false(out.overflow);
    assert_int_equal(decoding_run(decoding, out.data, out.used), DECODE_OK);
    char *again = decoding_json(decoding, true, false);
    assert_string_equal(again, json);
    free(again);
    free(json);
}

static void decode_damaged(struct decoding *decoding, const struct capture_datagram *datagram,
                           uint64_t *random, size_t results[])
{
    for (int i = 0; i < MUTATIONS; i++) {
        wire_clear(&wire);
        wire_raw(&wire, datagram->data, datagram->size);
        for (uint64_t flips = next_random(random) % 4; flips > 0 && wire.size > 0; flips--)
            wire.bytes[next_random(random) % wire.size] ^= (uint8_t)(1U << next_random(random) % 8);
        if (i % 3 == 0 && wire.size > 0)
            wire.size = next_random(random) % wire.size;
        enum decode_result result = decoding_wire(decoding, &wire);
        results[result]++;
        if (result == DECODE_OK) {
            read_whole(decoding);
            if (i % 5 == 0)
                assert_written_back(decoding);
        }
    }
}

static void decode_capture(struct decoding *decoding, const char *name, uint64_t *random,
                           size_t results[])
{
    char path[512];
    struct capture *capture;
    struct capture_datagram datagram;
    struct error error;
    snprintf(path, sizeof path, "%s/%s.pcap", TEST_CAPTURES, name);
    assert_int_equal(capture_open(path, 0, &capture, &error), 0);
    while (capture_next(capture, &datagram, &error) == CAPTURE_DATAGRAM) {
        assert_int_equal(decoding_run(decoding, datagram.data, datagram.size), DECODE_OK);
        read_whole(decoding);
        assert_written_back(decoding);
        decode_damaged(decoding, &datagram, random, results);
    }
    capture_close(capture);
}

static void no_damage_to_a_real_datagram_does_harm(void **state)
{
    static const char *const names[] = {
        "riemann_cli_v4",      "riemann_lib_odd_v4",           "riemann_frag_v4_mtu1500",
        "riemann_seq_nano_v4", "collectd_riemann_batchoff_v4", "syslogng_riemann_batch10",
    };
    size_t results[4] = {0};
    uint64_t random = 2;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        decode_capture(*state, names[i], &random, results);
    assert_true(results[DECODE_OK] > 1000);
    assert_true(results[DECODE_MALFORMED] > 1000);
}

static void no_damage_to_otlp_does_harm(void **state)
{
    static const struct {
        const char *name;
        const struct schema_ops *schema;
    } captures[] = {
        {"otlp_metrics_v4", &schema_otlp},
        {"otlp_sizes_v4", &schema_otlp},
        {"otlp_logs_v4", &schema_otlp_logs},
        {"otlp_traces_v4", &schema_otlp_traces},
    };
    uint64_t random = 3;
    for (size_t i = 0; i < sizeof captures / sizeof captures[0]; i++) {
        size_t results[4] = {0};
        decoding_set_up_schema(state, captures[i].schema);
        for (int round = 0; round < 4; round++)
            decode_capture(*state, captures[i].name, &random, results);
        close_decoding(state);
        assert_true(results[DECODE_OK] > 50);
        assert_true(results[DECODE_MALFORMED] > 50);
    }
}

static int open_known(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Known");
}

#define known(test)   cmocka_unit_test_setup_teardown(test, open_known, close_decoding)
#define trees(test)   cmocka_unit_test_setup_teardown(test, open_trees, close_decoding)
#define legacy(test)  cmocka_unit_test_setup_teardown(test, open_legacy, close_decoding)
#define riemann(test) cmocka_unit_test_setup_teardown(test, open_riemann, close_decoding)

int main(void)
{
    const struct CMUnitTest tests[] = {
        trees(a_hundred_levels_are_decoded_and_one_more_is_too_deep),
        trees(the_deepest_tower_that_a_datagram_holds_is_too_deep),
        trees(many_towers_side_by_side_are_as_deep_as_one),
        trees(types_that_nest_through_each_other_count_every_level),
        legacy(known_groups_and_entries_of_maps_count_as_levels),
        trees(unknown_bytes_are_not_looked_into),
        trees(padded_lengths_hide_no_level),
        trees(unknown_groups_count_as_levels),
        riemann(unknown_groups_count_as_levels),
        trees(what_makes_no_sense_before_a_tower_is_malformed),
        known(a_map_is_not_looked_at_again_for_merges_that_add_nothing),
        riemann(with_too_little_memory_a_message_is_too_large_and_takes_none),
        riemann(a_datagram_that_grows_a_hundredfold_is_bounded_by_the_arena),
        legacy(thirty_thousand_empty_messages_are_bounded_by_the_arena),
        legacy(a_few_bytes_that_nest_large_messages_are_bounded_by_the_arena),
        legacy(a_message_merged_many_times_is_bounded_by_the_arena),
        riemann(any_number_of_fields_is_decoded),
        riemann(no_damage_to_a_real_datagram_does_harm),
        cmocka_unit_test(no_damage_to_otlp_does_harm),
    };
    return cmocka_run_group_tests_name("decode_bounds", tests, NULL, NULL);
}
