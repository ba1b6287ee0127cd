#include "proto/message/decode.h"

#include <string.h>

#include "collector/base/wire.h"
#include "collector/text/compiler.h"
#include "collector/text/utf8.h"
#include "proto/message/decoder.h"
#include "proto/message/fast_path.h"

static ProtobufCMessage *new_message(struct decoder *decoder, const struct message_type *type)
{
    void *message = decoder_allocate(decoder, type->size);
    if (message != NULL)
        memcpy(message, type->prototype, type->size);
    return message;
}

/* --- decoding one value ----------------------------------------------------------------------- */

/* Reads a number of the field's wire type. Returns the position after it, or NULL. */
static inline const uint8_t *read_number(const struct field_type *field, const uint8_t *at,
                                         const uint8_t *end, uint64_t *bits)
{
    switch (field->wire_type) {
    case WIRE_VARINT:
        return wire_read_varint(at, end, bits);
    case WIRE_FIXED64:
        return wire_read_fixed64(at, end, bits);
    case WIRE_FIXED32:
        return wire_read_fixed32(at, end, bits);
    default:
        return NULL;
    }
}

static inline void store_number(const struct field_type *field, uint64_t bits, void *place)
{
    switch (field->kind) {
    case KIND_SINT32:
        bits = wire_unzigzag32((uint32_t)bits);
        break;
    case KIND_SINT64:
        bits = wire_unzigzag64(bits);
        break;
    case KIND_BOOL:
        bits = bits != 0;
        break;
    default:
        break;
    }
    if (field->size == 8) {
        memcpy(place, &bits, 8);
    } else {
        uint32_t half = (uint32_t)bits;
        memcpy(place, &half, 4);
    }
}

static inline bool is_allowed(const struct field_type *field, uint64_t bits)
{
    return !field->closed || enum_find(field->enumeration, (int32_t)(uint32_t)bits) != NULL;
}

/*
 * Marks the field as present and returns where to store its next value. The mark of a message field
 * is its pointer.
 */
static inline void *take_place(const struct message_type *type, const struct field_type *field,
                               ProtobufCMessage *message)
{
    char *base = (char *)message;
    switch (field->presence) {
    case PRESENCE_REPEATED: {
        char *list = *(char **)(void *)(base + field->offset);
        return list + (*field_count(field, message))++ * field->size;
    }
    case PRESENCE_ONEOF:
        *(uint32_t *)(void *)(base + field->quantifier) = field->number;
        break;
    case PRESENCE_FLAG:
        *(protobuf_c_boolean *)(void *)(base + field->quantifier) = 1;
        break;
    case PRESENCE_REQUIRED:
        required_words(type, message)[field->required / 64] |= UINT64_C(1) << field->required % 64;
        break;
    default:
        break;
    }
    return base + field->offset;
}

/* --- unknown fields --------------------------------------------------------------------------- */

/*
 * Appends an unknown field, for which decoder_make_room has reserved memory. Its data are the bytes
 * after the tag, from `from` to `to`.
 */
static void keep_unknown(struct decoder *decoder, ProtobufCMessage *message, uint32_t number,
                         uint32_t wire_type, const uint8_t *from, const uint8_t *to)
{
    ProtobufCMessageUnknownField *field = &message->unknown_fields[message->n_unknown_fields++];
    field->tag = number;
    field->wire_type = (ProtobufCWireType)wire_type;
    field->data = (uint8_t *)(uintptr_t)from;
    field->len = (size_t)(to - from);
    decoder->unknown_fields++;
}

/* --- fields ----------------------------------------------------------------------------------- */

static const uint8_t *parse(struct decoder *decoder, const struct message_type *type,
                            ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                            struct scope scope);

static const uint8_t *parse_number(struct decoder *decoder, const struct message_type *type,
                                   const struct field_type *field, ProtobufCMessage *message,
                                   const uint8_t *at, const uint8_t *end)
{
    uint64_t bits = 0;
    const uint8_t *next = read_number(field, at, end, &bits);
    if (next == NULL)
        return decoder_fail_value(decoder, at, end, field->wire_type);
    if (is_allowed(field, bits))
        store_number(field, bits, take_place(type, field, message));
    else
        keep_unknown(decoder, message, field->number, WIRE_VARINT, at, next);
    return next;
}

static const uint8_t *parse_text(struct decoder *decoder, const struct message_type *type,
                                 const struct field_type *field, ProtobufCMessage *message,
                                 const uint8_t *at, const uint8_t *end)
{
    size_t length = 0;
    const uint8_t *bytes = wire_read_length(at, end, &length);
    if (bytes == NULL || (field->utf8 && !utf8_valid(bytes, length)))
        return decoder_fail_text(decoder, at, end);
    ProtobufCBinaryData *text = take_place(type, field, message);
    text->len = length;
    text->data = (uint8_t *)(uintptr_t)bytes;
    return bytes + length;
}

