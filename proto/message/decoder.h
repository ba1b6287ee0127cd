/*
 * What the files of the decoder share: its state, and what each does for the walk in decode.c.
 * For nobody else.
 */
#ifndef SLUICE_PROTO_MESSAGE_DECODER_H
#define SLUICE_PROTO_MESSAGE_DECODER_H

#include "collector/base/arena.h"
#include "collector/base/wire.h"
#include "collector/contract/schema.h"
#include "proto/message/type.h"

struct decoder {
    struct arena *arena;
    size_t unknown_fields;
    bool incomplete; /* a message somewhere lacked a required field when it ended */
    enum decode_result failure;
    const uint8_t *parse_error_at;         /* where it failed; NULL: not yet known */
    struct decode_failure fault;           /* the rest of it, but for the offset */
    uint32_t groups[SCHEMA_MAX_DEPTH + 1]; /* numbers of the groups that skip is in */
};

/* Bytes of a message or group. A group ends with the end tag of its number; else it is 0. */
struct scope {
    uint32_t group;
    uint32_t levels; /* that may open below */
};

/* --- failing (failure.c) ---------------------------------------------------------------------- */

/*
 * Each of these notes why decoding fails, and returns NULL for its caller to return. What was noted
 * before is forgotten: a look ahead may have failed where the decoder does not get to.
 *
 * The first is for a cause at `at`; where that is NULL, it is where the field begins.
 */
void *decoder_fail(struct decoder *decoder, enum decode_cause cause, const uint8_t *at);

/* The bytes from `at` on are no value of this wire type (wire_skip, wire_read_... said so). */
void *decoder_fail_value(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                         uint32_t wire_type);

/* They are no string either where they can be read: `utf8` says that it has to be UTF-8. */
void *decoder_fail_text(struct decoder *decoder, const uint8_t *at, const uint8_t *end);

/* The bytes from `at` on are no tag, or one that cannot stand there. */
void *decoder_fail_tag(struct decoder *decoder, const uint8_t *at, const uint8_t *end);

/*
 * Says which field the failure was in: of the type, by number, with its tag at `at`. Called for the
 * innermost field first.
 */
void *decoder_fail_within(struct decoder *decoder, const struct message_type *type, uint32_t number,
                          const uint8_t *at);

/* Copies what was noted to `out`, for bytes that begin at `data`. Returns the result. */
enum decode_result decoder_tell_failure(const struct decoder *decoder, const uint8_t *data,
                                        struct decoded *out);

/* `size` bytes of the arena, or NULL (DECODE_TOO_LARGE). */
static inline void *decoder_allocate(struct decoder *decoder, size_t size)
{
    void *block = arena_allocate(decoder->arena, size);
    return block != NULL ? block : decoder_fail(decoder, CAUSE_NO_ROOM, NULL);
}

/* message_decode without plain.h, whose every answer is also this one's. */
enum decode_result message_decode_any(const struct message_type *type, const uint8_t *data,
                                      size_t size, unsigned levels, struct arena *arena,
                                      struct decoded *out);

/* --- looking ahead (room.c) ------------------------------------------------------------------- */

/* How the bytes after a tag are to be taken. */
enum field_form {
    FORM_UNKNOWN, /* no such field, or not this way: kept as it stands */
    FORM_SINGLE,
    FORM_PACKED,
};

static inline enum field_form form_of(const struct field_type *field, uint32_t wire_type)
{
    if (field == NULL)
        return FORM_UNKNOWN;
    if (field->wire_type == wire_type)
        return FORM_SINGLE;
    return field->packable && wire_type == WIRE_LENGTH ? FORM_PACKED : FORM_UNKNOWN;
}

/*
 * Steps over the value of a field, groups to the end of their end tag. Returns where it goes on, or
 * NULL with the failure noted.
 */
const uint8_t *decoder_skip(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                            uint32_t tag, uint32_t levels);

/*
 * Looks over the fields from `at` to the end of a message whose repeated fields are empty, and
 * allocates as many elements and unknown fields as there can be. Bytes that make no sense end the
 * look: the decoder will not get past them either. Returns false with the failure noted.
 */
bool decoder_make_room(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                       struct scope scope);

/* --- a message that occurs again (merge.c) ---------------------------------------------------- */

/*
 * Makes `message`, decoded before, ready to be decoded into again: its lists are empty, as room is
 * made for. Returns a copy of what it was, for decoder_end_merge to join the lists with; NULL with
 * the failure noted.
 */
const ProtobufCMessage *decoder_begin_merge(struct decoder *decoder,
                                            const struct message_type *type,
                                            ProtobufCMessage *message);
bool decoder_end_merge(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const ProtobufCMessage *before);

/* --- what can only be decided at the end ---------------------------------------------------------
 */

/*
 * Drops the entries of a map whose key comes again later (map_entries.c). Returns false with the
 * failure noted: the arena was too small to sort them.
 */
bool decoder_keep_last_entries(struct decoder *decoder, const struct field_type *map,
                               ProtobufCMessage *message);

/* The same of no more than MAP_FEW entries, which takes no memory. Returns how many are left. */
#define MAP_FEW 12
size_t map_keep_last_of_few(const struct message_type *entry, ProtobufCMessage **entries,
                            size_t count);

/*
 * Whether the message and all it holds have their required fields (required.c). Else the failure is
 * noted, which is found at `end`.
 */
bool decoder_is_complete(struct decoder *decoder, const struct message_type *type,
                         const ProtobufCMessage *message, const uint8_t *end);

/* The words of required fields seen, after the struct. */
static inline uint64_t *required_words(const struct message_type *type, ProtobufCMessage *message)
{
    return (uint64_t *)(void *)((char *)message + type->required_offset);
}

/* Whether the message itself has its required fields. */
static inline bool has_required(const struct message_type *type, const ProtobufCMessage *message)
{
    const void *words = (const char *)message + type->required_offset;
    for (size_t i = 0; i < type->required_count; i += 64) {
        size_t left = type->required_count - i;
        uint64_t all = left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
        if (((const uint64_t *)words)[i / 64] != all)
            return false;
    }
    return true;
}

#endif
