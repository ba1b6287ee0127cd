/*
 * Compares the fast decoder with the complete one. The fast one returns the same result in the same
 * memory, or it gives up and changes nothing. It must not give up on typical messages.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/message/decode.h"
/* This header declares message_decode_any, which only this test calls directly. */
#include "proto/message/decoder.h"
#include "proto/message/encode.h"
#include "proto/message/fast_path.h"
#include "proto/message/json.h"
#include "proto/message_schema.h"
#include "proto/schemas.h"
#include "tests/support/proto/legacy.h"
#include "tests/support/proto/random_message.h"
#include "tests/support/test.h"

#define ROOM   ((size_t)256 * 1024)
#define USED   40 /* bytes before the usable part of each arena */
#define BEHIND 72 /* bytes after it */
#define PAINT  0x5a

struct both {
    const struct message_type *type;
    /*
     * A block of exactly `size` bytes, so that the address sanitizer detects a read past its end.
     */
    uint8_t *data;
    size_t size;
    struct arena arenas[2]; /* one for each decoder */
    struct decoded quick, other;
    bool is_plain;
    enum decode_result result; /* the result of `other` */
};

/*
 * Makes an arena in memory that still has the bytes of the previous message. The new message must
 * not contain them.
 */
static void open_arena(struct arena *arena, size_t place, size_t room)
{
    static _Alignas(16) uint8_t memory[2][USED + ROOM + BEHIND];
    size_t capacity = USED + room;
    *arena = (struct arena){.base = memory[place], .used = USED, .capacity = capacity};
    memset(arena->base, PAINT, USED);
    memset(arena->base + capacity, PAINT, BEHIND);
}

static void check_arena(const struct arena *arena)
{
    for (size_t i = 0; i < USED; i++)
        assert_int_equal(arena->base[i], PAINT);
    for (size_t i = 0; i < BEHIND; i++)
        assert_int_equal(arena->base[arena->capacity + i], PAINT);
}

static size_t write_protobuf(const struct both *both, const struct decoded *decoded, char *to)
{
    struct output out = {.data = to, .capacity = ROOM};
    message_encode(both->type, decoded->message, &out);
    assert_false(out.overflow);
    return out.used;
}

static size_t write_json(const struct both *both, const struct decoded *decoded, char *to)
{
    static const struct json_style style = {.show_unknown = true};
    static uint8_t room[1 << 20];
    struct arena scratch = {.base = room, .capacity = sizeof room};
    struct output out = {.data = to, .capacity = 4 * ROOM};
    message_write_json(both->type, decoded->message, &style, &scratch, &out);
    assert_false(out.overflow);
    return out.used;
}

static void assert_same(const struct both *both)
{
    static char quick[4 * ROOM], other[4 * ROOM];
    assert_int_equal(both->result, DECODE_OK);
    assert_int_equal(both->arenas[0].used, both->arenas[1].used);
    assert_int_equal(both->quick.unknown_fields, both->other.unknown_fields);
    size_t size = write_protobuf(both, &both->quick, quick);
    assert_int_equal(size, write_protobuf(both, &both->other, other));
    assert_memory_equal(quick, other, size);
    size = write_json(both, &both->quick, quick);
    assert_int_equal(size, write_json(both, &both->other, other));
    assert_memory_equal(quick, other, size);
}

/*
 * Decodes the bytes with the fast decoder and with the other one. Returns true if the fast one did
 * not give up.
 */
