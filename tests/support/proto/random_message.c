#include "tests/support/proto/random_message.h"

#include <string.h>

#include "collector/base/wire.h"
#include "tests/support/base/random_number.h"

static size_t below(struct random_message *random, size_t limit)
{
    return (size_t)(next_random(&random->state) % limit);
}

static bool one_in(struct random_message *random, size_t chances)
{
    return below(random, chances) == 0;
}

/*
 * Returns a random number. Its length in bits is random too, so that small numbers are as frequent
 * as large ones.
 */
static uint64_t number(struct random_message *random)
{
    return next_random(&random->state) >> below(random, 64);
}

/* Puts a varint. If `odd` is set, some are longer than necessary, or too long. */
static void put_varint(struct random_message *random, struct wire *wire, uint64_t value)
{
    wire_varint(wire, value);
    if (!random->odd || !one_in(random, 40))
        return;
    wire->bytes[wire->size - 1] |= 0x80;
    for (size_t more = below(random, 10); more > 0; more--)
        wire_raw(wire, "\x80", 1);
    wire_raw(wire, "", 1);
}

static void put_text(struct random_message *random, struct wire *wire, uint32_t field)
{
    static const char *const pieces[] = {"a", "label", "\xc3\xa9", "\xe2\x82\xac", "0123456789ab"};
    static const char wrong[][3] = {"\xff", "\xc0\x80", "\xe2"};
    size_t begun = wire_begin(wire, field);
    for (size_t i = below(random, 6); i > 0; i--) {
        const char *piece = pieces[below(random, one_in(random, 4) ? 5 : 2)];
        wire_raw(wire, piece, strlen(piece));
    }
    if (random->odd && one_in(random, 60))
        wire_raw(wire, wrong[below(random, 3)], 1);
    wire_end(wire, begun);
}

static void put_bare_number(struct random_message *random, struct wire *wire,
                            const struct field_type *field)
{
    uint64_t value = number(random);
    if (field->kind == KIND_ENUM && !one_in(random, 8))
        value %= 4;
    if (field->wire_type == WIRE_VARINT)
        put_varint(random, wire, value);
    else
        wire_raw(wire, &value, field->wire_type == WIRE_FIXED64 ? 8 : 4);
}

static void put_packed(struct random_message *random, struct wire *wire,
                       const struct field_type *field)
{
    size_t begun = wire_begin(wire, field->number);
    for (size_t i = below(random, 5); i > 0; i--)
        put_bare_number(random, wire, field);
    wire_end(wire, begun);
}

/* Puts an item of a message set. If `odd` is set, the message sometimes comes before its number. */
static void put_item(struct random_message *random, struct wire *wire,
                     const struct field_type *field, unsigned levels)
{
    bool early = random->odd && one_in(random, 4);
    wire_tag(wire, WIRE_ITEM, WIRE_GROUP_START);
    if (!early)
        wire_uint(wire, WIRE_ITEM_ID, field->number);
    size_t begun = wire_begin(wire, WIRE_ITEM_MESSAGE);
    random_message_put(random, wire, field->message, levels - 1);
    wire_end(wire, begun);
    if (early)
        wire_uint(wire, WIRE_ITEM_ID, field->number);
    wire_tag(wire, WIRE_ITEM, WIRE_GROUP_END);
}

static void put_value(struct random_message *random, struct wire *wire,
                      const struct message_type *type, const struct field_type *field,
                      unsigned levels)
{
    if (type->message_set) {
        put_item(random, wire, field, levels);
    } else if (field->kind == KIND_GROUP) {
        wire_tag(wire, field->number, WIRE_GROUP_START);
        random_message_put(random, wire, field->message, levels - 1);
        wire_tag(wire, field->number, WIRE_GROUP_END);
    } else if (field->message != NULL) {
        size_t begun = wire_begin(wire, field->number);
        random_message_put(random, wire, field->message, levels - 1);
        wire_end(wire, begun);
    } else if (field->wire_type == WIRE_LENGTH) {
        put_text(random, wire, field->number);
    } else {
        wire_tag(wire, field->number, field->wire_type);
        put_bare_number(random, wire, field);
    }
}

