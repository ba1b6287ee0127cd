/*
 * Reads the options of fields that name a key, a counter or a time, such as Junos's
 * `[(telemetry_options).is_key = true]`. The option is a bool of that name that extends
 * google.protobuf.FieldOptions, or that is in a message that extends it.
 */
#include <string.h>

#include "collector/base/wire.h"
#include "proto/types/loader.h"

#define FIELD_OPTIONS "google.protobuf.FieldOptions"

/* Returns the role that the option's name has, or 0. */
static uint8_t role_of(const struct field_type *option)
{
    static const struct {
        const char *name;
        uint8_t role;
    } roles[] = {
        {"is_key", ROLE_KEY}, {"is_counter", ROLE_COUNTER}, {"is_timestamp", ROLE_TIMESTAMP}};
    const char *dot = strrchr(option->descriptor->name, '.');
    const char *name = dot == NULL ? option->descriptor->name : dot + 1;
    for (size_t i = 0; option->kind == KIND_BOOL && i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(name, roles[i].name) == 0)
            return roles[i].role;
    return 0;
}

/* Sets or clears the option's role in `roles`, by the varint from `at` on. */
static void set_role(const struct field_type *option, const uint8_t *at, const uint8_t *end,
                     uint8_t *roles)
{
    uint64_t value;
    uint8_t role = role_of(option);
    if (role == 0 || wire_read_varint(at, end, &value) == NULL)
        return;
    *roles = (uint8_t)(value != 0 ? *roles | role : *roles & ~role);
}

/* Reads the options in a message that extends FieldOptions. */
static void read_inside(const struct message_type *type, const uint8_t *at, const uint8_t *end,
                        uint8_t *roles)
{
    while (at != NULL && at != end) {
        uint32_t tag;
        at = wire_read_tag(at, end, &tag);
        if (at == NULL)
            return;
        const struct field_type *option = message_type_find(type, tag >> 3);
        if (option != NULL && (tag & 7) == WIRE_VARINT)
            set_role(option, at, end, roles);
        at = wire_skip(at, end, tag & 7);
    }
}

static uint8_t roles_of(const struct message_type *options, const Field *from)
{
    uint8_t roles = 0;
    const ProtobufCMessage *unknown = from->options == NULL ? NULL : &from->options->base;
    for (size_t i = 0; unknown != NULL && i < unknown->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *given = &unknown->unknown_fields[i];
        const struct field_type *option = message_type_find(options, given->tag);
        const uint8_t *at = given->data;
        const uint8_t *end = at + given->len;
        size_t length;
        if (option == NULL || !option->extension)
            continue;
        if (given->wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)
            set_role(option, at, end, &roles);
        else if (given->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED &&
                 option->message != NULL && (at = wire_read_length(at, end, &length)) != NULL)
            read_inside(option->message, at, at + length, &roles);
    }
    return roles;
}

void loader_set_roles(const struct loader *loader)
{
    const struct message_definition *options =
        definition_of_message(loader->set, FIELD_OPTIONS, strlen(FIELD_OPTIONS));
    if (options == NULL)
        return;
    for (struct message_definition *at = loader->messages; at != NULL; at = at->next)
        for (size_t i = 0; at->compiled == NULL && i < at->source_count; i++)
            at->fields[i].roles = roles_of(options->type, at->sources[i].from);
}