static bool decode_both(struct both *both, const struct message_type *type, unsigned levels,
                        size_t room)
{
    *both = (struct both){
        .type = type, .size = wire.size, .quick = {.message = &wire, .unknown_fields = 99}};
    both->data = malloc(wire.size == 0 ? 1 : wire.size);
    assert_non_null(both->data);
    memcpy(both->data, wire.bytes, wire.size);
    open_arena(&both->arenas[0], 0, room);
    open_arena(&both->arenas[1], 1, room);
    both->is_plain = plain_decode(type, both->data, both->size, levels, &both->arenas[0],
                                  &both->quick) == PLAIN_DECODED;
    both->result =
        message_decode_any(type, both->data, both->size, levels, &both->arenas[1], &both->other);
    if (both->is_plain) {
        assert_same(both);
    } else {
        assert_int_equal(both->arenas[0].used, USED);
        assert_false(both->arenas[0].exhausted);
        assert_ptr_equal(both->quick.message, &wire);
        assert_int_equal(both->quick.unknown_fields, 99);
    }
    return both->is_plain;
}

static void close_both(struct both *both)
{
    check_arena(&both->arenas[0]);
    check_arena(&both->arenas[1]);
    free(both->data);
}

static bool is_plain(const struct message_type *type, unsigned levels)
{
    struct both both;
    bool plain = decode_both(&both, type, levels, ROOM);
    close_both(&both);
    return plain;
}

/* --- all types -------------------------------------------------------------------------------- */

static const struct message_type *type_of(const struct decoding *decoding)
{
    return decoding->schema == NULL ? decoding->type
                                    : ((const struct message_schema *)decoding->schema)->type;
}

static void with_each_type(void (*use)(const struct message_type *type))
{
    static const char *const names[] = {"sluice.shapes.Tree",     "sluice.shapes.Kinds",
                                        "sluice.modern.Modern",   "sluice.modern.Known",
                                        "sluice.legacy.Strict70", "sluice.legacy.Legacy",
                                        "sluice.sets.Holder"};
    void *state;
    for (size_t i = 0; builtin_schemas[i] != NULL; i++) {
        decoding_set_up_schema(&state, builtin_schemas[i]);
        use(type_of(state));
        close_decoding(&state);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        decoding_set_up_shape(&state, names[i]);
        use(type_of(state));
        close_decoding(&state);
    }
}

TEST(what_senders_send_is_of_plain_types)
{
    void *opened;
    for (size_t i = 0; builtin_schemas[i] != NULL; i++) {
        decoding_set_up_schema(&opened, builtin_schemas[i]);
        assert_true(type_of(opened)->plain);
        close_decoding(&opened);
    }
    decoding_set_up_shape(&opened, "sluice.modern.Modern");
    assert_true(type_of(opened)->plain);
    close_decoding(&opened);
    decoding_set_up_shape(&opened, "sluice.legacy.Legacy");
    assert_false(type_of(opened)->plain); /* false, because it has groups */
    close_decoding(&opened);
    decoding_set_up_shape(&opened, "sluice.sets.Holder");
    assert_false(type_of(opened)->plain); /* false, because it has message sets */
    close_decoding(&opened);
}

/* --- random messages -------------------------------------------------------------------------- */

#define MESSAGES 1500 /* valid messages of each type; the same number are damaged */
#define LEVELS   6

static void decode_odd_ones(const struct message_type *type)
{
    struct random_message random = {.state = 1, .odd = true, .most = 1500};
    size_t decoded = 0;
    size_t refused = 0;
    for (int i = 0; i < 2 * MESSAGES; i++) {
        wire_clear(&wire);
        random_message_put(&random, &wire, type, (unsigned)i % (LEVELS + 1));
        if (i % 2 != 0)
            random_message_damage(&random, &wire);
        struct both both;
        bool plain = decode_both(&both, type, i % 5 == 0 ? 2 : SCHEMA_MAX_DEPTH, ROOM);
        decoded += plain;
        refused += both.result != DECODE_OK;
        close_both(&both);
    }
    assert_in_range(decoded, MESSAGES / 10, SIZE_MAX);
    assert_in_range(refused, MESSAGES / 20, SIZE_MAX);
}

TEST(odd_and_damaged_messages_are_decoded_alike_or_given_up)
{
    with_each_type(decode_odd_ones);
}

static bool has_map(const struct message_type *type)
{
    for (size_t i = 0; i < type->repeated_count; i++)
        if (type->fields[type->repeated[i]].map)
            return true;
    return false;
}

