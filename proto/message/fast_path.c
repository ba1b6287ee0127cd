#include "proto/message/fast_path.h"

#include <string.h>

#include "collector/base/wire.h"
#include "collector/text/compiler.h"
#include "collector/text/utf8.h"
#include "proto/message/decoder.h"
#include "proto/message/fast_numbers.h"

/* The free part of the arena. Blocks are aligned as by arena_allocate. */
struct room {
    uint8_t *next;
    uint8_t *end;
    size_t unknown_fields; /* in all messages so far */
    unsigned levels;       /* levels that may still open */
    bool full;             /* a block did not fit */
};

static void *no_room(struct room *room)
{
    room->full = true;
    return NULL;
}

static inline void *allocate(struct room *room, size_t size)
{
    size_t rounded = (size + (ARENA_ALIGNMENT - 1)) & ~(size_t)(ARENA_ALIGNMENT - 1);
    if (rounded > (size_t)(room->end - room->next))
        return no_room(room);
    void *block = room->next;
    room->next += rounded;
    return block;
}

/* Returns true if a message of this size fits at `next`, and a further piece of its prototype. */
static inline bool has_room(const struct room *room, const void *next, size_t size)
{
    return (size_t)(room->end - (const uint8_t *)next) >= size + PROTOTYPE_PIECE;
}

/*
 * Returns an empty message, a copy of the type's prototype. It is copied in pieces of fixed size,
 * and the last piece may extend into the free room after the message. Returns NULL if that does not
 * fit; decoding would soon fail anyway.
 */
static inline ProtobufCMessage *new_message(struct room *room, const struct message_type *type)
{
    size_t size = type->size;
    if (!has_room(room, room->next, size))
        return no_room(room);
    char *message = (char *)room->next;
    const char *prototype = type->prototype;
    for (size_t at = 0; at < size; at += PROTOTYPE_PIECE)
        memcpy(message + at, prototype + at, PROTOTYPE_PIECE);
    room->next += size;
    return (ProtobufCMessage *)(void *)message;
}

static inline void put_text(void *place, const uint8_t *bytes, size_t size)
{
    ProtobufCBinaryData *text = place;
    text->len = size;
    text->data = (uint8_t *)(uintptr_t)bytes;
}

static ALWAYS_INLINE const uint8_t *parse_text(bool utf8, const uint8_t *at, const uint8_t *end,
                                               void *place)
{
    size_t length;
    at = wire_read_length(at, end, &length);
    if (at == NULL || (utf8 && !utf8_valid(at, length)))
        return NULL;
    put_text(place, at, length);
    return at + length;
}

/* --- messages --------------------------------------------------------------------------------- */

static const uint8_t *parse(struct room *room, const struct message_type *type,
                            ProtobufCMessage *message, const uint8_t *at, const uint8_t *end);

/* Decodes a message; `at` is the position of its length. */
static ALWAYS_INLINE const uint8_t *parse_message(struct room *room,
                                                  const struct message_type *type,
                                                  const uint8_t *at, const uint8_t *end,
                                                  ProtobufCMessage **place)
{
    size_t length;
    at = wire_read_length(at, end, &length);
    if (at == NULL || room->levels == 0)
        return NULL;
    ProtobufCMessage *message = new_message(room, type);
    if (message == NULL)
        return NULL;
    *place = message;
    room->levels--;
    at = parse(room, type, message, at, at + length);
    room->levels++;
    return at;
}

/* --- repeated fields -------------------------------------------------------------------------- */

/* Returns true if `at` begins with the tag at `tag`, followed by at least one byte. */
static inline bool is_again(const uint8_t *tag, size_t tag_size, const uint8_t *at,
                            const uint8_t *end)
{
    if ((size_t)(end - at) <= tag_size || *at != *tag)
        return false;
    return tag_size == 1 || memcmp(at, tag, tag_size) == 0;
}

/* Returns the number of consecutive elements from `tag` on; 0 if the bytes are invalid. */
static size_t count_elements(const uint8_t *tag, size_t tag_size, const uint8_t *end,
                             uint32_t wire_type)
{
    size_t count = 0;
    for (const uint8_t *at = tag; is_again(tag, tag_size, at, end); count++) {
        at = wire_skip(at + tag_size, end, wire_type);
        if (at == NULL)
            return 0;
    }
    return count;
}

