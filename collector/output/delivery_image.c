#include "collector/output/delivery_image.h"

#include <string.h>

#include "collector/base/byte_order.h"

/*
 * The layout of an image. Numbers are little-endian.
 *
 *      0  number of records (u32)
 *      4  offset of the first record in the bytes (u32)
 *      8  sizes of the keys and of the bytes (u32 each)
 *     16  sizes of the four texts, each with its NUL (u16 each)
 *     24  when the block was sealed, in nanoseconds since 1970 UTC (u64)
 *     32  the texts: route, epoch, schema, listener
 *         for each record: its size, the offset of its key (u32 each), the size of its key, flags
 *         (u16 each), lines, samples, json_fallbacks (u32 each)
 *         the keys, the bytes
 */
#define HEAD_SIZE   32
#define RECORD_SIZE 24
#define TEXTS       4

#define FLAG_DONE       1
#define FLAG_MAYBE_SENT 2

size_t delivery_image_head_size(void)
{
    return HEAD_SIZE + DELIVERY_ROUTE_SIZE + DELIVERY_EPOCH_SIZE + 2 * DELIVERY_FACT_SIZE +
           DELIVERY_RECORDS * RECORD_SIZE;
}

size_t delivery_image_size(size_t record_size)
{
    return delivery_image_head_size() + DELIVERY_KEYS_SIZE + buffered_block_room(record_size);
}

/* --- writing ---------------------------------------------------------------------------------- */

static uint8_t *put_record(uint8_t *at, const struct delivery_record *record,
                           const struct encoded_counts *counts)
{
    put_little_u32(at, record->size);
    put_little_u32(at + 4, record->key);
    put_little_u16(at + 8, record->key_size);
    put_little_u16(at + 10,
                   (record->done ? FLAG_DONE : 0) | (record->maybe_sent ? FLAG_MAYBE_SENT : 0));
    put_little_u32(at + 12, counts->lines);
    put_little_u32(at + 16, counts->samples);
    put_little_u32(at + 20, counts->json_fallbacks);
    return at + RECORD_SIZE;
}

void delivery_image_put(const struct buffered_block *buffered, uint8_t *head,
                        struct text pieces[DELIVERY_IMAGE_PIECES])
{
    const struct delivery_block *block = &buffered->block;
    const char *const texts[TEXTS] = {buffered->route, block->epoch, buffered->schema,
                                      buffered->listener};
    uint8_t *at = head + HEAD_SIZE;
    put_little_u32(head, (uint32_t)block->count);
    put_little_u32(head + 4, block->records[0].offset);
    put_little_u32(head + 8, (uint32_t)buffered->keys_used);
    put_little_u32(head + 12, (uint32_t)block->size);
    put_little_u64(head + 24, (uint64_t)buffered->sealed_ns);
    for (size_t i = 0; i < TEXTS; i++) {
        size_t size = strlen(texts[i]) + 1;
        put_little_u16(head + 16 + 2 * i, (unsigned)size);
        memcpy(at, texts[i], size);
        at += size;
    }
    for (size_t i = 0; i < block->count; i++)
        at = put_record(at, &block->records[i], &buffered->counts[i]);
    pieces[0] = (struct text){(const char *)head, (size_t)(at - head)};
    pieces[1] = (struct text){(const char *)buffered->keys, buffered->keys_used};
    pieces[2] = (struct text){(const char *)block->bytes, block->size};
}

/* --- reading ---------------------------------------------------------------------------------- */

static uint32_t u32_at(const uint8_t *bytes)
{
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, bytes);
}

static uint16_t u16_at(const uint8_t *bytes)
{
    return ordered_u16(BYTE_ORDER_LITTLE_ENDIAN, bytes);
}

/* Copies the next text of the image. Returns false if it has no NUL at its end, or no room. */
static bool get_text(const uint8_t **at, const uint8_t *end, size_t size, char *text, size_t room)
{
    if (size == 0 || size > room || size > (size_t)(end - *at) ||
        memchr(*at, '\0', size) != *at + size - 1)
        return false;
    memcpy(text, *at, size);
    *at += size;
    return true;
}

static bool get_texts(const uint8_t *image, const uint8_t **at, const uint8_t *end,
                      struct buffered_block *buffered)
{
    return get_text(at, end, u16_at(image + 16), buffered->route, sizeof buffered->route) &&
           get_text(at, end, u16_at(image + 18), buffered->epoch, sizeof buffered->epoch) &&
           get_text(at, end, u16_at(image + 20), buffered->schema, sizeof buffered->schema) &&
           get_text(at, end, u16_at(image + 22), buffered->listener, sizeof buffered->listener);
}

static bool get_record(const uint8_t *at, size_t *offset, size_t bytes, size_t keys,
                       struct delivery_record *record, struct encoded_counts *counts)
{
    *counts = (struct encoded_counts){u32_at(at + 12), u32_at(at + 16), u32_at(at + 20)};
    *record = (struct delivery_record){
        .offset = (uint32_t)*offset,
        .size = u32_at(at),
        .key = u32_at(at + 4),
        .key_size = u16_at(at + 8),
        .lines = counts->lines,
        .samples = counts->samples,
        .done = (u16_at(at + 10) & FLAG_DONE) != 0,
        .maybe_sent = (u16_at(at + 10) & FLAG_MAYBE_SENT) != 0,
    };
    if (record->size > bytes - *offset || record->key > keys ||
        record->key_size > keys - record->key)
        return false;
    *offset += record->size;
    return true;
}

bool delivery_image_get(const uint8_t *image, size_t size, struct buffered_block *buffered)
{
    if (size < HEAD_SIZE)
        return false;
    const uint8_t *at = image + HEAD_SIZE;
    const uint8_t *end = image + size;
    size_t count = u32_at(image);
    size_t offset = u32_at(image + 4);
    size_t keys = u32_at(image + 8);
    size_t bytes = u32_at(image + 12);
    if (count == 0 || count > DELIVERY_RECORDS || keys > DELIVERY_KEYS_SIZE ||
        bytes > buffered->out.capacity || offset > bytes || !get_texts(image, &at, end, buffered) ||
        count * RECORD_SIZE + keys + bytes != (size_t)(end - at))
        return false;
    for (size_t i = 0; i < count; i++, at += RECORD_SIZE)
        if (!get_record(at, &offset, bytes, keys, &buffered->block.records[i],
                        &buffered->counts[i]))
            return false;
    buffered->block.count = count;
    buffered->sealed_ns = (int64_t)little_u64(image + 24);
    buffered->keys_used = keys;
    buffered->out.used = bytes;
    memcpy(buffered->keys, at, keys);
    memcpy(buffered->out.data, at + keys, bytes);
    return offset == bytes;
}
