#include "proto/message/undeclared.h"

static bool is_for_extensions(const struct message_type *type, uint32_t number)
{
    for (size_t i = 0; i < type->extension_range_count; i++)
        if (number >= type->extension_ranges[i].start && number < type->extension_ranges[i].end)
            return true;
    return false;
}

static bool find_here(const struct message_type *type, const ProtobufCMessage *message,
                      struct schema_undeclared *out)
{
    for (size_t i = 0; i < message->n_unknown_fields; i++) {
        uint32_t number = message->unknown_fields[i].tag;
        /* An unknown value of a closed enum is an unknown field with a known number. */
        if (!is_for_extensions(type, number) || message_type_find(type, number) != NULL)
            continue;
        *out = (struct schema_undeclared){number, type->descriptor->name};
        return true;
    }
    return false;
}

/* The recursion is as deep as messages are nested, which the decoder has limited. */
bool message_find_undeclared(const struct message_type *type, const void *message,
                             struct schema_undeclared *out)
{
    if (find_here(type, message, out))
        return true;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (field->message == NULL)
            continue;
        bool repeated = field->presence == PRESENCE_REPEATED;
        size_t values =
            repeated ? field_elements(field, message) : field_is_present(field, message);
        const void *at = field_value(field, message);
        ProtobufCMessage *const *children = repeated ? *(ProtobufCMessage *const *const *)at : at;
        for (size_t k = 0; k < values; k++)
            if (message_find_undeclared(field->message, children[k], out))
                return true;
    }
    return false;
}
