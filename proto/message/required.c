#include "proto/message/decoder.h"

/* Returns the first required field that the message itself lacks; it must lack one. */
static const struct field_type *missing(const struct message_type *type,
                                        const ProtobufCMessage *message)
{
    const char *words = (const char *)message + type->required_offset;
    const struct field_type *field = type->fields;
    for (;; field++) {
        if (field->presence != PRESENCE_REQUIRED)
            continue;
        uint64_t word = ((const uint64_t *)(const void *)words)[field->required / 64];
        if ((word >> field->required % 64 & 1) == 0)
            return field;
    }
}

/* The recursion is as deep as messages are nested, which the decoder has limited. */
bool decoder_is_complete(struct decoder *decoder, const struct message_type *type,
                         const ProtobufCMessage *message, const uint8_t *end)
{
    if (!has_required(type, message)) {
        decoder_fail(decoder, CAUSE_REQUIRED_MISSING, end);
        return decoder_fail_within(decoder, type, missing(type, message)->number, end) != NULL;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (field->message == NULL || !field_is_present(field, message))
            continue;
        const void *at = field_value(field, message);
        size_t count = field->presence == PRESENCE_REPEATED ? field_elements(field, message) : 1;
        ProtobufCMessage *const *children =
            field->presence == PRESENCE_REPEATED ? *(ProtobufCMessage *const *const *)at : at;
        for (size_t k = 0; k < count; k++)
            if (!decoder_is_complete(decoder, field->message, children[k], end))
                return decoder_fail_within(decoder, type, field->number, end) != NULL;
    }
    return true;
}
