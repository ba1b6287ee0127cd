/* The protobuf JSON mapping (protobuf.dev, "ProtoJSON Format") over protobuf-c's structures. */
#include <string.h>

#include "collector/text/json_writer.h"
#include "proto/message_type.h"

struct json_walk {
    struct output *out;
    const struct json_style *style;
};

static void write_message(const struct json_walk *walk, const struct message_type *type,
                          const ProtobufCMessage *message);

static void write_enum(struct output *out, const ProtobufCEnumDescriptor *type, int value)
{
    const ProtobufCEnumValue *named = protobuf_c_enum_descriptor_get_value(type, value);
    if (named != NULL)
        json_string(out, named->name, strlen(named->name));
    else
        json_int64(out, value);
}

static void write_int64(const struct json_walk *walk, int64_t value)
{
    if (walk->style->int64_numbers)
        json_int64(walk->out, value);
    else
        json_int64_string(walk->out, value);
}

static void write_uint64(const struct json_walk *walk, uint64_t value)
{
    if (walk->style->int64_numbers)
        json_uint64(walk->out, value);
    else
        json_uint64_string(walk->out, value);
}

/* One value of the field's type, at `at`. */
static void write_value(const struct json_walk *walk, const struct field_type *field,
                        const void *at)
{
    struct output *out = walk->out;
    switch (field->descriptor->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        json_int64(out, *(const int32_t *)at);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        json_uint64(out, *(const uint32_t *)at);
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        write_int64(walk, *(const int64_t *)at);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        write_uint64(walk, *(const uint64_t *)at);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        json_float(out, *(const float *)at);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        json_double(out, *(const double *)at);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        json_bool(out, *(const protobuf_c_boolean *)at != 0);
        break;
    case PROTOBUF_C_TYPE_ENUM:
        write_enum(out, field->descriptor->descriptor, *(const int *)at);
        break;
    case PROTOBUF_C_TYPE_STRING: {
        const char *text = *(const char *const *)at;
        json_string(out, text, strlen(text));
        break;
    }
    case PROTOBUF_C_TYPE_BYTES: {
        const ProtobufCBinaryData *text = at;
        json_string(out, text->data, text->len);
        break;
    }
    case PROTOBUF_C_TYPE_MESSAGE:
        write_message(walk, field->message, *(const ProtobufCMessage *const *)at);
        break;
    }
}

static size_t value_size(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_ENUM:
        return 4;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        break;
    }
    return sizeof(void *);
}

static bool all_zero(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++)
        if (at[i] != 0)
            return false;
    return true;
}

/* Whether a field that occurs at most once is there, or, without presence, is not its default. */
static bool is_present(const ProtobufCFieldDescriptor *field, const char *base)
{
    const void *at = base + field->offset;
    const void *quantifier = base + field->quantifier_offset;
    if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
        return *(const uint32_t *)quantifier == field->id;
    if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        return true;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE || field->type == PROTOBUF_C_TYPE_STRING)
        return *(const void *const *)at != NULL;
    if (field->label == PROTOBUF_C_LABEL_OPTIONAL)
        return *(const protobuf_c_boolean *)quantifier != 0;
    if (field->type == PROTOBUF_C_TYPE_BYTES)
        return ((const ProtobufCBinaryData *)at)->len != 0;
    return !all_zero(at, value_size(field->type)); /* -0.0 is not the default */
}

static void write_key(const struct json_walk *walk, const struct field_type *field)
{
    if (walk->style->proto_names)
        json_raw_key(walk->out, field->proto_key, field->proto_key_size);
    else
        json_raw_key(walk->out, field->json_key, field->json_key_size);
}

static void write_repeated(const struct json_walk *walk, const struct field_type *field,
                           const char *base)
{
    const ProtobufCFieldDescriptor *descriptor = field->descriptor;
    size_t count = *(const size_t *)(const void *)(base + descriptor->quantifier_offset);
    if (count == 0)
        return;
    const char *list = *(const char *const *)(const void *)(base + descriptor->offset);
    size_t step = value_size(descriptor->type);
    write_key(walk, field);
    json_array_begin(walk->out);
    for (size_t i = 0; i < count; i++)
        write_value(walk, field, list + i * step);
    json_array_end(walk->out);
}

static void write_message(const struct json_walk *walk, const struct message_type *type,
                          const ProtobufCMessage *message)
{
    const char *base = (const char *)message;
    json_object_begin(walk->out);
    for (unsigned i = 0; i < type->descriptor->n_fields; i++) {
        const struct field_type *field = &type->fields[i];
        if (field->descriptor->label == PROTOBUF_C_LABEL_REPEATED) {
            write_repeated(walk, field, base);
        } else if (is_present(field->descriptor, base)) {
            write_key(walk, field);
            write_value(walk, field, base + field->descriptor->offset);
        }
    }
    json_object_end(walk->out);
}

void message_write_json(const struct message_type *type, const ProtobufCMessage *message,
                        const struct json_style *style, struct output *out)
{
    struct json_walk walk = {out, style};
    write_message(&walk, type, message);
}

void message_write_protobuf(const ProtobufCMessage *message, struct output *out)
{
    char *at = output_reserve(out, protobuf_c_message_get_packed_size(message));
    if (at != NULL)
        protobuf_c_message_pack(message, (uint8_t *)at);
}
