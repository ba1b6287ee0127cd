#include "proto/message/decoder.h"

/* As deep as messages nest, which the decoder has bounded. */
bool message_is_complete(const struct message_type *type, const ProtobufCMessage *message)
{
    if (!has_required(type, message))
        return false;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (field->message == NULL || !field_is_present(field, message))
            continue;
        const void *at = field_value(field, message);
        size_t count = field->presence == PRESENCE_REPEATED ? field_elements(field, message) : 1;
        ProtobufCMessage *const *children =
            field->presence == PRESENCE_REPEATED ? *(ProtobufCMessage *const *const *)at : at;
        for (size_t k = 0; k < count; k++)
            if (!message_is_complete(field->message, children[k]))
                return false;
    }
    return true;
}
