/* Writes the JSON forms of google.protobuf's own types (protobuf.dev, "ProtoJSON Format"). */
#include <math.h>
#include <string.h>

#include "collector/text/json_writer.h"
#include "proto/message/decode.h"
#include "proto/message/json.h"
#include "proto/message/json_walk.h"
#include "proto/types/type_set.h"

#define TIMESTAMP_FIRST INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define TIMESTAMP_LAST  INT64_C(253402300799) /* 9999-12-31T23:59:59Z */
#define DURATION_MOST   INT64_C(315576000000) /* seconds, of either sign */
#define NANOS_MOST      999999999

/* --- times ------------------------------------------------------------------------------------ */

static void read_time(const struct message_type *type, const ProtobufCMessage *message,
                      int64_t *seconds, int32_t *nanos)
{
    *seconds = *(const int64_t *)field_value(&type->fields[0], message);
    *nanos = *(const int32_t *)field_value(&type->fields[1], message);
}

static bool write_timestamp(struct json_walk *walk, const struct message_type *type,
                            const ProtobufCMessage *message)
{
    int64_t seconds;
    int32_t nanos;
    read_time(type, message, &seconds, &nanos);
    if (seconds < TIMESTAMP_FIRST || seconds > TIMESTAMP_LAST || nanos < 0 || nanos > NANOS_MOST)
        return false;
    json_timestamp(walk->out, seconds, (uint32_t)nanos);
    return true;
}

static bool write_duration(struct json_walk *walk, const struct message_type *type,
                           const ProtobufCMessage *message)
{
    int64_t seconds;
    int32_t nanos;
    read_time(type, message, &seconds, &nanos);
    if (seconds < -DURATION_MOST || seconds > DURATION_MOST || nanos < -NANOS_MOST ||
        nanos > NANOS_MOST || (seconds < 0 && nanos > 0) || (seconds > 0 && nanos < 0))
        return false;
    bool negative = seconds < 0 || nanos < 0;
    json_duration(walk->out, negative, (uint64_t)(negative ? -seconds : seconds),
                  (uint32_t)(nanos < 0 ? -nanos : nanos));
    return true;
}

/* --- field masks ------------------------------------------------------------------------------ */

/*
 * Appends a path in lowerCamelCase. Returns false if that cannot be converted back to snake_case.
 */
static bool put_path(struct output *out, const ProtobufCBinaryData *path)
{
    bool raise = false;
    for (size_t i = 0; i < path->len; i++) {
        char c = (char)path->data[i];
        bool lower = c >= 'a' && c <= 'z';
        if ((c >= 'A' && c <= 'Z') || c == ',' || (raise && !lower))
            return false;
        if (c != '_')
            output_char(out, raise ? (char)(c - 'a' + 'A') : c);
        raise = c == '_';
    }
    return !raise;
}

static bool write_field_mask(struct json_walk *walk, const struct message_type *type,
                             const ProtobufCMessage *message)
{
    const struct field_type *field = &type->fields[0];
    const ProtobufCBinaryData *paths =
        *(const ProtobufCBinaryData *const *)field_value(field, message);
    size_t count = field_elements(field, message);
    size_t size = count;
    for (size_t i = 0; i < count; i++)
        size += paths[i].len;
    if (walk->scratch == NULL)
        return false;
    size_t used = walk->scratch->used;
    struct output joined = {.data = arena_allocate(walk->scratch, size), .capacity = size};
    bool good = joined.data != NULL;
    for (size_t i = 0; good && i < count; i++) {
        if (i != 0)
            output_char(&joined, ',');
        good = put_path(&joined, &paths[i]);
    }
    if (good)
        json_string(walk->out, joined.data, joined.used);
    walk->scratch->used = used;
    return good;
}

/* --- Struct, Value, ListValue, wrappers ------------------------------------------------------- */

static const struct field_type *set_member(const struct message_type *type,
                                           const ProtobufCMessage *message)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (field_is_present(&type->fields[i], message))
            return &type->fields[i];
    return NULL;
}