/* Puts a field: one value, a packed list, or a few values one after the other. */
static void put_field(struct random_message *random, struct wire *wire,
                      const struct message_type *type, const struct field_type *field,
                      unsigned levels)
{
    if (field->message != NULL && levels == 0)
        return;
    bool packed = field->packed != (random->odd && one_in(random, 20));
    if (field->packable && packed) {
        put_packed(random, wire, field);
        return;
    }
    size_t times = field->presence == PRESENCE_REPEATED ? below(random, 4) : 1;
    if (field->map && random->odd && one_in(random, 10))
        times += 12;
    for (; times > 0; times--)
        put_value(random, wire, type, field, levels);
}

static void put_unknown(struct random_message *random, struct wire *wire)
{
    uint32_t field = (uint32_t)number(random) >> 3;
    switch (below(random, 5)) {
    case 0:
        wire_fixed64(wire, field, number(random));
        break;
    case 1:
        wire_fixed32(wire, field, 7);
        break;
    case 2:
        wire_text(wire, field, "unknown");
        break;
    case 3:
        wire_tag(wire, field, WIRE_GROUP_START);
        wire_uint(wire, 1, 1);
        wire_tag(wire, field, WIRE_GROUP_END);
        break;
    default:
        wire_uint(wire, field, number(random));
        break;
    }
}

/*
 * Puts fields in the order of their numbers, as encoders do. A oneof gets at most one of its
 * members.
 */
static void put_in_order(struct random_message *random, struct wire *wire,
                         const struct message_type *type, unsigned levels)
{
    size_t share = 1 + below(random, 4);
    uint32_t taken[8] = {0}; /* oneofs that already have a member, by the offset of their case */
    size_t taken_count = 0;
    for (size_t i = 0; i < type->field_count && wire->size < random->most; i++) {
        const struct field_type *field = &type->fields[i];
        bool wanted = field->presence == PRESENCE_REQUIRED || below(random, 4) < share;
        bool again = false;
        for (size_t k = 0; field->presence == PRESENCE_ONEOF && k < taken_count; k++)
            again = again || taken[k] == field->quantifier;
        if (!wanted || again)
            continue;
        if (field->presence == PRESENCE_ONEOF && taken_count < 8)
            taken[taken_count++] = field->quantifier;
        put_field(random, wire, type, field, levels);
    }
}

void random_message_put(struct random_message *random, struct wire *wire,
                        const struct message_type *type, unsigned levels)
{
    if (!random->odd || !one_in(random, 3)) {
        put_in_order(random, wire, type, levels);
        if (random->odd && one_in(random, 8))
            put_unknown(random, wire);
        return;
    }
    for (size_t i = below(random, 8); i > 0 && wire->size < random->most; i--) {
        if (type->field_count == 0 || one_in(random, 12))
            put_unknown(random, wire);
        else
            put_field(random, wire, type, &type->fields[below(random, type->field_count)], levels);
    }
}

/* --- damage ----------------------------------------------------------------------------------- */

static void repeat_piece(struct random_message *random, struct wire *wire)
{
    uint8_t piece[64];
    size_t from = below(random, wire->size);
    size_t left = wire->size - from;
    size_t length = 1 + below(random, left < sizeof piece ? left : sizeof piece);
    size_t to = below(random, wire->size + 1);
    memcpy(piece, wire->bytes + from, length);
    size_t behind = wire->size - to;
    wire_raw(wire, piece, length);
    memmove(wire->bytes + to + length, wire->bytes + to, behind);
    memcpy(wire->bytes + to, piece, length);
}

static void remove_piece(struct random_message *random, struct wire *wire)
{
    size_t from = below(random, wire->size);
    size_t length = 1 + below(random, wire->size - from);
    length = length > 20 ? 20 : length;
    memmove(wire->bytes + from, wire->bytes + from + length, wire->size - from - length);
    wire->size -= length;
}

void random_message_damage(struct random_message *random, struct wire *wire)
{
    static const uint8_t bytes[] = {0, 1, 2, 3, 4, 8, 0x0a, 0x0c, 0x7f, 0x80, 0xff};
    for (size_t times = 1 + below(random, 3); times > 0 && wire->size > 0; times--) {
        size_t place = below(random, wire->size);
        switch (below(random, 8)) {
        case 0:
            repeat_piece(random, wire);
            break;
        case 1:
            remove_piece(random, wire);
            break;
        case 2:
            wire->size = one_in(random, 4) ? place : wire->size;
            break;
        case 3:
        case 4:
            wire->bytes[place] = bytes[below(random, sizeof bytes)];
            break;
        default:
            wire->bytes[place] ^= (uint8_t)(1U << below(random, 8));
            break;
        }
    }
}