static void decode_tidy_ones(const struct message_type *type)
{
    struct random_message random = {.state = 2, .most = 1500};
    if (!type->plain || has_map(type))
        return;
    for (int i = 0; i < MESSAGES; i++) {
        wire_clear(&wire);
        random_message_put(&random, &wire, type, (unsigned)i % 4);
        struct both both;
        bool plain = decode_both(&both, type, SCHEMA_MAX_DEPTH, ROOM);
        if (!plain && both.result == DECODE_OK)
            fail_msg("%s: message %d was given up", type->descriptor->name, i);
        close_both(&both);
    }
}

TEST(tidy_messages_are_not_given_up)
{
    with_each_type(decode_tidy_ones);
}

static void decode_in_little_room(const struct message_type *type)
{
    struct random_message random = {.state = 3, .odd = true, .most = 200};
    size_t too_large = 0;
    for (int i = 0; i < 60; i++) {
        wire_clear(&wire);
        random_message_put(&random, &wire, type, 3);
        if (i % 3 == 0)
            random_message_damage(&random, &wire);
        bool enough = false;
        for (size_t room = 0; !enough && room < ROOM; room += 8) {
            struct both both;
            decode_both(&both, type, SCHEMA_MAX_DEPTH, room);
            both.arenas[0].used = USED;
            enum decode_result result = message_decode(type, both.data, both.size, SCHEMA_MAX_DEPTH,
                                                       &both.arenas[0], &both.quick);
            assert_int_equal(result, both.result);
            assert_int_equal(both.arenas[0].used, both.arenas[1].used);
            assert_int_equal(both.arenas[0].exhausted, both.arenas[1].exhausted);
            too_large += result == DECODE_TOO_LARGE;
            /*
             * The loop ends when the arena has room for the whole message and for the last piece
             * that is copied of a prototype, which may go beyond the message.
             */
            enough = result != DECODE_TOO_LARGE && room > both.arenas[1].used + 2 * PROTOTYPE_PIECE;
            enough = enough || (result != DECODE_TOO_LARGE && result != DECODE_OK);
            close_both(&both);
        }
    }
    assert_in_range(too_large, 100, SIZE_MAX);
}

TEST(with_any_room_the_outcome_is_the_same)
{
    with_each_type(decode_in_little_room);
}

/*
 * Decodes into arenas that may be too small. With `retried` set, an invalid message may get
 * DECODE_TOO_LARGE, because the caller decodes it again in a larger arena.
 */
static void decode_to_retry(const struct message_type *type)
{
    struct random_message random = {.state = 4, .odd = true, .most = 200};
    for (int i = 0; i < 60; i++) {
        wire_clear(&wire);
        random_message_put(&random, &wire, type, 3);
        for (size_t room = 0; room < 4096; room += 8) {
            struct both both;
            decode_both(&both, type, SCHEMA_MAX_DEPTH, room);
            both.arenas[0].used = USED;
            both.arenas[0].retried = true;
            enum decode_result result = message_decode(type, both.data, both.size, SCHEMA_MAX_DEPTH,
                                                       &both.arenas[0], &both.quick);
            if (result != both.result) {
                assert_int_equal(result, DECODE_TOO_LARGE);
                assert_int_equal(both.quick.failure.cause, CAUSE_NO_ROOM);
                assert_in_range(both.arenas[1].used, USED, USED + room);
                assert_true(both.result != DECODE_OK ||
                            both.arenas[1].used + PROTOTYPE_PIECE > USED + room);
            }
            assert_int_equal(both.arenas[0].exhausted, result == DECODE_TOO_LARGE);
            close_both(&both);
        }
    }
}

TEST(an_arena_that_is_retried_may_be_too_small_first)
{
    with_each_type(decode_to_retry);
}

/* --- chosen messages -------------------------------------------------------------------------- */

static int open_modern(void **state)
{
    return decoding_set_up_shape(state, "sluice.modern.Modern");
}