/* Not inlined into `parse`, which would then need more stack at each level of nesting. */
static NEVER_INLINE const uint8_t *parse_packed(struct decoder *decoder,
                                                const struct message_type *type,
                                                const struct field_type *field,
                                                ProtobufCMessage *message, const uint8_t *at,
                                                const uint8_t *end)
{
    size_t length = 0;
    const uint8_t *numbers = wire_read_length(at, end, &length);
    if (numbers == NULL)
        return decoder_fail_value(decoder, at, end, WIRE_LENGTH);
    at = numbers;
    end = at + length;
    while (at != end) {
        at = parse_number(decoder, type, field, message, at, end);
        if (at == NULL)
            return NULL;
    }
    return at;
}

/*
 * Returns the field's earlier message, into which the next one is merged. Returns NULL if there is
 * none, or if the field is repeated.
 */
static ProtobufCMessage *earlier(const struct field_type *field, const ProtobufCMessage *message)
{
    if (field->presence == PRESENCE_REPEATED || !field_is_present(field, message))
        return NULL;
    return *(ProtobufCMessage *const *)field_value(field, message);
}

/*
 * Decodes the value of a message or group field, up to `end`. `scope` is that of the value. Returns
 * the position after the value.
 */
static const uint8_t *parse_child(struct decoder *decoder, const struct message_type *type,
                                  const struct field_type *field, ProtobufCMessage *message,
                                  const uint8_t *at, const uint8_t *end, struct scope scope)
{
    ProtobufCMessage *child = earlier(field, message);
    if (child != NULL) {
        const ProtobufCMessage *before = decoder_begin_merge(decoder, field->message, child);
        if (before == NULL)
            return NULL;
        at = parse(decoder, field->message, child, at, end, scope);
        if (at == NULL || !decoder_end_merge(decoder, field->message, child, before))
            return NULL;
        return at;
    }
    child = new_message(decoder, field->message);
    if (child == NULL)
        return NULL;
    *(ProtobufCMessage **)take_place(type, field, message) = child;
    return parse(decoder, field->message, child, at, end, scope);
}

/* Gives a map entry that lacks its message value an empty message. */
static bool complete_entry(struct decoder *decoder, ProtobufCMessage *entry,
                           const struct message_type *type)
{
    const struct field_type *value = &type->fields[1];
    if (value->message == NULL || *(void *const *)field_value(value, entry) != NULL)
        return true;
    ProtobufCMessage *empty = new_message(decoder, value->message);
    if (empty == NULL)
        return false;
    decoder->incomplete = decoder->incomplete || value->message->required_count != 0;
    *(ProtobufCMessage **)field_place(value, entry) = empty;
    return true;
}

/*
 * Completes the last entry of a map; `from` and `to` delimit its bytes. If the entry's value is an
 * unknown value of a closed enum, the whole entry becomes an unknown field.
 */
static bool end_entry(struct decoder *decoder, const struct field_type *map,
                      ProtobufCMessage *message, const uint8_t *from, const uint8_t *to)
{
    ProtobufCMessage *const *list = *(ProtobufCMessage *const *const *)field_value(map, message);
    size_t *count = field_count(map, message);
    ProtobufCMessage *entry = list[*count - 1];
    if (!complete_entry(decoder, entry, map->message))
        return false;
    if (!map->closed_values)
        return true;
    const struct field_type *value = &map->message->fields[1];
    int32_t number = *(const int32_t *)field_value(value, entry);
    if (enum_find(value->enumeration, number) != NULL)
        return true;
    decoder->unknown_fields -= entry->n_unknown_fields;
    --*count;
    keep_unknown(decoder, message, map->number, WIRE_LENGTH, from, to);
    return true;
}

static const uint8_t *parse_message(struct decoder *decoder, const struct message_type *type,
                                    const struct field_type *field, ProtobufCMessage *message,
                                    const uint8_t *at, const uint8_t *end, uint32_t levels)
{
    if (levels == 0)
        return decoder_fail(decoder, CAUSE_TOO_DEEP, NULL);
    struct scope scope = {.levels = levels - 1};
    if (field->kind == KIND_GROUP) {
        scope.group = field->number;
        return parse_child(decoder, type, field, message, at, end, scope);
    }
    size_t length = 0;
    const uint8_t *body = wire_read_length(at, end, &length);
    if (body == NULL)
        return decoder_fail_value(decoder, at, end, WIRE_LENGTH);
    const uint8_t *next = parse_child(decoder, type, field, message, body, body + length, scope);
    if (next != NULL && field->map && !end_entry(decoder, field, message, at, next))
        return NULL;
    return next;
}

