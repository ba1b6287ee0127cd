#include "proto/message/count.h"

/* The recursion is as deep as messages are nested, which the decoder has limited. */
static void count(const struct message_type *type, const ProtobufCMessage *message,
                  struct schema_fields *fields)
{
    fields->unknown += message->n_unknown_fields;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        bool repeated = field->presence == PRESENCE_REPEATED;
        size_t values =
            repeated ? field_elements(field, message) : field_is_present(field, message);
        if (field->message == NULL) {
            fields->known += values;
            continue;
        }
        const void *at = field_value(field, message);
        ProtobufCMessage *const *children = repeated ? *(ProtobufCMessage *const *const *)at : at;
        for (size_t k = 0; k < values; k++)
            count(field->message, children[k], fields);
    }
}

struct schema_fields message_count_fields(const struct message_type *type, const void *message)
{
    struct schema_fields fields = {0};
    count(type, message, &fields);
    return fields;
}