static int open_tree(void **state)
{
    return decoding_set_up_shape(state, "sluice.shapes.Tree");
}

static int open_kinds(void **state)
{
    return decoding_set_up_shape(state, "sluice.shapes.Kinds");
}

#define assert_plain(state)    assert_true(is_plain(type_of(*(state)), SCHEMA_MAX_DEPTH))
#define assert_given_up(state) assert_false(is_plain(type_of(*(state)), SCHEMA_MAX_DEPTH))

TEST_WITH(a_list_is_plain_where_its_elements_stand_together, open_kinds, close_decoding)
{
    for (int i = 0; i < 3; i++)
        wire_text(&wire, 44, "a");
    assert_plain(state);
    wire_uint(&wire, 3, 1);
    assert_plain(state);
    wire_text(&wire, 44, "b");
    assert_given_up(state);
    wire_clear(&wire);
    wire_bytes(&wire, 33, "\1\2", 2);
    assert_plain(state);
    wire_bytes(&wire, 33, "", 0);
    assert_plain(state);
    wire_bytes(&wire, 33, "\3", 1);
    assert_given_up(state);
    wire_clear(&wire);
    wire_uint(&wire, 33, 1); /* the field is declared packed, but this value is not */
    assert_given_up(state);
    wire_clear(&wire);
    wire_fixed32(&wire, 32, 1);
    assert_given_up(state);
}

TEST_WITH(a_message_is_plain_once, open_tree, close_decoding)
{
    wire_bytes(&wire, 1, "", 0);
    assert_plain(state);
    wire_bytes(&wire, 4, "", 0);
    wire_text(&wire, 5, "it instead");
    wire_bytes(&wire, 4, "", 0); /* a new message, because the text replaced the earlier one */
    assert_plain(state);
    wire_bytes(&wire, 4, "", 0);
    assert_given_up(state);
    wire_clear(&wire);
    wire_bytes(&wire, 1, "", 0);
    wire_bytes(&wire, 1, "", 0);
    assert_given_up(state);
}

TEST_WITH(levels_are_counted, open_tree, close_decoding)
{
    wire_wrap(&wire, 2, SCHEMA_MAX_DEPTH);
    assert_plain(state);
    wire_wrap(&wire, 1, 1);
    assert_given_up(state);
    wire_clear(&wire);
    wire_wrap(&wire, 4, 3);
    assert_true(is_plain(type_of(*state), 3));
    assert_false(is_plain(type_of(*state), 2));
    wire_clear(&wire);
    for (int i = 0; i < 3 * SCHEMA_MAX_DEPTH; i++)
        wire_bytes(&wire, 2, "", 0); /* siblings, which add no level */
    assert_plain(state);
}

/* Puts three labels, of which the one at `place` has the given bytes. */
static void put_labels(const char *bytes, size_t size, size_t place)
{
    static const char usual[] = "\x0a\x04host\x12\x05web-1";
    wire_clear(&wire);
    for (size_t i = 0; i < 3; i++)
        wire_bytes(&wire, 5, i == place ? bytes : usual, i == place ? size : sizeof usual - 1);
    wire_uint(&wire, 3, 7);
}