/* Makes a field's list. Returns NULL if the field has a list already, or if there is no room. */
static inline void *make_list(struct room *room, const struct plain_step *step, char *message,
                              size_t count)
{
    size_t *counter = (size_t *)(void *)(message + step->mark);
    if (*counter != 0 || count == 0)
        return NULL;
    void *list = allocate(room, count * step->size);
    *counter = count;
    *(void **)(void *)(message + step->offset) = list;
    return list;
}

/*
 * Decodes consecutive elements that are messages. Until their number is known they are a linked
 * list: the descriptor of each points to the previous one.
 */
static ALWAYS_INLINE const uint8_t *parse_messages(struct room *room, const struct plain_step *step,
                                                   char *message, const uint8_t *tag,
                                                   size_t tag_size, const uint8_t *end)
{
    const uint8_t *at = tag;
    ProtobufCMessage *last = NULL;
    size_t count = 0;
    do {
        ProtobufCMessage *child;
        at = parse_message(room, step->message, at + tag_size, end, &child);
        if (at == NULL)
            return NULL;
        child->descriptor = (const void *)last;
        last = child;
        count++;
    } while (is_again(tag, tag_size, at, end));
    ProtobufCMessage **list = make_list(room, step, message, count);
    if (list == NULL)
        return NULL;
    while (count-- != 0) {
        list[count] = last;
        last = (ProtobufCMessage *)(uintptr_t)list[count]->descriptor;
        list[count]->descriptor = step->message->descriptor;
    }
    return at;
}

/*
 * Decodes a message of a pair type at once if it has both strings in order, and if its bytes are
 * ASCII (which the caller checks), so that each length has one byte. Returns false, without a
 * change, for any other message.
 */
static ALWAYS_INLINE bool parse_pair(const struct message_type *type, struct pair *pair,
                                     const uint8_t *at, size_t size)
{
    if (size < 4 || at[0] != type->pair_tags[0] || at[1] > size - 4)
        return false;
    size_t first = at[1];
    size_t second = size - 4 - first;
    const uint8_t *rest = at + 2 + first;
    if (rest[0] != type->pair_tags[1] || rest[1] != second)
        return false;
    pair->base.descriptor = type->descriptor;
    pair->base.n_unknown_fields = 0;
    pair->base.unknown_fields = NULL;
    put_text(&pair->text[0], at + 2, first);
    put_text(&pair->text[1], rest + 2, second);
    return true;
}

/*
 * Decodes consecutive elements of a pair type, with a tag of one byte, that are all as parse_pair
 * expects. Returns NULL, without a change, for any other elements.
 */
static ALWAYS_INLINE const uint8_t *parse_pairs(struct room *room, const struct plain_step *step,
                                                char *message, const uint8_t *tag,
                                                const uint8_t *end)
{
    struct pair *first = (struct pair *)(void *)room->next;
    struct pair *pair = first;
    const uint8_t *at = tag;
    while (is_again(tag, 1, at, end)) {
        size_t size = at[1];
        if (size > (size_t)(end - at) - 2 || !has_room(room, pair, sizeof *pair) ||
            !parse_pair(step->message, pair, at + 2, size))
            return NULL;
        at += 2 + size;
        pair++;
    }
    if (room->levels == 0 || !utf8_is_ascii(tag, (size_t)(at - tag)))
        return NULL;
    room->next = (uint8_t *)pair;
    ProtobufCMessage **list = make_list(room, step, message, (size_t)(pair - first));
    if (list == NULL)
        room->next = (uint8_t *)first;
    else
        for (struct pair *each = first; each != pair; each++)
            *list++ = &each->base;
    return list == NULL ? NULL : at;
}

/* Decodes consecutive elements that are messages. */
static ALWAYS_INLINE const uint8_t *parse_list(struct room *room, const struct plain_step *step,
                                               char *message, const uint8_t *tag, size_t tag_size,
                                               const uint8_t *end)
{
    const uint8_t *at = NULL;
    if (tag_size == 1 && step->message->pair)
        at = parse_pairs(room, step, message, tag, end);
    return at != NULL ? at : parse_messages(room, step, message, tag, tag_size, end);
}

