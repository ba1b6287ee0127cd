/* Skips fields, and looks ahead for the sizes of a message's lists. */
#include "collector/base/wire.h"
#include "proto/message/decoder.h"

/* Adds all open groups to the path of a failure, which is in the innermost one. */
static const uint8_t *fail_in_groups(struct decoder *decoder, uint32_t open, const uint8_t *at)
{
    while (--open != 0) /* the caller adds groups[0], its own field */
        decoder_fail_within(decoder, NULL, decoder->groups[open], at);
    return NULL;
}

/* Adds a field with its tag at `at`, and the open groups around it, to the path of its failure. */
static const uint8_t *fail_in_field(struct decoder *decoder, uint32_t open, uint32_t number,
                                    const uint8_t *at)
{
    decoder_fail_within(decoder, NULL, number, at);
    return fail_in_groups(decoder, open, at);
}

/* Skips a group; `at` is after its start tag. Skips nested groups without recursion. */
static const uint8_t *skip_group(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                                 uint32_t number, uint32_t levels)
{
    uint32_t open = 0;
    if (levels == 0)
        return decoder_fail(decoder, CAUSE_TOO_DEEP, NULL);
    decoder->groups[open++] = number;
    while (open != 0) {
        uint32_t tag = 0;
        const uint8_t *field = at;
        at = wire_read_tag(field, end, &tag);
        bool is_end = (tag & 7) == WIRE_GROUP_END;
        if (at == NULL || tag >> 3 == 0 || (is_end && decoder->groups[open - 1] != tag >> 3)) {
            decoder_fail_tag(decoder, field, end);
            return fail_in_groups(decoder, open, field);
        }
        if (is_end) {
            open--;
        } else if ((tag & 7) == WIRE_GROUP_START) {
            if (open == levels) {
                decoder_fail(decoder, CAUSE_TOO_DEEP, field);
                return fail_in_field(decoder, open, tag >> 3, field);
            }
            decoder->groups[open++] = tag >> 3;
        } else {
            const uint8_t *value = at;
            at = wire_skip(value, end, tag & 7);
            if (at == NULL) {
                decoder_fail_value(decoder, value, end, tag & 7);
                return fail_in_field(decoder, open, tag >> 3, field);
            }
        }
    }
    return at;
}

const uint8_t *decoder_skip(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                            uint32_t tag, uint32_t levels)
{
    if ((tag & 7) == WIRE_GROUP_START)
        return skip_group(decoder, at, end, tag >> 3, levels);
    const uint8_t *next = wire_skip(at, end, tag & 7);
    return next != NULL ? next : decoder_fail_value(decoder, at, end, tag & 7);
}

/* Returns the number of values in a packed field, or an upper bound if its bytes are invalid. */
static size_t count_packed(const struct field_type *field, const uint8_t *at, const uint8_t *end)
{
    size_t length = 0;
    at = wire_read_length(at, end, &length);
    if (at == NULL)
        return 0;
    if (field->wire_type == WIRE_FIXED64)
        return length / 8;
    if (field->wire_type == WIRE_FIXED32)
        return length / 4;
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += at[i] < 0x80;
    return count;
}

/* Counts the elements of repeated fields, and the unknown fields, in the counters of `message`. */
static void count_fields(struct decoder *decoder, const struct message_type *type,
                         ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                         uint32_t levels)
{
    size_t unknown = 0;
    while (at != NULL && at != end) {
        uint32_t tag = 0;
        at = wire_read_tag(at, end, &tag);
        if (at == NULL || (tag & 7) == WIRE_GROUP_END)
            break;
        const struct field_type *field = message_type_find(type, tag >> 3);
        enum field_form form = form_of(field, tag & 7);
        size_t count = form == FORM_PACKED ? count_packed(field, at, end) : 1;
        if (form == FORM_UNKNOWN || field->closed || field->closed_values)
            unknown += count; /* at most one for an item of a message set */
        if (form != FORM_UNKNOWN && field->presence == PRESENCE_REPEATED)
            *field_count(field, message) += count;
        at = decoder_skip(decoder, at, end, tag, levels);
    }
    message->n_unknown_fields = (unsigned)unknown;
}

bool decoder_make_room(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                       struct scope scope)
{
    count_fields(decoder, type, message, at, end, scope.levels);
    for (size_t i = 0; i < type->repeated_count; i++) {
        const struct field_type *field = &type->fields[type->repeated[i]];
        size_t *count = field_count(field, message);
        if (*count == 0)
            continue;
        void *list = decoder_allocate(decoder, *count * field->size);
        if (list == NULL)
            return false;
        *(void **)field_place(field, message) = list;
        *count = 0;
    }
    if (message->n_unknown_fields == 0)
        return true;
    message->unknown_fields =
        decoder_allocate(decoder, message->n_unknown_fields * sizeof *message->unknown_fields);
    message->n_unknown_fields = 0;
    return message->unknown_fields != NULL;
}