static bool write_kind_of_value(struct json_walk *walk, const struct message_type *type,
                                const ProtobufCMessage *message)
{
    const struct field_type *field = set_member(type, message);
    if (field == NULL || field->kind == KIND_ENUM) {
        json_null(walk->out);
        return true;
    }
    const void *at = field_value(field, message);
    if (field->kind == KIND_DOUBLE && !isfinite(*(const double *)at))
        return false;
    json_write_value(walk, field, at);
    return true;
}

/* --- Any -------------------------------------------------------------------------------------- */

static const struct message_type *type_of_url(const struct type_set *set, ProtobufCBinaryData url)
{
    size_t at = url.len;
    while (at > 0 && url.data[at - 1] != '/')
        at--;
    if (url.len == 0)
        return NULL;
    return type_set_find(set, (const char *)url.data + at, url.len - at);
}

static void write_content(struct json_walk *walk, const struct message_type *type,
                          const ProtobufCMessage *content)
{
    if (type->well_known == WELL_KNOWN_NOT) {
        json_write_fields(walk, type, content);
        return;
    }
    json_key_literal(walk->out, "value");
    json_write_message(walk, type, content);
}

/*
 * Decodes the bytes of an Any as `type`. The content stays in the scratch arena until write_any
 * returns.
 */
static bool decode_content(struct json_walk *walk, const struct message_type *type,
                           ProtobufCBinaryData bytes, struct decoded *content)
{
    if (walk->scratch == NULL || walk->level >= SCHEMA_MAX_DEPTH)
        return false;
    return message_decode(type, bytes.data, bytes.len, SCHEMA_MAX_DEPTH - walk->level - 1,
                          walk->scratch, content) == DECODE_OK;
}

static bool write_any(struct json_walk *walk, const struct message_type *type,
                      const ProtobufCMessage *message)
{
    ProtobufCBinaryData url = *(const ProtobufCBinaryData *)field_value(&type->fields[0], message);
    ProtobufCBinaryData bytes =
        *(const ProtobufCBinaryData *)field_value(&type->fields[1], message);
    json_object_begin(walk->out);
    if (url.len == 0 && bytes.len == 0) {
        json_object_end(walk->out);
        return true;
    }
    json_key_literal(walk->out, "@type");
    json_string(walk->out, url.data, url.len);
    const struct message_type *found = type_of_url(type->set, url);
    size_t used = walk->scratch == NULL ? 0 : walk->scratch->used;
    struct decoded content;
    if (found != NULL && !found->map_entry && decode_content(walk, found, bytes, &content)) {
        walk->level++;
        write_content(walk, found, content.message);
        walk->level--;
        walk->scratch->used = used;
    } else {
        json_key_literal(walk->out, "value");
        json_base64(walk->out, bytes.data, bytes.len);
        walk->fallbacks++;
    }
    json_object_end(walk->out);
    return true;
}

/*
 * --- any well-known type -----------------------------------------------------------------------
 */

static bool write_well_known(struct json_walk *walk, const struct message_type *type,
                             const ProtobufCMessage *message)
{
    switch (type->well_known) {
    case WELL_KNOWN_ANY:
        return write_any(walk, type, message);
    case WELL_KNOWN_DURATION:
        return write_duration(walk, type, message);
    case WELL_KNOWN_FIELD_MASK:
        return write_field_mask(walk, type, message);
    case WELL_KNOWN_LIST_VALUE:
        json_write_list(walk, &type->fields[0], message);
        return true;
    case WELL_KNOWN_STRUCT:
        json_write_map(walk, &type->fields[0], message);
        return true;
    case WELL_KNOWN_TIMESTAMP:
        return write_timestamp(walk, type, message);
    case WELL_KNOWN_VALUE:
        return write_kind_of_value(walk, type, message);
    case WELL_KNOWN_WRAPPER:
        json_write_value(walk, &type->fields[0], field_value(&type->fields[0], message));
        return true;
    case WELL_KNOWN_NOT:
        break;
    }
    return false;
}

size_t message_write_json(const struct message_type *type, const ProtobufCMessage *message,
                          const struct json_style *style, struct arena *scratch, struct output *out)
{
    struct json_walk walk = {
        .out = out, .style = style, .scratch = scratch, .write_well_known = write_well_known};
    json_write_message(&walk, type, message);
    return walk.fallbacks;
}