/* --- message sets ----------------------------------------------------------------------------- */

/* The state of reading an item. If its number or its message occurs again, the first one counts. */
struct item {
    const struct message_type *set;
    ProtobufCMessage *message; /* the message set itself */
    uint32_t levels;           /* levels that may open inside the item */
    bool has_id;
    bool done;
    uint32_t id;
    const uint8_t *early; /* the length of a message that came before the number, or NULL */
};

/* Decodes the message of an item; `at` is the position of its length. */
static const uint8_t *parse_item_message(struct decoder *decoder, struct item *item,
                                         const uint8_t *at, const uint8_t *end, uint32_t levels)
{
    const struct field_type *field = message_type_find(item->set, item->id);
    item->done = true;
    const uint8_t *next;
    if (field != NULL) {
        next = parse_message(decoder, item->set, field, item->message, at, end, levels);
        return next != NULL ? next : decoder_fail_within(decoder, item->set, item->id, at);
    }
    if (item->id == 0)
        return decoder_fail(decoder, CAUSE_FIELD_ZERO, at);
    next = wire_skip(at, end, WIRE_LENGTH);
    if (next == NULL)
        return decoder_fail_value(decoder, at, end, WIRE_LENGTH);
    keep_unknown(decoder, item->message, item->id, WIRE_LENGTH, at, next);
    return next;
}

/*
 * Reads the number of an item. A message that came before it may nest one level deeper than one
 * after it, as in protobuf's C++ code.
 */
static const uint8_t *parse_item_id(struct decoder *decoder, struct item *item, const uint8_t *at,
                                    const uint8_t *end)
{
    uint64_t id = 0;
    const uint8_t *next = wire_read_varint(at, end, &id);
    if (next == NULL)
        return decoder_fail_value(decoder, at, end, WIRE_VARINT);
    if (item->has_id)
        return next;
    item->id = (uint32_t)id;
    item->has_id = true;
    if (item->early != NULL &&
        parse_item_message(decoder, item, item->early, end, item->levels + 1) == NULL)
        return NULL;
    return next;
}

/*
 * Reads a field of an item. `first` is the first byte of its tag, and `at` the position after the
 * tag.
 */
static const uint8_t *parse_item_field(struct decoder *decoder, struct item *item, uint8_t first,
                                       uint32_t tag, const uint8_t *at, const uint8_t *end)
{
    /*
     * As in protobuf's C++ code, only the one-byte encoding of these tags is recognised. Longer
     * encodings of the same tags are unknown fields.
     */
    if (first == WIRE_TAG(WIRE_ITEM_ID, WIRE_VARINT))
        return parse_item_id(decoder, item, at, end);
    if (first == WIRE_TAG(WIRE_ITEM_MESSAGE, WIRE_LENGTH)) {
        if (item->has_id && !item->done)
            return parse_item_message(decoder, item, at, end, item->levels);
        if (item->early == NULL)
            item->early = at;
    }
    return decoder_skip(decoder, at, end, tag, item->levels);
}

/*
 * Parses an item of a message set; `at` is after its start tag. Ignores an item without a number or
 * a message, and all other fields in it.
 */
static const uint8_t *parse_item(struct decoder *decoder, const struct message_type *set,
                                 ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                                 uint32_t levels)
{
    if (levels == 0)
        return decoder_fail(decoder, CAUSE_TOO_DEEP, NULL);
    struct item item = {.set = set, .message = message, .levels = levels - 1};
    while (at != NULL) {
        uint32_t tag = 0;
        const uint8_t *value = wire_read_tag(at, end, &tag);
        if (value == NULL || tag >> 3 == 0)
            return decoder_fail_tag(decoder, at, end);
        if (tag == WIRE_TAG(WIRE_ITEM, WIRE_GROUP_END))
            return value;
        at = parse_item_field(decoder, &item, *at, tag, value, end);
    }
    return NULL;
}

/* --- messages --------------------------------------------------------------------------------- */

static bool end_message(struct decoder *decoder, const struct message_type *type,
                        ProtobufCMessage *message)
{
    for (size_t i = 0; type->has_maps && i < type->repeated_count; i++) {
        const struct field_type *field = &type->fields[type->repeated[i]];
        if (field->map && !decoder_keep_last_entries(decoder, field, message))
            return false;
    }
    if (!has_required(type, message))
        decoder->incomplete = true;
    return true;
}

