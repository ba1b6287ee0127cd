/*
 * Mutates the inputs of all targets. The mutator understands the wire format of protobuf, and
 * therefore the envelope (envelope.h) and its content. libFuzzer calls it instead of its own
 * mutator; AFL++ does not use it.
 *
 * It changes, removes, duplicates, moves or copies a field at any depth, and corrects the enclosing
 * lengths, so that most results are still messages. Sometimes it changes bytes without regard to
 * the format.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/base/random_number.h"

/* The interface of libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed);

#define MOST_FIELDS 512 /* of one message; bytes after these are mutated as one piece */
#define MOST_DEPTH  40
#define ROOM        ((size_t)1 << 20)

struct field {
    size_t at, value_at, end; /* offsets in the message */
    uint64_t value;           /* if it is a varint */
    unsigned type;
    uint32_t number;
};

struct fields {
    struct field all[MOST_FIELDS];
    size_t count;
};

static uint64_t state;

static size_t below(size_t end)
{
    return (size_t)next_below(&state, end);
}

/* --- the wire format -------------------------------------------------------------------------- */

static size_t read_varint(const uint8_t *data, size_t at, size_t size, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; at < size && shift < 70; shift += 7) {
        if (shift < 64)
            *value |= (uint64_t)(data[at] & 0x7f) << shift;
        if ((data[at++] & 0x80) == 0)
            return at;
    }
    return 0;
}

static size_t put_varint(uint8_t *to, uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        to[size++] = (uint8_t)(value | 0x80);
    to[size++] = (uint8_t)value;
    return size;
}

static size_t read_field(const uint8_t *data, size_t at, size_t size, struct field *field)
{
    uint64_t tag;
    field->at = at;
    if ((at = read_varint(data, at, size, &tag)) == 0 || tag >> 3 == 0)
        return 0;
    field->number = (uint32_t)(tag >> 3);
    field->type = (unsigned)(tag & 7);
    field->value_at = at;
    switch (field->type) {
    case 0:
        return read_varint(data, at, size, &field->value);
    case 1:
        return size - at < 8 ? 0 : at + 8;
    case 2:
        at = read_varint(data, at, size, &field->value);
        field->value_at = at;
        return at == 0 || field->value > size - at ? 0 : at + (size_t)field->value;
    case 3:
    case 4:
        return at;
    case 5:
        return size - at < 4 ? 0 : at + 4;
    default:
        return 0;
    }
}

static int read_fields(const uint8_t *data, size_t size, struct fields *fields)
{
    size_t at = 0;
    fields->count = 0;
    while (at < size && fields->count < MOST_FIELDS) {
        struct field *field = &fields->all[fields->count];
        if ((at = read_field(data, at, size, field)) == 0)
            return 0;
        field->end = at;
        fields->count++;
    }
    return fields->count != 0;
}

/* --- changes of a message --------------------------------------------------------------------- */

/* Replaces the bytes from `at` to `end`. Does nothing if the result would be larger than `most`. */
static size_t replace(uint8_t *data, size_t size, size_t most, size_t at, size_t end,
                      const uint8_t *with, size_t with_size)
{
    if (size - (end - at) + with_size > most)
        return size;
    memmove(data + at + with_size, data + end, size - end);
    if (with_size != 0)
        memmove(data + at, with, with_size);
    return size - (end - at) + with_size;
}

static size_t set_bytes(uint8_t *data, size_t size, size_t most, const struct field *field,
                        const uint8_t *bytes, size_t count)
{
    uint8_t *piece = malloc(count + 16);
    size_t used = put_varint(piece, (uint64_t)field->number << 3 | 2);
    used += put_varint(piece + used, count);
    memcpy(piece + used, bytes, count);
    size = replace(data, size, most, field->at, field->end, piece, used + count);
    free(piece);
    return size;
}

