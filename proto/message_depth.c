/* How deep a message nests, told from its bytes before anything recurses on them. */
#include "proto/message_type.h"

/* Wire types: Protocol Buffers encoding, "Message Structure". */
enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_LENGTH = 2,
    WIRE_GROUP_START = 3,
    WIRE_GROUP_END = 4,
    WIRE_FIXED32 = 5,
};

enum look { LOOK_DONE, LOOK_TOO_DEEP, LOOK_NONSENSE };

struct reader {
    const uint8_t *at;
    const uint8_t *end;
};

static bool read_varint(struct reader *reader, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 70 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        if (shift < 64)
            *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool skip(struct reader *reader, uint64_t size)
{
    if (size > (uint64_t)(reader->end - reader->at))
        return false;
    reader->at += size;
    return true;
}

static const struct field_type *find_field(const struct message_type *type, uint64_t number)
{
    if (type == NULL)
        return NULL;
    for (unsigned i = 0; i < type->descriptor->n_fields; i++)
        if (type->fields[i].descriptor->id == number)
            return &type->fields[i];
    return NULL;
}

/*
 * Looks through one message, or one group up to its end tag. `left` levels may still open below.
 * Its own recursion is bounded by that.
 */
static enum look look(const struct message_type *type, struct reader *reader, bool in_group,
                      unsigned left)
{
    while (reader->at < reader->end) {
        uint64_t tag, value;
        if (!read_varint(reader, &tag))
            return LOOK_NONSENSE;
        bool sense = true;
        switch (tag & 7) {
        case WIRE_VARINT:
            sense = read_varint(reader, &value);
            break;
        case WIRE_FIXED64:
            sense = skip(reader, 8);
            break;
        case WIRE_FIXED32:
            sense = skip(reader, 4);
            break;
        case WIRE_GROUP_END:
            return in_group ? LOOK_DONE : LOOK_NONSENSE;
        case WIRE_GROUP_START: {
            if (left == 0)
                return LOOK_TOO_DEEP;
            enum look inner = look(NULL, reader, true, left - 1);
            if (inner != LOOK_DONE)
                return inner;
            break;
        }
        case WIRE_LENGTH: {
            sense = read_varint(reader, &value) && value <= (uint64_t)(reader->end - reader->at);
            if (!sense)
                break;
            struct reader body = {reader->at, reader->at + value};
            reader->at += value;
            const struct field_type *field = find_field(type, tag >> 3);
            if (field == NULL || field->message == NULL)
                break;
            if (left == 0)
                return LOOK_TOO_DEEP;
            enum look inner = look(field->message, &body, false, left - 1);
            if (inner != LOOK_DONE)
                return inner;
            break;
        }
        default:
            sense = false;
        }
        if (!sense)
            return LOOK_NONSENSE;
    }
    return in_group ? LOOK_NONSENSE : LOOK_DONE;
}

bool message_nests_deeper(const struct message_type *type, const uint8_t *data, size_t size,
                          unsigned limit)
{
    struct reader reader = {data, data + size};
    return look(type, &reader, false, limit) == LOOK_TOO_DEEP;
}