/*
 * A separate copy of parse_messages for longer tags. The other copy compares tags as single bytes.
 */
static NEVER_INLINE const uint8_t *parse_messages_of_long_tag(struct room *room,
                                                              const struct plain_step *step,
                                                              char *message, const uint8_t *tag,
                                                              size_t tag_size, const uint8_t *end)
{
    return parse_messages(room, step, message, tag, tag_size, end);
}

/*
 * Returns false if the entry lacks its message value, for which the complete decoder must make an
 * empty message.
 */
static bool is_complete(const struct message_type *entry, const ProtobufCMessage *message)
{
    const struct field_type *value = &entry->fields[1];
    return value->message == NULL || *(void *const *)field_value(value, message) != NULL;
}

static NEVER_INLINE const uint8_t *parse_map(struct room *room, const struct plain_step *step,
                                             char *message, const uint8_t *tag, size_t tag_size,
                                             const uint8_t *end)
{
    const uint8_t *at = parse_list(room, step, message, tag, tag_size, end);
    size_t *count = (size_t *)(void *)(message + step->mark);
    if (at == NULL || *count > MAP_FEW)
        return NULL;
    ProtobufCMessage **entries = *(ProtobufCMessage ***)(void *)(message + step->offset);
    for (size_t i = 0; i < *count; i++)
        if (!is_complete(step->message, entries[i]))
            return NULL;
    *count = map_keep_last_of_few(step->message, entries, *count);
    return at;
}

static const uint8_t *parse_texts(struct room *room, const struct plain_step *step, char *message,
                                  const uint8_t *tag, size_t tag_size, const uint8_t *end)
{
    size_t count = count_elements(tag, tag_size, end, WIRE_LENGTH);
    ProtobufCBinaryData *list = make_list(room, step, message, count);
    if (list == NULL)
        return NULL;
    const uint8_t *at = tag;
    for (size_t i = 0; at != NULL && i < count; i++)
        at = parse_text(step->element == PLAIN_TEXT, at + tag_size, end, &list[i]);
    return at;
}

/*
 * Returns true if a closed enum accepts all values. Also allocates room for an unknown field for
 * each value: the complete decoder does so before it reads the values, and both decoders must use
 * the same number of bytes.
 */
static bool are_allowed(struct room *room, const struct plain_step *step, const void *values,
                        size_t count)
{
    if (!step->closed)
        return true;
    for (size_t i = 0; i < count; i++)
        if (enum_find(step->enumeration, ((const int32_t *)values)[i]) == NULL)
            return false;
    return allocate(room, count * sizeof(ProtobufCMessageUnknownField)) != NULL;
}

static const uint8_t *parse_numbers(struct room *room, const struct plain_step *step, char *message,
                                    const uint8_t *tag, size_t tag_size, const uint8_t *end)
{
    size_t count = count_elements(tag, tag_size, end, step->wire_type);
    char *list = make_list(room, step, message, count);
    if (list == NULL)
        return NULL;
    const uint8_t *at = tag;
    for (size_t i = 0; at != NULL && i < count; i++)
        at = parse_number((enum plain_act)step->element, at + tag_size, end, list + i * step->size);
    return at != NULL && are_allowed(room, step, list, count) ? at : NULL;
}

static size_t count_numbers(const struct plain_step *step, const uint8_t *at, size_t length)
{
    if (step->element == PLAIN_FIXED64)
        return length / 8;
    if (step->element == PLAIN_FIXED32)
        return length / 4;
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += at[i] < 0x80;
    return count;
}

static const uint8_t *parse_packed(struct room *room, const struct plain_step *step, char *message,
                                   const uint8_t *at, const uint8_t *end)
{
    size_t length;
    at = wire_read_length(at, end, &length);
    if (at == NULL || length == 0)
        return at;
    size_t count = count_numbers(step, at, length);
    char *list = make_list(room, step, message, count);
    if (list == NULL)
        return NULL;
    end = at + length;
    for (size_t i = 0; at != NULL && i < count; i++)
        at = parse_number((enum plain_act)step->element, at, end, list + i * step->size);
    return at == end && are_allowed(room, step, list, count) ? at : NULL;
}