static uint64_t interesting(void)
{
    static const uint64_t values[] = {0,
                                      1,
                                      2,
                                      UINT64_C(0x7f),
                                      UINT64_C(0x80),
                                      UINT64_C(0x7fffffff),
                                      UINT64_C(0x80000000),
                                      UINT64_C(0xffffffff),
                                      UINT64_C(0x100000000),
                                      INT64_MAX,
                                      UINT64_C(0x8000000000000000),
                                      UINT64_MAX,
                                      UINT64_C(0x7ff0000000000000),  /* infinity */
                                      UINT64_C(0xfff0000000000000),  /* negative infinity */
                                      UINT64_C(0x7ff8000000000001),  /* not a number */
                                      UINT64_C(0x0000000000000001),  /* the smallest double */
                                      UINT64_C(0x7fefffffffffffff),  /* the largest double */
                                      UINT64_C(0x3ff0000000000000),  /* 1.0 */
                                      UINT64_C(1700000000000000000), /* a time */
                                      UINT64_C(0x7f800000),          /* infinity as a float */
                                      UINT64_C(0x7fc00001)};
    size_t count = sizeof values / sizeof values[0];
    return below(3) == 0 ? next_random(&state) >> below(64) : values[below(count)];
}

static size_t change_number(uint8_t *data, size_t size, size_t most, const struct field *field)
{
    uint8_t bytes[10];
    uint64_t value = below(3) == 0 ? field->value + 1 - below(3) : interesting();
    if (field->type == 0)
        return replace(data, size, most, field->value_at, field->end, bytes,
                       put_varint(bytes, value));
    memcpy(data + field->value_at, &value, field->end - field->value_at);
    return size;
}

static size_t change_tag(uint8_t *data, size_t size, size_t most, const struct field *field)
{
    uint8_t bytes[20];
    uint32_t number = below(4) == 0 ? (uint32_t)interesting() : 1 + (uint32_t)below(24);
    size_t used = put_varint(bytes, (uint64_t)number << 3 | field->type);
    if (field->type == 2)
        used += put_varint(bytes + used, field->value);
    return replace(data, size, most, field->at, field->value_at, bytes, used);
}

static size_t copy(uint8_t *data, size_t size, size_t most, size_t from, size_t end, size_t to)
{
    uint8_t *piece = malloc(end - from + 1);
    memcpy(piece, data + from, end - from);
    size = replace(data, size, most, to, to, piece, end - from);
    free(piece);
    return size;
}

static size_t repeat(uint8_t *data, size_t size, size_t most, const struct field *field)
{
    for (size_t times = (size_t)1 << below(9); times != 0; times--)
        size = copy(data, size, most, field->at, field->end, field->at);
    return size;
}

/*
 * Changes the length of a field: removes bytes, or repeats existing ones. Only this function can
 * make a field empty.
 */
static size_t resize(uint8_t *data, size_t size, size_t most, const struct field *field)
{
    static const size_t counts[] = {0, 0, 1, 127, 128, 255, 256};
    size_t there = field->end - field->value_at;
    size_t count = below(2) == 0 ? counts[below(sizeof counts / sizeof counts[0])] : below(320);
    uint8_t *bytes = malloc(count + 1);
    for (size_t i = 0; i < count; i++)
        bytes[i] = there == 0 ? (uint8_t)' ' : data[field->value_at + i % there];
    size = set_bytes(data, size, most, field, bytes, count);
    free(bytes);
    return size;
}

static size_t wrap(uint8_t *data, size_t size, size_t most, uint32_t number)
{
    uint8_t bytes[20];
    size_t used = put_varint(bytes, (uint64_t)number << 3 | 2);
    used += put_varint(bytes + used, size);
    return replace(data, size, most, 0, 0, bytes, used);
}

/* Mutates `data` at this depth: a message, or bytes that may be one. */
static size_t mutate(uint8_t *data, size_t size, size_t most, unsigned depth);

