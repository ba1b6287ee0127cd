#include "sinks/encoders/snappy_block.h"

#include <stdbool.h>

#include "collector/base/byte_order.h"
#include "sinks/encoders/wire_output.h"

/* The low two bits of an element's first byte. */
enum element { LITERAL, COPY_1, COPY_2 };

/*
 * A literal's upper six bits are its length - 1 up to 59. From 60 on they are 59 plus the number of
 * bytes of the length.
 */
#define LITERAL_INLINE 60u

/*
 * Size of the pieces in which the data is compressed. Copies refer only to their own piece, so that
 * offsets fit in two bytes.
 */
#define PIECE ((size_t)64 * 1024)

/*
 * SHORTEST: minimum size of a match in bytes. MARGIN: in this number of bytes at the end of a piece
 * no match begins.
 */
#define SHORTEST 4
#define MARGIN   8

#define TABLE_BITS 14
_Static_assert(sizeof(uint16_t) << TABLE_BITS == SNAPPY_SCRATCH, "the table is the scratch memory");

/*
 * After this number of positions without a match, positions are skipped, and more of them with each
 * further miss.
 */
#define PATIENCE 32

size_t snappy_block_bound(size_t size)
{
    return 32 + size + size / 6;
}

static void put_literal(const uint8_t *data, size_t size, struct output *out)
{
    size_t length = size - 1;
    if (size == 0)
        return;
    if (length < LITERAL_INLINE) {
        output_char(out, (char)(length << 2 | LITERAL));
    } else {
        unsigned more = length < 256 ? 1 : 2;
        output_char(out, (char)((LITERAL_INLINE + more - 1) << 2 | LITERAL));
        for (unsigned i = 0; i < more; i++)
            output_char(out, (char)(length >> 8 * i));
    }
    output_bytes(out, data, size);
}

/* Writes a copy of at most 64 bytes with an offset of two bytes. */
static void put_copy_2(size_t offset, size_t size, struct output *out)
{
    output_char(out, (char)((size - 1) << 2 | COPY_2));
    output_char(out, (char)offset);
    output_char(out, (char)(offset >> 8));
}

static void put_copy(size_t offset, size_t size, struct output *out)
{
    for (; size > 64; size -= size >= 64 + SHORTEST ? 64 : 64 - SHORTEST)
        put_copy_2(offset, size >= 64 + SHORTEST ? 64 : 64 - SHORTEST, out);
    if (size > 11 || offset >= 2048) {
        put_copy_2(offset, size, out);
        return;
    }
    output_char(out, (char)(offset >> 8 << 5 | (size - SHORTEST) << 2 | COPY_1));
    output_char(out, (char)offset);
}

static uint32_t load(const uint8_t *at)
{
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, at);
}

static uint16_t *slot_of(uint16_t *table, const uint8_t *at)
{
    return &table[load(at) * 0x1e35a7bdu >> (32 - TABLE_BITS)];
}

static size_t common(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *begin = b;
    while (b != end && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(b - begin);
}

static void put_piece(const uint8_t *piece, size_t size, uint16_t *table, struct output *out)
{
    const uint8_t *end = piece + size;
    const uint8_t *written = piece; /* everything before is in the output */
    size_t at = 1;
    size_t tried = PATIENCE;
    memset(table, 0, SNAPPY_SCRATCH);
    while (at + MARGIN < size) {
        const uint8_t *here = piece + at;
        uint16_t *slot = slot_of(table, here);
        const uint8_t *before = piece + *slot;
        *slot = (uint16_t)at;
        if (load(before) != load(here)) {
            at += tried++ / PATIENCE;
            continue;
        }
        size_t length = SHORTEST + common(before + SHORTEST, here + SHORTEST, end);
        put_literal(written, (size_t)(here - written), out);
        put_copy((size_t)(here - before), length, out);
        at += length;
        written = piece + at;
        tried = PATIENCE;
    }
    put_literal(written, (size_t)(end - written), out);
}

void snappy_block_put(const void *data, size_t size, void *scratch, struct output *out)
{
    const uint8_t *bytes = data;
    wire_add_varint(out, size);
    for (size_t at = 0; at < size; at += PIECE)
        put_piece(bytes + at, size - at < PIECE ? size - at : PIECE, scratch, out);
}