/* --- single fields ---------------------------------------------------------------------------- */

/*
 * Decodes a message field. Returns NULL if it is present already: the two messages would have to be
 * merged.
 */
static ALWAYS_INLINE const uint8_t *parse_single(struct room *room, const struct plain_step *step,
                                                 char *message, const uint8_t *at,
                                                 const uint8_t *end)
{
    ProtobufCMessage **place = (ProtobufCMessage **)(void *)(message + step->offset);
    if (step->act == PLAIN_MESSAGE_IN_ONEOF) {
        uint32_t *which = (uint32_t *)(void *)(message + step->mark);
        if (*which == step->mark_value)
            return NULL;
        *which = step->mark_value;
    } else if (*place != NULL) {
        return NULL;
    }
    return parse_message(room, step->message, at, end, place);
}

static const uint8_t *parse_checked(struct room *room, const struct plain_step *step, char *message,
                                    const uint8_t *at, const uint8_t *end)
{
    char *place = message + step->offset;
    at = parse_number((enum plain_act)step->element, at, end, place);
    return at != NULL && are_allowed(room, step, place, 1) ? at : NULL;
}

static NEVER_INLINE const uint8_t *parse_required(struct room *room,
                                                  const struct message_type *type,
                                                  const struct plain_step *step, char *message,
                                                  const uint8_t *at, const uint8_t *end)
{
    uint64_t *words = required_words(type, (ProtobufCMessage *)(void *)message);
    words[step->required / 64] |= UINT64_C(1) << step->required % 64;
    switch (step->element) {
    case PLAIN_MESSAGE:
        return parse_single(room, step, message, at, end);
    case PLAIN_TEXT:
    case PLAIN_BYTES:
        return parse_text(step->element == PLAIN_TEXT, at, end, message + step->offset);
    default:
        return parse_checked(room, step, message, at, end);
    }
}

/*
 * Keeps an unknown field. Returns NULL if another block was allocated after the message's list of
 * unknown fields, so that the list cannot grow.
 */
static const uint8_t *parse_unknown(struct room *room, ProtobufCMessage *message, const uint8_t *at,
                                    const uint8_t *end)
{
    uint32_t tag = 0;
    at = wire_read_tag(at, end, &tag);
    const uint8_t *next = at == NULL || tag >> 3 == 0 ? NULL : wire_skip(at, end, tag & 7);
    ProtobufCMessageUnknownField *field = allocate(room, sizeof *field);
    if (next == NULL || field == NULL)
        return NULL;
    if (message->n_unknown_fields == 0)
        message->unknown_fields = field;
    if (field != message->unknown_fields + message->n_unknown_fields)
        return NULL;
    field->tag = tag >> 3;
    field->wire_type = (ProtobufCWireType)(tag & 7);
    field->data = (uint8_t *)(uintptr_t)at;
    field->len = (size_t)(next - at);
    message->n_unknown_fields++;
    room->unknown_fields++;
    return next;
}

/* --- fields of any kind ----------------------------------------------------------------------- */

/* Finds the step for a tag of more than one byte. Returns the position after the tag. */
static const uint8_t *find_step(const struct message_type *type, const uint8_t *at,
                                const uint8_t *end, const struct plain_step **step)
{
    uint32_t tag = 0;
    at = wire_read_tag(at, end, &tag);
    *step = &type->steps[PLAIN_UNKNOWN];
    const struct field_type *field = message_type_find(type, tag >> 3);
    if (form_of(field, tag & 7) == FORM_UNKNOWN)
        return at;
    *step = &type->steps[PLAIN_FIRST_FIELD + (size_t)(field - type->fields)];
    if ((*step)->wire_type != (tag & 7))
        *step = &type->steps[PLAIN_GIVE_UP];
    return at;
}

/*
 * Decodes the less frequent kinds of fields, which contain no messages. `tag` is the position of
 * the tag, `at` that of the value.
 */
