/* The decoder's state, and the functions that decode.c calls. Only for the decoder's files. */
#ifndef SLUICE_PROTO_MESSAGE_DECODER_H
#define SLUICE_PROTO_MESSAGE_DECODER_H

#include "collector/base/arena.h"
#include "collector/base/wire.h"
#include "collector/contract/schema.h"
#include "proto/message/type.h"

struct decoder {
    struct arena *arena;
    size_t unknown_fields;
    bool incomplete; /* a message has ended without a required field */
    enum decode_result failure;
    const uint8_t *parse_error_at;         /* position of the failure, or NULL if not known yet */
    struct decode_failure fault;           /* details of the failure, without its offset */
    uint32_t groups[SCHEMA_MAX_DEPTH + 1]; /* numbers of the groups that decoder_skip has open */
};

/*
 * Scope of the decoding: a message (`group` is 0), or a group (`group` is its number), which ends
 * with its end tag.
 */
struct scope {
    uint32_t group;
    uint32_t levels; /* levels that may still open inside */
};

/* --- failing (failure.c) ---------------------------------------------------------------------- */

/*
 * The decoder_fail functions record why decoding fails. They return NULL, which their callers
 * return, too. A later failure replaces an earlier one, because a look ahead may record an error
 * that the decoder does not reach.
 *
 * decoder_fail records a cause at the position `at`; NULL stands for the beginning of the field.
 */
void *decoder_fail(struct decoder *decoder, enum decode_cause cause, const uint8_t *at);

/*
 * Records that the bytes at `at` are not a value of this wire type (a function of wire.h has
 * failed).
 */
void *decoder_fail_value(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                         uint32_t wire_type);

/*
 * Records that the bytes at `at` are not a valid string: its length is wrong, or it is not UTF-8.
 */
void *decoder_fail_text(struct decoder *decoder, const uint8_t *at, const uint8_t *end);

/* Records that the bytes at `at` are not a tag, or are a tag that is not allowed there. */
void *decoder_fail_tag(struct decoder *decoder, const uint8_t *at, const uint8_t *end);

/*
 * Puts field `number` of `type` (NULL: not known) in front of the path of the failed field. `at` is
 * the position of its tag. Called for the innermost field first.
 */
void *decoder_fail_within(struct decoder *decoder, const struct message_type *type, uint32_t number,
                          const uint8_t *at);

/* Copies the failure to `out`, with its offset from `data`, the first byte. Returns the result. */
enum decode_result decoder_tell_failure(const struct decoder *decoder, const uint8_t *data,
                                        struct decoded *out);

/* Returns `size` bytes of the arena, or NULL after recording DECODE_TOO_LARGE. */
static inline void *decoder_allocate(struct decoder *decoder, size_t size)
{
    void *block = arena_allocate(decoder->arena, size);
    return block != NULL ? block : decoder_fail(decoder, CAUSE_NO_ROOM, NULL);
}

/* Decodes like message_decode, without the fast decoder (fast_path.h). The result is the same. */
enum decode_result message_decode_any(const struct message_type *type, const uint8_t *data,
                                      size_t size, unsigned levels, struct arena *arena,
                                      struct decoded *out);

/* --- looking ahead (room.c) ------------------------------------------------------------------- */

/* How the bytes after a tag are decoded. */
enum field_form {
    FORM_UNKNOWN, /* the type lacks the field, or expects another wire type */
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
 * Skips the value of a field; that of a group ends with its end tag. Returns the position after it,
 * or NULL with the failure recorded.
 */
const uint8_t *decoder_skip(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                            uint32_t tag, uint32_t levels);

/*
 * Scans the fields from `at` on, and allocates enough room for the elements of all repeated fields
 * and for the unknown fields of `message`, whose lists must be empty. Ends at invalid bytes,
 * because decoding ends there, too. Returns false with the failure recorded if the arena is full.
 */
bool decoder_make_room(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                       struct scope scope);

/* --- a message that occurs again (merge.c) ---------------------------------------------------- */

/*
 * decoder_begin_merge empties the lists of `message`, so that its next occurrence can be decoded
 * into it, and returns a copy of the old message. decoder_end_merge puts the elements of that copy
 * in front of the new ones. On failure they record it and return NULL or false.
 */
const ProtobufCMessage *decoder_begin_merge(struct decoder *decoder,
                                            const struct message_type *type,
                                            ProtobufCMessage *message);
bool decoder_end_merge(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const ProtobufCMessage *before);

/* --- the end of a message --------------------------------------------------------------------- */

/*
 * Removes each map entry that a later entry with the same key replaces (map_entries.c). Returns
 * false with the failure recorded if the arena is too small to sort the entries.
 */
bool decoder_keep_last_entries(struct decoder *decoder, const struct field_type *map,
                               ProtobufCMessage *message);

/*
 * Does the same as decoder_keep_last_entries for at most MAP_FEW entries, without memory. Returns
 * the number of remaining entries.
 */
#define MAP_FEW 12
size_t map_keep_last_of_few(const struct message_type *entry, ProtobufCMessage **entries,
                            size_t count);

/*
 * Returns true if the message and all submessages have their required fields (required.c).
 * Otherwise records the failure at the position `end`.
 */
bool decoder_is_complete(struct decoder *decoder, const struct message_type *type,
                         const ProtobufCMessage *message, const uint8_t *end);

/*
 * Returns the words after the message's struct, with a bit for each required field that was
 * decoded.
 */
static inline uint64_t *required_words(const struct message_type *type, ProtobufCMessage *message)
{
    return (uint64_t *)(void *)((char *)message + type->required_offset);
}

/* Returns true if the message itself has its required fields. */
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
