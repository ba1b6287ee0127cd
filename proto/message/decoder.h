/*
 * Common declarations of the decoder's files, private to them: its state, and the functions for the
 * walk in decode.c.
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
    bool incomplete; /* a message lacked a required field at its end */
    enum decode_result failure;
    const uint8_t *parse_error_at;         /* position of the failure; NULL: not yet known */
    struct decode_failure fault;           /* details of the failure, without offset */
    uint32_t groups[SCHEMA_MAX_DEPTH + 1]; /* numbers of the groups that skip is in */
};

/* Bytes of a message (`group` is 0) or of a group (its number, whose end tag ends it). */
struct scope {
    uint32_t group;
    uint32_t levels; /* that may be opened below */
};

/* --- failing (failure.c) ---------------------------------------------------------------------- */

/*
 * Each of these records why decoding fails, and returns NULL, for its caller to return. Earlier
 * records are overwritten: a look ahead may have failed beyond the position that the decoder
 * reaches.
 *
 * The first is for a cause at `at`; NULL: the beginning of the field.
 */
void *decoder_fail(struct decoder *decoder, enum decode_cause cause, const uint8_t *at);

/* The bytes from `at` on are not a value of this wire type (wire_skip or wire_read_... failed). */
void *decoder_fail_value(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                         uint32_t wire_type);

/* The same for a string; with `utf8` also if it is not UTF-8. */
void *decoder_fail_text(struct decoder *decoder, const uint8_t *at, const uint8_t *end);

/* The bytes from `at` on are not a tag, or a tag that is not allowed there. */
void *decoder_fail_tag(struct decoder *decoder, const uint8_t *at, const uint8_t *end);

/*
 * Records the field of the failure: of the type, by number, with its tag at `at`. Called for the
 * innermost field first.
 */
void *decoder_fail_within(struct decoder *decoder, const struct message_type *type, uint32_t number,
                          const uint8_t *at);

/* Copies the record to `out`, for bytes that begin at `data`. Returns the result. */
enum decode_result decoder_tell_failure(const struct decoder *decoder, const uint8_t *data,
                                        struct decoded *out);

/* `size` bytes of the arena, or NULL (DECODE_TOO_LARGE). */
static inline void *decoder_allocate(struct decoder *decoder, size_t size)
{
    void *block = arena_allocate(decoder->arena, size);
    return block != NULL ? block : decoder_fail(decoder, CAUSE_NO_ROOM, NULL);
}

/* message_decode without fast_path.h; both always have the same result. */
enum decode_result message_decode_any(const struct message_type *type, const uint8_t *data,
                                      size_t size, unsigned levels, struct arena *arena,
                                      struct decoded *out);

/* --- looking ahead (room.c) ------------------------------------------------------------------- */

/* The way to decode the bytes after a tag. */
enum field_form {
    FORM_UNKNOWN, /* no such field, or not in this form: kept unchanged */
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
 * Skips the value of a field, a group up to the end of its end tag. Returns the next position, or
 * NULL with the failure recorded.
 */
const uint8_t *decoder_skip(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                            uint32_t tag, uint32_t levels);

/*
 * Scans the fields from `at` to the end of a message with empty repeated fields, and allocates the
 * largest possible number of elements and unknown fields. Invalid bytes end the scan: the decoder
 * will stop there, too. Returns false with the failure recorded.
 */
bool decoder_make_room(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const uint8_t *at, const uint8_t *end,
                       struct scope scope);

/* --- a message that occurs again (merge.c) ---------------------------------------------------- */

/*
 * Prepares `message`, decoded before, for decoding into it again: its lists become empty. Returns a
 * copy of its old state, with which decoder_end_merge joins the lists; NULL with the failure
 * recorded.
 */
const ProtobufCMessage *decoder_begin_merge(struct decoder *decoder,
                                            const struct message_type *type,
                                            ProtobufCMessage *message);
bool decoder_end_merge(struct decoder *decoder, const struct message_type *type,
                       ProtobufCMessage *message, const ProtobufCMessage *before);

/* --- what can only be decided at the end ---------------------------------------------------------
 */

/*
 * Drops the entries of a map whose key occurs again later (map_entries.c). Returns false with the
 * failure recorded: the arena was too small to sort them.
 */
bool decoder_keep_last_entries(struct decoder *decoder, const struct field_type *map,
                               ProtobufCMessage *message);

/* The same for at most MAP_FEW entries, without memory. Returns the number of remaining entries. */
#define MAP_FEW 12
size_t map_keep_last_of_few(const struct message_type *entry, ProtobufCMessage **entries,
                            size_t count);

/*
 * Whether the message and all its submessages have their required fields (required.c). Otherwise
 * records the failure, at `end`.
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
