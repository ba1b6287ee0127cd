/*
 * Recognises protobuf's own types with a special JSON form, by name and structure. A type with such
 * a name but another structure is an ordinary message.
 */
#include <string.h>

#include "proto/types/loader.h"

static bool has(const struct message_type *type, uint32_t number, enum field_kind kind,
                bool repeated)
{
    const struct field_type *field = message_type_find(type, number);
    return field != NULL && field->kind == kind &&
           (field->presence == PRESENCE_REPEATED) == repeated;
}

static bool is_time(const struct message_type *type)
{
    return type->field_count == 2 && has(type, 1, KIND_INT64, false) &&
           has(type, 2, KIND_INT32, false);
}

static bool is_any(const struct message_type *type)
{
    return type->field_count == 2 && has(type, 1, KIND_STRING, false) &&
           has(type, 2, KIND_BYTES, false);
}

static bool is_field_mask(const struct message_type *type)
{
    return type->field_count == 1 && has(type, 1, KIND_STRING, true);
}

static bool is_struct(const struct message_type *type)
{
    return type->field_count == 1 && has(type, 1, KIND_MESSAGE, true) && type->fields[0].map;
}

static bool is_list_value(const struct message_type *type)
{
    return type->field_count == 1 && has(type, 1, KIND_MESSAGE, true) && !type->fields[0].map;
}

static bool is_value(const struct message_type *type)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].presence != PRESENCE_ONEOF)
            return false;
    return type->field_count == 6 && has(type, 1, KIND_ENUM, false) &&
           has(type, 2, KIND_DOUBLE, false) && has(type, 3, KIND_STRING, false) &&
           has(type, 4, KIND_BOOL, false) && has(type, 5, KIND_MESSAGE, false) &&
           has(type, 6, KIND_MESSAGE, false);
}

static bool is_wrapper(const struct message_type *type)
{
    return type->field_count == 1 && type->fields[0].number == 1 &&
           type->fields[0].presence == PRESENCE_IMPLICIT;
}

static const struct {
    const char *name;
    enum well_known is;
    bool (*has_shape)(const struct message_type *type);
} table[] = {
    {"Any", WELL_KNOWN_ANY, is_any},
    {"Duration", WELL_KNOWN_DURATION, is_time},
    {"FieldMask", WELL_KNOWN_FIELD_MASK, is_field_mask},
    {"ListValue", WELL_KNOWN_LIST_VALUE, is_list_value},
    {"Struct", WELL_KNOWN_STRUCT, is_struct},
    {"Timestamp", WELL_KNOWN_TIMESTAMP, is_time},
    {"Value", WELL_KNOWN_VALUE, is_value},
    {"BoolValue", WELL_KNOWN_WRAPPER, is_wrapper},
    {"BytesValue", WELL_KNOWN_WRAPPER, is_wrapper},
    {"DoubleValue", WELL_KNOWN_WRAPPER, is_wrapper},
    {"FloatValue", WELL_KNOWN_WRAPPER, is_wrapper},
    {"Int32Value", WELL_KNOWN_WRAPPER, is_wrapper},
    {"Int64Value", WELL_KNOWN_WRAPPER, is_wrapper},
    {"StringValue", WELL_KNOWN_WRAPPER, is_wrapper},
    {"UInt32Value", WELL_KNOWN_WRAPPER, is_wrapper},
    {"UInt64Value", WELL_KNOWN_WRAPPER, is_wrapper},
};

enum well_known well_known_of(const struct message_type *type)
{
    static const char package[] = "google.protobuf.";
    const char *name = type->descriptor->name;
    if (strncmp(name, package, sizeof package - 1) != 0)
        return WELL_KNOWN_NOT;
    name += sizeof package - 1;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(name, table[i].name) == 0)
            return table[i].has_shape(type) ? table[i].is : WELL_KNOWN_NOT;
    return WELL_KNOWN_NOT;
}