static size_t change_bytes(uint8_t *data, size_t size, size_t most, const struct field *field,
                           unsigned depth)
{
    size_t count = field->end - field->value_at;
    if (below(8) == 0)
        return resize(data, size, most, field);
    size_t room = most - size + count;
    uint8_t *bytes = malloc(room + 1);
    memcpy(bytes, data + field->value_at, count);
    count = below(8) == 0 || depth == MOST_DEPTH ? LLVMFuzzerMutate(bytes, count, room)
                                                 : mutate(bytes, count, room, depth + 1);
    size = set_bytes(data, size, most, field, bytes, count);
    free(bytes);
    return size;
}

static size_t change_value(uint8_t *data, size_t size, size_t most, const struct field *field,
                           unsigned depth)
{
    if (field->type == 2)
        return change_bytes(data, size, most, field, depth);
    if (field->type == 3 || field->type == 4)
        return change_tag(data, size, most, field);
    return change_number(data, size, most, field);
}

static size_t mutate(uint8_t *data, size_t size, size_t most, unsigned depth)
{
    static struct fields found[MOST_DEPTH + 1];
    struct fields *fields = &found[depth];
    if (!read_fields(data, size, fields))
        return LLVMFuzzerMutate(data, size, most);
    const struct field *field = &fields->all[below(fields->count)];
    const struct field *other = &fields->all[below(fields->count)];
    switch (below(16)) {
    case 0:
        return replace(data, size, most, field->at, field->end, NULL, 0);
    case 1:
        return copy(data, size, most, field->at, field->end, other->at);
    case 2:
        return repeat(data, size, most, field);
    case 3:
        return change_tag(data, size, most, field);
    case 4:
        return wrap(data, size, most, field->number);
    case 5: /* replaces the field by its content */
        return field->type == 2 ? replace(data, size, most, field->at, field->value_at, NULL, 0)
                                : change_number(data, size, most, field);
    default:
        return change_value(data, size, most, field, depth);
    }
}

static size_t shorten(uint8_t *data, size_t size, size_t most)
{
    static struct fields fields;
    if (read_fields(data, size, &fields)) {
        const struct field *field = &fields.all[below(fields.count)];
        size = replace(data, size, most, field->at, field->end, NULL, 0);
    }
    return size < most ? size : most;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    state = seed;
    if (size > most)
        size = shorten(data, size, most);
    if (size == 0 || most < 4 || below(16) == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (size_t times = 1 + below(3); times != 0 && size != 0; times--)
        size = mutate(data, size, most, 0);
    return size;
}

/* --- crossing two inputs ---------------------------------------------------------------------- */

/*
 * Inserts a field of `b` into `out`, or replaces a field of `out` with it, sometimes a few levels
 * deeper.
 */
static size_t cross(uint8_t *out, size_t size, size_t most, const uint8_t *b, size_t b_size,
                    unsigned depth)
{
    static struct fields ours[MOST_DEPTH + 1], theirs[MOST_DEPTH + 1];
    if (!read_fields(b, b_size, &theirs[depth]) || !read_fields(out, size, &ours[depth]))
        return size;
    const struct field *mine = &ours[depth].all[below(ours[depth].count)];
    const struct field *other = &theirs[depth].all[below(theirs[depth].count)];
    if (depth == MOST_DEPTH || mine->type != 2 || other->type != 2 || below(3) == 0)
        return replace(out, size, most, mine->at, below(2) == 0 ? mine->at : mine->end,
                       b + other->at, other->end - other->at);
    size_t count = mine->end - mine->value_at;
    size_t room = most - size + count;
    uint8_t *bytes = malloc(room + 1);
    memcpy(bytes, out + mine->value_at, count);
    count = cross(bytes, count, room, b + other->value_at, other->end - other->value_at, depth + 1);
    size = set_bytes(out, size, most, mine, bytes, count);
    free(bytes);
    return size;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
    state = seed;
    if (a_size > most)
        a_size = most;
    memcpy(out, a, a_size);
    return cross(out, a_size, most, b, b_size, 0);
}