/* Labels are pairs, which are decoded together if all of them are as usual. */
TEST_WITH(labels_of_any_form_are_decoded_alike, open_telemetry, close_decoding)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool plain;
    } labels[] = {
        {"\x0a\x01k\x12\x01v", 6, true},
        {"\x0a\x00\x12\x00", 4, true},
        {"", 0, true},
        {"\x0a\x01k", 3, true},
        {"\x12\x01v\x0a\x01k", 6, true},
        {"\x0a\x01k\x0a\x01v", 6, true},
        {"\x0a\x01k\x12\x01v\x18\x01", 8, true},
        {"\x0a\x01k\x12\x02\xc3\xa4", 7, true},
        {"\x0a\x81\x00k\x12\x01v", 7, true},
        {"\x0a\x01k\x12\x02\xc3v", 7, false},
        {"\x0a\x01k\x12\x02v", 6, false},
        {"\x0a\x01k\x12\x00v", 6, false},
        {"\x0a\x07k\x12\x01v", 6, false},
    };
    const struct message_type *type = type_of(*state);
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        for (size_t place = 0; place < 3; place++) {
            put_labels(labels[i].bytes, labels[i].size, place);
            assert_int_equal(is_plain(type, 1), labels[i].plain);
            assert_false(is_plain(type, 0));
            for (size_t room = 0; room < 512; room += 8) {
                struct both both;
                decode_both(&both, type, 1, room);
                close_both(&both);
            }
        }
        wire_clear(&wire);
        wire_bytes(&wire, 5, labels[i].bytes, labels[i].size);
        assert_int_equal(is_plain(type, 1), labels[i].plain);
        wire.size--; /* the last label is cut */
        assert_false(is_plain(type, 1));
    }
}

/* A sender with a newer schema sends fields that this schema does not know. */
TEST_WITH(unknown_fields_are_plain_as_long_as_their_list_can_grow, open_tree, close_decoding)
{
    wire_uint(&wire, 15, 300);
    wire_text(&wire, 2000, "one");
    wire_text(&wire, 3, "name");
    wire_fixed32(&wire, 99, 1);
    wire_fixed64(&wire, 99, 1);
    wire_text(&wire, 6, "a number, in another wire type");
    assert_plain(state);
    wire_bytes(&wire, 1, "", 0);
    assert_plain(state);
    wire_uint(&wire, 15, 1);
    assert_given_up(state);
    wire_clear(&wire);
    wire_tag(&wire, 15, GROUP_START);
    wire_tag(&wire, 15, GROUP_END);
    assert_given_up(state);
}

static void put_map(size_t entries, size_t keys)
{
    wire_clear(&wire);
    for (size_t i = 0; i < entries; i++) {
        size_t entry = wire_begin(&wire, 8);
        wire_uint(&wire, 1, i % keys);
        wire_uint(&wire, 2, i);
        wire_end(&wire, entry);
    }
}

TEST_WITH(a_map_of_a_few_entries_is_plain, open_modern, close_decoding)
{
    put_map(12, 12);
    assert_plain(state);
    put_map(12, 2);
    assert_plain(state);
    put_map(13, 13);
    assert_given_up(state);
    wire_clear(&wire);
    size_t entry = wire_begin(&wire, 9);
    wire_uint(&wire, 1, 5); /* the entry has no value, so the decoder would have to create it */
    wire_end(&wire, entry);
    assert_given_up(state);
}

TEST_WITH(required_fields_are_asked_for, open_modern, close_decoding)
{
    size_t needs = wire_begin(&wire, 11);
    wire_uint(&wire, 1, 5);
    wire_end(&wire, needs);
    assert_plain(state);
    wire_clear(&wire);
    needs = wire_begin(&wire, 11);
    wire_uint(&wire, 2, 5);
    wire_end(&wire, needs);
    assert_given_up(state);
}

TEST_WITH(known_values_of_closed_enums_are_plain, open_legacy, close_decoding)
{
    wire_uint(&wire, COLOUR, GREEN);
    wire_uint(&wire, COLOURS, GREEN);
    wire_uint(&wire, COLOURS, UINT64_MAX - 2); /* COLD (-3) */
    wire_bytes(&wire, PACKED_COLOURS, "\1\2", 2);
    wire_uint(&wire, CHOSEN, GREEN);
    assert_plain(state);
    static const uint32_t single[] = {COLOUR, COLOURS, CHOSEN};
    for (size_t i = 0; i < 3; i++) {
        wire_clear(&wire);
        wire_uint(&wire, single[i], BLACK);
        assert_given_up(state);
    }
    wire_clear(&wire);
    wire_bytes(&wire, PACKED_COLOURS, "\1\115", 2);
    assert_given_up(state);
}
