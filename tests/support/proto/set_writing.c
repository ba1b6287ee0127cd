#include "tests/support/proto/set_writing.h"

/* Field numbers of descriptor.proto. */
enum {
    SET_FILE = 1,
    FILE_NAME = 1,
    FILE_PACKAGE = 2,
    FILE_DEPENDENCY = 3,
    FILE_MESSAGE = 4,
    FILE_ENUM = 5,
    FILE_EXTENSION = 7,
    FILE_OPTIONS = 8,
    FILE_SYNTAX = 12,
    FILE_EDITION = 14,
    FILE_OPTIONS_FEATURES = 50,
    MESSAGE_NAME = 1,
    MESSAGE_FIELD = 2,
    MESSAGE_NESTED = 3,
    MESSAGE_EXTENSION_RANGE = 5,
    MESSAGE_OPTIONS = 7,
    MESSAGE_ONEOF = 8,
    MESSAGE_OPTIONS_FEATURES = 12,
    FIELD_NAME = 1,
    FIELD_EXTENDEE = 2,
    FIELD_NUMBER = 3,
    FIELD_LABEL = 4,
    FIELD_TYPE = 5,
    FIELD_TYPE_NAME = 6,
    FIELD_DEFAULT = 7,
    FIELD_OPTIONS = 8,
    FIELD_ONEOF_INDEX = 9,
    FIELD_OPTIONS_FEATURES = 21,
    ONEOF_NAME = 1,
    ENUM_NAME = 1,
    ENUM_VALUE = 2,
    ENUM_OPTIONS = 3,
    ENUM_OPTIONS_FEATURES = 7,
    VALUE_NAME = 1,
    VALUE_NUMBER = 2,
};

static void put_features(struct wire *set, uint32_t options, uint32_t number,
                         struct features_written features)
{
    const int values[] = {features.presence, features.enums, features.repeated, features.utf8,
                          features.message};
    size_t outer = wire_begin(set, options);
    size_t inner = wire_begin(set, number);
    for (uint32_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i] != 0)
            wire_uint(set, i + 1, (uint64_t)values[i]);
    wire_end(set, inner);
    wire_end(set, outer);
}

size_t begin_file(struct wire *set, const char *name, const char *package, const char *syntax,
                  int32_t edition)
{
    size_t file = wire_begin(set, SET_FILE);
    wire_text(set, FILE_NAME, name);
    wire_text(set, FILE_PACKAGE, package);
    if (syntax != NULL)
        wire_text(set, FILE_SYNTAX, syntax);
    if (edition != 0)
        wire_uint(set, FILE_EDITION, (uint64_t)edition);
    return file;
}

void put_file_features(struct wire *set, struct features_written features)
{
    put_features(set, FILE_OPTIONS, FILE_OPTIONS_FEATURES, features);
}

void put_import(struct wire *set, const char *name)
{
    wire_text(set, FILE_DEPENDENCY, name);
}

size_t begin_message(struct wire *set, const char *name)
{
    size_t message = wire_begin(set, FILE_MESSAGE);
    wire_text(set, MESSAGE_NAME, name);
    return message;
}

size_t begin_nested(struct wire *set, const char *name)
{
    size_t message = wire_begin(set, MESSAGE_NESTED);
    wire_text(set, MESSAGE_NAME, name);
    return message;
}

void put_message_features(struct wire *set, struct features_written features)
{
    put_features(set, MESSAGE_OPTIONS, MESSAGE_OPTIONS_FEATURES, features);
}

static void put_field_body(struct wire *set, struct field_written field)
{
    wire_text(set, FIELD_NAME, field.name);
    wire_uint(set, FIELD_NUMBER, (uint64_t)(int64_t)field.number);
    wire_uint(set, FIELD_LABEL, (uint64_t)(int64_t)field.label);
    wire_uint(set, FIELD_TYPE, (uint64_t)(int64_t)field.type);
    if (field.type_name != NULL)
        wire_text(set, FIELD_TYPE_NAME, field.type_name);
    if (field.default_value != NULL)
        wire_text(set, FIELD_DEFAULT, field.default_value);
    if (field.oneof != 0)
        wire_uint(set, FIELD_ONEOF_INDEX, (uint64_t)(int64_t)(field.oneof - 1));
    put_features(set, FIELD_OPTIONS, FIELD_OPTIONS_FEATURES, field.features);
}

void put_field(struct wire *set, struct field_written field)
{
    size_t at = wire_begin(set, MESSAGE_FIELD);
    put_field_body(set, field);
    wire_end(set, at);
}

void put_extension_range(struct wire *set, uint32_t start, uint32_t end)
{
    size_t range = wire_begin(set, MESSAGE_EXTENSION_RANGE);
    wire_uint(set, 1, start);
    wire_uint(set, 2, end);
    wire_end(set, range);
}

void put_oneof(struct wire *set, const char *name)
{
    size_t oneof = wire_begin(set, MESSAGE_ONEOF);
    wire_text(set, ONEOF_NAME, name);
    wire_end(set, oneof);
}

void put_extension(struct wire *set, const char *extendee, struct field_written field)
{
    size_t at = wire_begin(set, FILE_EXTENSION);
    wire_text(set, FIELD_EXTENDEE, extendee);
    put_field_body(set, field);
    wire_end(set, at);
}

void put_enum(struct wire *set, const char *name, unsigned values, struct features_written features)
{
    size_t made = wire_begin(set, FILE_ENUM);
    wire_text(set, ENUM_NAME, name);
    for (unsigned i = 0; i < values; i++) {
        char value_name[2] = {(char)('A' + i), '\0'};
        size_t value = wire_begin(set, ENUM_VALUE);
        wire_text(set, VALUE_NAME, value_name);
        wire_uint(set, VALUE_NUMBER, i);
        wire_end(set, value);
    }
    put_features(set, ENUM_OPTIONS, ENUM_OPTIONS_FEATURES, features);
    wire_end(set, made);
}