/* Keeps a field that the type lacks as an unknown field, unless it is an item of a message set. */
static const uint8_t *parse_unknown(struct decoder *decoder, const struct message_type *type,
                                    ProtobufCMessage *message, const uint8_t *at,
                                    const uint8_t *end, uint32_t tag, uint32_t levels)
{
    if (type->message_set && tag == WIRE_TAG(WIRE_ITEM, WIRE_GROUP_START))
        return parse_item(decoder, type, message, at, end, levels);
    const uint8_t *next = decoder_skip(decoder, at, end, tag, levels);
    if (next != NULL)
        keep_unknown(decoder, message, tag >> 3, tag & 7, at, next);
    return next;
}

static inline const uint8_t *parse_field(struct decoder *decoder, const struct message_type *type,
                                         const struct field_type *field, ProtobufCMessage *message,
                                         const uint8_t *at, const uint8_t *end, uint32_t levels)
{
    switch (field->kind) {
    case KIND_MESSAGE:
    case KIND_GROUP:
        return parse_message(decoder, type, field, message, at, end, levels);
    case KIND_STRING:
    case KIND_BYTES:
        return parse_text(decoder, type, field, message, at, end);
    default:
        return parse_number(decoder, type, field, message, at, end);
    }
}

/*
 * Decodes the fields from `at` to `end`, or to the end tag of a group, into a message with empty
 * lists. Returns the position after them, or NULL.
 */
static const uint8_t *parse(struct decoder *decoder, const struct message_type *type,
                            ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                            struct scope scope)
{
    bool has_room = false;
    while (at != end) {
        uint32_t tag = 0;
        const uint8_t *value = wire_read_tag(at, end, &tag);
        if (value == NULL || tag >> 3 == 0)
            return decoder_fail_tag(decoder, at, end);
        uint32_t wire_type = tag & 7;
        if (wire_type == WIRE_GROUP_END) {
            if (tag >> 3 != scope.group)
                return decoder_fail_tag(decoder, at, end);
            return end_message(decoder, type, message) ? value : NULL;
        }
        const struct field_type *field = message_type_find(type, tag >> 3);
        enum field_form form = form_of(field, wire_type);
        bool listed = form == FORM_UNKNOWN || field->presence == PRESENCE_REPEATED || field->closed;
        if (listed && !has_room) {
            if (!decoder_make_room(decoder, type, message, at, end, scope))
                return decoder_fail_within(decoder, type, tag >> 3, at);
            has_room = true;
        }
        const uint8_t *next = NULL;
        switch (form) {
        case FORM_SINGLE:
            next = parse_field(decoder, type, field, message, value, end, scope.levels);
            break;
        case FORM_PACKED:
            next = parse_packed(decoder, type, field, message, value, end);
            break;
        case FORM_UNKNOWN:
            next = parse_unknown(decoder, type, message, value, end, tag, scope.levels);
            break;
        }
        if (next == NULL)
            return decoder_fail_within(decoder, type, tag >> 3, at);
        at = next;
    }
    if (scope.group != 0)
        return decoder_fail_tag(decoder, at, end);
    return end_message(decoder, type, message) ? at : NULL;
}

enum decode_result message_decode_any(const struct message_type *type, const uint8_t *data,
                                      size_t size, unsigned levels, struct arena *arena,
                                      struct decoded *out)
{
    static const uint8_t nothing[1];
    struct decoder decoder; /* not set here: `groups`, which is written before it is read */
    decoder.arena = arena;
    decoder.unknown_fields = 0;
    decoder.incomplete = false;
    size_t start = arena->used;
    const uint8_t *at = size == 0 ? nothing : data;
    ProtobufCMessage *message = new_message(&decoder, type);
    if (message != NULL &&
        parse(&decoder, type, message, at, at + size, (struct scope){.levels = levels}) != NULL &&
        (!decoder.incomplete || decoder_is_complete(&decoder, type, message, at + size))) {
        out->message = message;
        out->unknown_fields = decoder.unknown_fields;
        out->series_repeated = 0;
        return DECODE_OK;
    }
    arena->used = start;
    out->message = NULL;
    out->unknown_fields = 0;
    out->series_repeated = 0;
    return decoder_tell_failure(&decoder, at, out);
}

enum decode_result message_decode(const struct message_type *type, const uint8_t *data, size_t size,
                                  unsigned levels, struct arena *arena, struct decoded *out)
{
    enum plain_result plain =
        type->plain ? plain_decode(type, data, size, levels, arena, out) : PLAIN_GIVEN_UP;
    if (plain == PLAIN_DECODED)
        return DECODE_OK;
    if (plain == PLAIN_NO_ROOM && arena->retried) {
        arena->exhausted = true;
        return decoded_no_room(out);
    }
    return message_decode_any(type, data, size, levels, arena, out);
}
