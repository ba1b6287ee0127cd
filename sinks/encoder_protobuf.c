/*
 * protobuf: the messages as they came, byte for byte, each behind its length as a varint: the
 * stream form that protobuf's libraries read with parseDelimitedFrom and the like. A message's
 * facts (its source, its time) are not told. What stands for a line is a message.
 */
#include <stdlib.h>

#include "sinks/sinks.h"

#define LONGEST_MESSAGE 65535u /* it was in a datagram */
#define LONGEST_VARINT  10
#define LAST_FIELD      536870911u /* the highest number of a field: 2^29 - 1 */

static size_t put_varint(uint8_t *to, uint32_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        to[size++] = (uint8_t)(value | 0x80);
    to[size++] = (uint8_t)value;
    return size;
}

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)encoder;
    (void)listener;
    uint8_t length[LONGEST_VARINT];
    output_bytes(out, length, put_varint(length, record->size));
    output_bytes(out, record->data, record->size);
    return (struct encoded){.lines = 1};
}

/* --- what is whole -----------------------------------------------------------------------------
 */

enum reading {
    READ_WHOLE,   /* and `at` is behind it */
    READ_ENDS,    /* the bytes end before it does */
    READ_FOREIGN, /* no such thing */
};

/* Bytes on the way, of which the first `size` are there. */
struct bytes {
    const uint8_t *data;
    size_t size;
    size_t at;
};

static enum reading read_varint(struct bytes *bytes, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < LONGEST_VARINT; i++) {
        if (bytes->at == bytes->size)
            return READ_ENDS;
        uint8_t byte = bytes->data[bytes->at++];
        *value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80)
            return READ_WHOLE;
    }
    return READ_FOREIGN;
}

/* Skips a field's value, which may end behind what is there. */
static enum reading skip_value(struct bytes *bytes, unsigned wire_type, unsigned *groups)
{
    uint64_t value;
    enum reading result = READ_WHOLE;
    uint64_t skip = 0;
    switch (wire_type) {
    case 0:
        return read_varint(bytes, &value);
    case 1:
        skip = 8;
        break;
    case 2:
        result = read_varint(bytes, &skip);
        break;
    case 3:
        ++*groups;
        return READ_WHOLE;
    case 4:
        return (*groups)-- == 0 ? READ_FOREIGN : READ_WHOLE;
    case 5:
        skip = 4;
        break;
    default:
        return READ_FOREIGN;
    }
    if (result != READ_WHOLE)
        return result;
    if (skip > LONGEST_MESSAGE)
        return READ_FOREIGN;
    bytes->at += skip;
    return READ_WHOLE;
}

/* Whether `length` bytes, of which not all may be there, are fields in a row. */
static enum reading read_fields(const uint8_t *data, size_t there, size_t length)
{
    struct bytes bytes = {.data = data, .size = there < length ? there : length};
    unsigned groups = 0;
    while (bytes.at < bytes.size) {
        uint64_t tag;
        enum reading result = read_varint(&bytes, &tag);
        if (result == READ_WHOLE && (tag >> 3 == 0 || tag >> 3 > LAST_FIELD))
            return READ_FOREIGN;
        if (result == READ_WHOLE)
            result = skip_value(&bytes, tag & 7, &groups);
        if (result == READ_ENDS && there >= length)
            return READ_FOREIGN;
        if (result != READ_WHOLE)
            return result;
        if (bytes.at > length)
            return READ_FOREIGN;
    }
    if (there < length)
        return READ_ENDS;
    return groups == 0 ? READ_WHOLE : READ_FOREIGN;
}

static enum reading read_message(struct bytes *bytes)
{
    uint64_t length;
    enum reading result = read_varint(bytes, &length);
    if (result != READ_WHOLE)
        return result;
    if (length > LONGEST_MESSAGE)
        return READ_FOREIGN;
    result = read_fields(bytes->data + bytes->at, bytes->size - bytes->at, length);
    if (result == READ_WHOLE)
        bytes->at += length;
    return result;
}

/* A line of JSON, which as a message of 123 bytes might pass: what is most likely there instead. */
static bool is_json(const uint8_t *bytes, size_t size)
{
    return size >= 2 && bytes[0] == '{' && bytes[1] == '"';
}

/*
 * A message is known by its fields; what is within them is not looked at. Where not even the first
 * is whole that is little, and a short text might pass: then it must be one whose length takes two
 * bytes, of which ASCII is never the first. (A shorter one is not torn by a kill, anyway.)
 */
static size_t whole(const uint8_t *data, size_t size, bool at_start, bool *foreign)
{
    struct bytes bytes = {.data = data, .size = size};
    size_t end = 0;
    enum reading result = at_start && is_json(data, size) ? READ_FOREIGN : READ_WHOLE;
    while (result == READ_WHOLE && bytes.at < size) {
        result = read_message(&bytes);
        if (result == READ_WHOLE)
            end = bytes.at;
    }
    if (result == READ_ENDS && at_start && end == 0 && data[0] < 0x80)
        result = READ_FOREIGN;
    *foreign = result == READ_FOREIGN;
    return end;
}

/* --- the encoder -------------------------------------------------------------------------------
 */

static struct encoder *create(const struct encoder_options *options)
{
    (void)options;
    struct encoder *encoder = malloc(sizeof *encoder);
    if (encoder != NULL)
        encoder->ops = &encoder_protobuf;
    return encoder;
}

static void destroy(struct encoder *encoder)
{
    free(encoder);
}

const struct encoder_ops encoder_protobuf = {
    .name = "protobuf",
    .binary = true,
    .create = create,
    .destroy = destroy,
    .encode = encode,
    .whole = whole,
};
