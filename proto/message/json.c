#include "proto/message/json_walk.h"

#include <string.h>

#include "collector/base/wire.h"
#include "collector/text/json_writer.h"

/* --- values ----------------------------------------------------------------------------------- */

static void write_enum(struct json_walk *walk, const struct field_type *field, int32_t number)
{
    const ProtobufCEnumValue *named = enum_find(field->enumeration, number);
    if (field->null_value) /* for any number, like other implementations */
        json_null(walk->out);
    else if (named != NULL)
        json_string(walk->out, named->name, strlen(named->name));
    else
        json_int64(walk->out, number);
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

static void write_bytes(struct json_walk *walk, const struct field_type *field,
                        const ProtobufCBinaryData *bytes)
{
    if (field->kind == KIND_STRING)
        json_string(walk->out, bytes->data, bytes->len);
    else if (field->hex)
        json_hex(walk->out, bytes->data, bytes->len);
    else
        json_base64(walk->out, bytes->data, bytes->len);
}

void json_write_value(struct json_walk *walk, const struct field_type *field, const void *at)
{
    struct output *out = walk->out;
    switch (field->kind) {
    case KIND_INT32:
    case KIND_SINT32:
    case KIND_SFIXED32:
        json_int64(out, *(const int32_t *)at);
        break;
    case KIND_UINT32:
    case KIND_FIXED32:
        json_uint64(out, *(const uint32_t *)at);
        break;
    case KIND_INT64:
    case KIND_SINT64:
    case KIND_SFIXED64:
        write_int64(walk, *(const int64_t *)at);
        break;
    case KIND_UINT64:
    case KIND_FIXED64:
        write_uint64(walk, *(const uint64_t *)at);
        break;
    case KIND_FLOAT:
        json_float(out, *(const float *)at);
        break;
    case KIND_DOUBLE:
        json_double(out, *(const double *)at);
        break;
    case KIND_BOOL:
        json_bool(out, *(const protobuf_c_boolean *)at != 0);
        break;
    case KIND_ENUM:
        write_enum(walk, field, *(const int32_t *)at);
        break;
    case KIND_STRING:
    case KIND_BYTES:
        write_bytes(walk, field, at);
        break;
    default:
        walk->level++;
        json_write_message(walk, field->message, *(const ProtobufCMessage *const *)at);
        walk->level--;
        break;
    }
}

/* --- fields ----------------------------------------------------------------------------------- */

static void write_key(const struct json_walk *walk, const struct field_type *field)
{
    if (walk->style->proto_names)
        json_raw_key(walk->out, field->proto_key, field->proto_key_size);
    else
        json_raw_key(walk->out, field->json_key, field->json_key_size);
}

/* Writes a map's key, which is a string in JSON. */
static void write_map_key(struct json_walk *walk, const struct field_type *field, const void *at)
{
    switch (field->kind) {
    case KIND_STRING:
        json_string(walk->out, ((const ProtobufCBinaryData *)at)->data,
                    ((const ProtobufCBinaryData *)at)->len);
        break;
    case KIND_BOOL:
        if (*(const protobuf_c_boolean *)at != 0)
            json_string(walk->out, "true", 4);
        else
            json_string(walk->out, "false", 5);
        break;
    case KIND_INT32:
    case KIND_SINT32:
    case KIND_SFIXED32:
        json_int64_string(walk->out, *(const int32_t *)at);
        break;
    case KIND_UINT32:
    case KIND_FIXED32:
        json_uint64_string(walk->out, *(const uint32_t *)at);
        break;
    case KIND_UINT64:
    case KIND_FIXED64:
        json_uint64_string(walk->out, *(const uint64_t *)at);
        break;
    default:
        json_int64_string(walk->out, *(const int64_t *)at);
        break;
    }
    output_char(walk->out, ':');
}

void json_write_map(struct json_walk *walk, const struct field_type *field,
                    const ProtobufCMessage *message)
{
    const struct field_type *key = &field->message->fields[0];
    const struct field_type *value = &field->message->fields[1];
    const ProtobufCMessage *const *entries =
        *(const ProtobufCMessage *const *const *)field_value(field, message);
    size_t count = field_elements(field, message);
    walk->level++;
    json_object_begin(walk->out);
    for (size_t i = 0; i < count && !walk->out->overflow; i++) {
        write_map_key(walk, key, field_value(key, entries[i]));
        json_write_value(walk, value, field_value(value, entries[i]));
    }
    json_object_end(walk->out);
    walk->level--;
}

void json_write_list(struct json_walk *walk, const struct field_type *field,
                     const ProtobufCMessage *message)
{
    const char *list = *(const char *const *)field_value(field, message);
    size_t count = field_elements(field, message);
    json_array_begin(walk->out);
    for (size_t i = 0; i < count && !walk->out->overflow; i++)
        json_write_value(walk, field, list + i * field->size);
    json_array_end(walk->out);
}

/* --- unknown fields --------------------------------------------------------------------------- */

static void write_unknown(struct json_walk *walk, const ProtobufCMessageUnknownField *field)
{
    struct output *out = walk->out;
    const uint8_t *end = field->data + field->len;
    const uint8_t *body;
    uint64_t number = 0;
    size_t length = 0;
    json_object_begin(out);
    json_key_literal(out, "number");
    json_uint64(out, field->tag);
    switch ((unsigned)field->wire_type) {
    case WIRE_VARINT:
        json_key_literal(out, "varint");
        wire_read_varint(field->data, end, &number);
        write_uint64(walk, number);
        break;
    case WIRE_FIXED64:
        json_key_literal(out, "fixed64");
        wire_read_fixed64(field->data, end, &number);
        write_uint64(walk, number);
        break;
    case WIRE_FIXED32:
        json_key_literal(out, "fixed32");
        wire_read_fixed32(field->data, end, &number);
        json_uint64(out, number);
        break;
    case WIRE_LENGTH:
        json_key_literal(out, "bytes");
        body = wire_read_length(field->data, end, &length);
        json_base64(out, body, body == NULL ? 0 : length);
        break;
    default:
        json_key_literal(out, "group");
        json_base64(out, field->data, field->len);
        break;
    }
    json_object_end(out);
}

static void write_all_unknown(struct json_walk *walk, const ProtobufCMessage *message)
{
    json_key_literal(walk->out, "@unknown");
    json_array_begin(walk->out);
    for (size_t i = 0; i < message->n_unknown_fields && !walk->out->overflow; i++)
        write_unknown(walk, &message->unknown_fields[i]);
    json_array_end(walk->out);
}

/* --- messages --------------------------------------------------------------------------------- */

void json_write_fields(struct json_walk *walk, const struct message_type *type,
                       const ProtobufCMessage *message)
{
    for (size_t i = 0; i < type->field_count && !walk->out->overflow; i++) {
        const struct field_type *field = &type->fields[i];
        if (!field_is_present(field, message))
            continue;
        write_key(walk, field);
        if (field->map)
            json_write_map(walk, field, message);
        else if (field->presence == PRESENCE_REPEATED)
            json_write_list(walk, field, message);
        else
            json_write_value(walk, field, field_value(field, message));
    }
    if (walk->style->show_unknown && message->n_unknown_fields != 0)
        write_all_unknown(walk, message);
}

/* The recursion is as deep as messages are nested, which the decoder has limited. */
void json_write_message(struct json_walk *walk, const struct message_type *type,
                        const ProtobufCMessage *message)
{
    if (type->well_known != WELL_KNOWN_NOT) {
        struct output before = *walk->out;
        if (walk->write_well_known(walk, type, message) || walk->out->overflow)
            return;
        walk->out->used = before.used;
        walk->fallbacks++;
    }
    json_object_begin(walk->out);
    json_write_fields(walk, type, message);
    json_object_end(walk->out);
}
