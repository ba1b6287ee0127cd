/*
 * Tests damaged descriptor sets: each is refused with one line, or its types can be used. The
 * address sanitizer detects reads outside of the set.
 */
#include <stdlib.h>
#include <string.h>

#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/types/type_set.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define MUTATIONS TEST_TRIES(40000)

extern const unsigned char shapes_set[];
extern const size_t shapes_set_size;

static uint64_t random_state = 1;

static size_t below(size_t limit)
{
    return (size_t)(next_random(&random_state) % limit);
}

static void flip_bits(uint8_t *bytes, size_t size)
{
    bytes[below(size)] ^= (uint8_t)(1U << below(8));
}

/* Sets a random byte to a value that may be a valid or an invalid length, label, type or index. */
static void set_byte(uint8_t *bytes, size_t size)
{
    static const uint8_t values[] = {0, 1, 2, 3, 4, 10, 11, 14, 19, 0x7f, 0x80, 0xff};
    bytes[below(size)] = values[below(sizeof values)];
}

static void copy_part(uint8_t *bytes, size_t size)
{
    size_t length = 1 + below(60);
    if (2 * length >= size)
        return;
    memmove(bytes + below(size - length), bytes + below(size - length), length);
}

static size_t damage(uint8_t *bytes, size_t size)
{
    for (size_t times = 1 + below(3); times > 0; times--) {
        switch (below(8)) {
        case 0:
            copy_part(bytes, size);
            break;
        case 1:
            size = below(20) == 0 ? 1 + below(size) : size;
            break;
        case 2:
        case 3:
            set_byte(bytes, size);
            break;
        default:
            flip_bits(bytes, size);
            break;
        }
    }
    return size;
}

static void use_type(const struct message_type *type)
{
    static uint8_t room[1 << 16], scratch_room[1 << 16];
    static char text[1 << 18];
    static const struct json_style style = {.show_unknown = true};
    uint8_t bytes[64];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)below(i % 2 == 0 ? 256 : 12);
    struct arena arena = {.base = room, .capacity = sizeof room};
    struct arena scratch = {.base = scratch_room, .capacity = sizeof scratch_room};
    struct decoded decoded;
    for (size_t size = 0; size <= sizeof bytes; size += 1 + below(9)) {
        arena.used = 0;
        if (message_decode(type, bytes, size, SCHEMA_MAX_DEPTH, &arena, &decoded) != DECODE_OK)
            continue;
        struct output out = {.data = text, .capacity = sizeof text};
        message_write_json(type, decoded.message, &style, &scratch, &out);
        message_encode(type, decoded.message, &out);
        protobuf_c_message_check(decoded.message);
    }
}

TEST(no_damage_to_a_set_does_harm)
{
    static const char *const names[] = {"sluice.shapes.Tree",     "sluice.legacy.Legacy",
                                        "sluice.modern.Modern",   "sluice.modern.Known",
                                        "google.protobuf.Struct", "sluice.legacy.Strict70"};
    size_t refused = 0;
    size_t served = 0;
    for (int i = 0; i < MUTATIONS; i++) {
        struct type_set *set;
        struct error error = {0};
        uint8_t *bytes = malloc(shapes_set_size);
        assert_non_null(bytes);
        memcpy(bytes, shapes_set, shapes_set_size);
        size_t size = damage(bytes, shapes_set_size);
        int result = type_set_load("damaged", bytes, size, NULL, &set, &error);
        free(bytes); /* the types must not refer to these bytes */
        if (result != 0) {
            assert_int_equal(error.code, EXIT_CODE_CONFIG);
            assert_null(strpbrk(error.text, "\r\n"));
            refused++;
            continue;
        }
        served++;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            const struct message_type *type = type_set_require(set, names[k], &error);
            if (type != NULL)
                use_type(type);
        }
        type_set_destroy(set);
    }
    assert_true(refused > MUTATIONS / 10);
    assert_true(served > MUTATIONS / 10);
}
