#include "sinks/encoders/delimited.h"

#include "collector/base/wire.h"
#include "collector/contract/schema.h"
#include "collector/text/utf8.h"
#include "sinks/encoders/wire_output.h"

void delimited_put(struct output *out, const void *message, size_t size)
{
    wire_add_varint(out, size);
    output_bytes(out, message, size);
}

/* --- finding the end of the last complete message --------------------------------------------- */

enum reading {
    READ_WHOLE,   /* complete; `at` is the position after it */
    READ_ENDS,    /* incomplete: the available bytes end within it */
    READ_FOREIGN, /* invalid */
};

/*
 * A sequence of `size` bytes that is read from its beginning. Only the first `there` bytes are
 * available, because a message may be cut off; its length tells the missing number.
 */
struct bytes {
    const uint8_t *data;
    size_t there;
    size_t size;
    size_t at; /* may be beyond `there` */
};

static const uint8_t *here(const struct bytes *bytes)
{
    return bytes->data + bytes->at;
}

static const uint8_t *end_of(const struct bytes *bytes)
{
    return bytes->data + bytes->there;
}

/*
 * Moves to `next`, the end of a number of at most `most` bytes. `next` is NULL if the number could
 * not be read.
 */
static enum reading pass_number(struct bytes *bytes, const uint8_t *next, size_t most)
{
    if (next == NULL) {
        bool cut = bytes->there < bytes->size && bytes->there - bytes->at < most;
        return cut ? READ_ENDS : READ_FOREIGN;
    }
    bytes->at = (size_t)(next - bytes->data);
    return READ_WHOLE;
}

static enum reading read_size(struct bytes *bytes, uint64_t *size)
{
    return pass_number(bytes, wire_read_size(here(bytes), end_of(bytes), size), WIRE_SIZE_MAX);
}

static enum reading skip(struct bytes *bytes, uint64_t size)
{
    if (size > bytes->size - bytes->at)
        return READ_FOREIGN;
    bytes->at += (size_t)size;
    return READ_WHOLE;
}

static enum reading skip_value(struct bytes *bytes, uint32_t wire_type)
{
    uint64_t value;
    enum reading result;
    switch (wire_type) {
    case WIRE_VARINT:
        return pass_number(bytes, wire_read_varint(here(bytes), end_of(bytes), &value),
                           WIRE_VARINT_MAX);
    case WIRE_FIXED64:
        return skip(bytes, 8);
    case WIRE_LENGTH:
        result = read_size(bytes, &value);
        return result == READ_WHOLE ? skip(bytes, value) : result;
    case WIRE_FIXED32:
        return skip(bytes, 4);
    default:
        return READ_FOREIGN;
    }
}

/* The open groups, with their field numbers. */
struct groups {
    uint32_t numbers[SCHEMA_MAX_DEPTH];
    size_t open;
};

static bool begin_group(struct groups *groups, uint32_t number)
{
    if (groups->open == SCHEMA_MAX_DEPTH)
        return false;
    groups->numbers[groups->open++] = number;
    return true;
}

static bool end_group(struct groups *groups, uint32_t number)
{
    return groups->open != 0 && groups->numbers[--groups->open] == number;
}

static enum reading read_field(struct bytes *bytes, struct groups *groups)
{
    uint32_t tag = 0;
    enum reading result =
        pass_number(bytes, wire_read_tag(here(bytes), end_of(bytes), &tag), WIRE_TAG_MAX);
    if (result != READ_WHOLE)
        return result;
    if (tag >> 3 == 0)
        return READ_FOREIGN;
    switch (tag & 7) {
    case WIRE_GROUP_START:
        return begin_group(groups, tag >> 3) ? READ_WHOLE : READ_FOREIGN;
    case WIRE_GROUP_END:
        return end_group(groups, tag >> 3) ? READ_WHOLE : READ_FOREIGN;
    default:
        return skip_value(bytes, tag & 7);
    }
}

/*
 * Checks that the bytes are a sequence of fields, of any type, that a decoder accepts. Tags and
 * lengths are read by the decoder's functions, so every message that was decoded and written is
 * recognised.
 */
static enum reading read_fields(struct bytes *bytes)
{
    struct groups groups;
    enum reading result = READ_WHOLE;
    groups.open = 0;
    while (result == READ_WHOLE && bytes->at < bytes->there)
        result = read_field(bytes, &groups);
    if (result != READ_WHOLE)
        return result;
    if (bytes->there < bytes->size)
        return READ_ENDS;
    return groups.open == 0 ? READ_WHOLE : READ_FOREIGN;
}

static enum reading read_message(struct bytes *stream, size_t longest)
{
    uint64_t size;
    enum reading result = read_size(stream, &size);
    if (result != READ_WHOLE)
        return result;
    if (size > longest)
        return READ_FOREIGN;
    size_t there = stream->there - stream->at;
    struct bytes message = {
        .data = here(stream), .there = there < size ? there : (size_t)size, .size = (size_t)size};
    result = read_fields(&message);
    return result == READ_WHOLE ? skip(stream, size) : result;
}

/* --- files that may be text ------------------------------------------------------------------- */

#define TEXT_LEAST     8 /* bytes: fewer cannot distinguish a text from a message */
#define TEXT_MESSAGES  8 /* no text looks like this number of consecutive messages */
#define TEXT_BEGINNING 4 /* first bytes: in a text they have no tab or line end */

static bool is_of_text(uint8_t byte, size_t at, size_t messages)
{
    if (byte == '\t' || byte == '\n' || byte == '\r')
        return messages == 0 || at >= TEXT_BEGINNING;
    return byte >= ' ' && byte != 0x7f;
}

/* Returns true if all bytes are text, except that the last character may be incomplete. */
static bool is_text(const uint8_t *data, size_t size, size_t messages)
{
    if (size < TEXT_LEAST)
        return false;
    for (size_t at = 0; at < size;) {
        bool valid;
        size_t length = utf8_sequence(data + at, size - at, &valid);
        if (!valid)
            return at + length == size;
        if (!is_of_text(data[at], at, messages))
            return false;
        at += length;
    }
    return true;
}

/*
 * Messages are recognised by their fields, whose contents are not examined. Bytes that are complete
 * messages are the sink's own, even if they are also text.
 *
 * But a short text can look like the beginning of a message: a line of JSON looks like a message of
 * 123 bytes that begins with field 4. The line would be cut off as a torn record. So a text file
 * that ends within one of its first messages is foreign. The length of a message of 128 bytes or
 * more is never text.
 */
size_t delimited_whole(const uint8_t *data, size_t size, size_t longest, bool at_start,
                       bool *foreign)
{
    struct bytes stream = {.data = data, .there = size, .size = SIZE_MAX};
    size_t end = 0;
    size_t count = 0;
    enum reading result = READ_WHOLE;
    while (result == READ_WHOLE && stream.at < size) {
        result = read_message(&stream, longest);
        if (result == READ_WHOLE) {
            end = stream.at;
            count++;
        }
    }
    bool few = at_start && count < TEXT_MESSAGES;
    *foreign = result == READ_FOREIGN || (result == READ_ENDS && few && is_text(data, size, count));
    return end;
}