static NEVER_INLINE const uint8_t *parse_other(struct room *room, const struct plain_step *step,
                                               char *message, const uint8_t *tag, const uint8_t *at,
                                               const uint8_t *end)
{
    switch (step->act) {
    case PLAIN_GIVE_UP:
        return NULL;
    case PLAIN_UNKNOWN:
        return parse_unknown(room, (ProtobufCMessage *)(void *)message, tag, end);
    case PLAIN_BYTES:
        put32(message + step->mark, step->mark_value);
        return parse_text(false, at, end, message + step->offset);
    case PLAIN_CLOSED:
        put32(message + step->mark, step->mark_value);
        return parse_checked(room, step, message, at, end);
    case PLAIN_PACKED:
        return parse_packed(room, step, message, at, end);
    case PLAIN_NUMBERS:
        return parse_numbers(room, step, message, tag, (size_t)(at - tag), end);
    case PLAIN_TEXTS:
        return parse_texts(room, step, message, tag, (size_t)(at - tag), end);
    default:
        put32(message + step->mark, step->mark_value);
        return parse_number((enum plain_act)step->act, at, end, message + step->offset);
    }
}

static ALWAYS_INLINE const uint8_t *parse_field(struct room *room, const struct message_type *type,
                                                const struct plain_step *step, char *message,
                                                const uint8_t *tag, const uint8_t *at,
                                                const uint8_t *end)
{
    switch ((enum plain_act)step->act) {
    case PLAIN_TEXT:
        put32(message + step->mark, step->mark_value);
        return parse_text(true, at, end, message + step->offset);
    case PLAIN_FIXED64:
        put32(message + step->mark, step->mark_value);
        return parse_fixed64(at, end, message + step->offset);
    case PLAIN_VARINT32:
        put32(message + step->mark, step->mark_value);
        return parse_varint32(at, end, message + step->offset);
    case PLAIN_VARINT64:
        put32(message + step->mark, step->mark_value);
        return parse_varint64(at, end, message + step->offset);
    case PLAIN_MESSAGE:
    case PLAIN_MESSAGE_IN_ONEOF:
        return parse_single(room, step, message, at, end);
    case PLAIN_MESSAGES:
        if (at - tag == 1)
            return parse_list(room, step, message, tag, 1, end);
        return parse_messages_of_long_tag(room, step, message, tag, (size_t)(at - tag), end);
    case PLAIN_MAP:
        return parse_map(room, step, message, tag, (size_t)(at - tag), end);
    case PLAIN_REQUIRED:
        return parse_required(room, type, step, message, at, end);
    case PLAIN_BYTES:
    case PLAIN_UNKNOWN:
    case PLAIN_GIVE_UP:
    case PLAIN_SINT32:
    case PLAIN_SINT64:
    case PLAIN_BOOL:
    case PLAIN_FIXED32:
    case PLAIN_CLOSED:
    case PLAIN_PACKED:
    case PLAIN_NUMBERS:
    case PLAIN_TEXTS:
        return parse_other(room, step, message, tag, at, end);
    }
    UNREACHABLE(); /* so that the compiler does not check the range of `act` for each field */
}

static const uint8_t *parse(struct room *room, const struct message_type *type,
                            ProtobufCMessage *message, const uint8_t *at, const uint8_t *end)
{
    while (at != end) {
        const uint8_t *tag = at;
        const struct plain_step *step;
        if (*tag < ONE_BYTE_TAGS) {
            step = &type->steps[type->step_of[*tag]];
            at = tag + 1;
        } else {
            at = find_step(type, tag, end, &step);
        }
        if (at == NULL)
            return NULL;
        at = parse_field(room, type, step, (char *)message, tag, at, end);
        if (at == NULL)
            return NULL;
    }
    return has_required(type, message) ? at : NULL;
}

enum plain_result plain_decode(const struct message_type *type, const uint8_t *data, size_t size,
                               unsigned levels, struct arena *arena, struct decoded *out)
{
    static const uint8_t nothing[1];
    const uint8_t *at = size == 0 ? nothing : data;
    struct room room = {arena->base + arena->used, arena->base + arena->capacity, 0, levels, false};
    ProtobufCMessage *message = new_message(&room, type);
    if (message == NULL || parse(&room, type, message, at, at + size) == NULL)
        return room.full ? PLAIN_NO_ROOM : PLAIN_GIVEN_UP;
    arena->used = (size_t)(room.next - arena->base);
    out->message = message;
    out->unknown_fields = room.unknown_fields;
    out->series_repeated = 0;
    return PLAIN_DECODED;
}
