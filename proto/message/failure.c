/* Describes why decoding fails. Not called for valid messages. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/text/utf8.h"
#include "proto/message/decoder.h"

static enum decode_result result_of(enum decode_cause cause)
{
    switch (cause) {
    case CAUSE_TOO_DEEP:
        return DECODE_TOO_DEEP;
    case CAUSE_NO_ROOM:
        return DECODE_TOO_LARGE;
    default:
        return DECODE_MALFORMED;
    }
}

void *decoder_fail(struct decoder *decoder, enum decode_cause cause, const uint8_t *at)
{
    decoder->failure = result_of(cause);
    decoder->parse_error_at = at;
    decoder->fault = (struct decode_failure){.cause = cause};
    return NULL;
}

/* --- causes of failures ----------------------------------------------------------------------- */

/*
 * Called if no number of at most `most` bytes can be read at `at`. Returns true if the bytes end
 * too early, and false if the number is too long.
 */
static bool is_cut(const uint8_t *at, const uint8_t *end, size_t most)
{
    size_t count = 0;
    while (at + count != end && count < most && at[count] >= 0x80)
        count++;
    return at + count == end && count < most;
}

static void *fail_length(struct decoder *decoder, const uint8_t *at, const uint8_t *end)
{
    struct wire_number length = wire_read_long(at, end, WIRE_TAG_MAX);
    if (length.next == NULL)
        return decoder_fail(
            decoder, is_cut(at, end, WIRE_TAG_MAX) ? CAUSE_VALUE_CUT : CAUSE_LENGTH_LONG, at);
    decoder_fail(decoder, CAUSE_LENGTH_BEYOND, at);
    decoder->fault.found = length.value;
    decoder->fault.left = (uint64_t)(end - length.next);
    return NULL;
}

/* Records that the wire type in a field's tag is wrong, at the position of the tag. */
static void *fail_wire_type(struct decoder *decoder, const uint8_t *tag, uint32_t wire_type)
{
    decoder_fail(decoder, CAUSE_WIRE_TYPE, tag);
    decoder->fault.found = wire_type;
    return NULL;
}

void *decoder_fail_value(struct decoder *decoder, const uint8_t *at, const uint8_t *end,
                         uint32_t wire_type)
{
    switch (wire_type) {
    case WIRE_VARINT:
        return decoder_fail(
            decoder, is_cut(at, end, WIRE_VARINT_MAX) ? CAUSE_VALUE_CUT : CAUSE_VARINT_LONG, at);
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        return decoder_fail(decoder, CAUSE_VALUE_CUT, at);
    case WIRE_LENGTH:
        return fail_length(decoder, at, end);
    default:
        return fail_wire_type(decoder, NULL, wire_type);
    }
}

void *decoder_fail_text(struct decoder *decoder, const uint8_t *at, const uint8_t *end)
{
    size_t length = 0;
    bool valid = true;
    const uint8_t *text = wire_read_length(at, end, &length);
    if (text == NULL)
        return fail_length(decoder, at, end);
    end = text + length;
    while (text != end) {
        size_t size = utf8_sequence(text, (size_t)(end - text), &valid);
        if (!valid)
            break;
        text += size;
    }
    return decoder_fail(decoder, CAUSE_NOT_UTF8, text);
}

void *decoder_fail_tag(struct decoder *decoder, const uint8_t *at, const uint8_t *end)
{
    uint32_t tag = 0;
    if (at == end)
        return decoder_fail(decoder, CAUSE_GROUP_WITHOUT_END, at);
    if (wire_read_tag(at, end, &tag) == NULL)
        return decoder_fail(decoder, is_cut(at, end, WIRE_TAG_MAX) ? CAUSE_TAG_CUT : CAUSE_TAG_LONG,
                            at);
    if ((tag & 7) > WIRE_FIXED32)
        fail_wire_type(decoder, at, tag & 7);
    else
        decoder_fail(decoder, tag >> 3 == 0 ? CAUSE_FIELD_ZERO : CAUSE_GROUP_NOT_BEGUN, at);
    return decoder_fail_within(decoder, NULL, tag >> 3, at);
}

/* --- the path of the failure's field ---------------------------------------------------------- */

/* Replaces the part of a path that does not fit. */
#define CUT "..."

/*
 * Puts a name and, if necessary, a dot in front of the path. If that does not fit, puts CUT there
 * instead. Later calls leave a path that begins with CUT unchanged.
 */
static void prepend(char path[DECODE_FIELD_SIZE], const char *name, size_t size)
{
    size_t used = strlen(path);
    size_t dot = used != 0;
    if (strncmp(path, CUT, strlen(CUT)) == 0)
        return;
    if (size + dot + used + strlen(CUT) + 1 > DECODE_FIELD_SIZE) {
        name = CUT;
        size = strlen(CUT);
        dot = 0;
    }
    memmove(path + size + dot, path, used + 1);
    memcpy(path, name, size);
    if (dot != 0)
        path[size] = '.';
}

void *decoder_fail_within(struct decoder *decoder, const struct message_type *type, uint32_t number,
                          const uint8_t *at)
{
    const struct field_type *field = type == NULL ? NULL : message_type_find(type, number);
    char text[16];
    if (decoder->parse_error_at == NULL)
        decoder->parse_error_at = at;
    if (field != NULL && field->proto_key != NULL) /* a key is "name": with quotes and a colon */
        prepend(decoder->fault.field, field->proto_key + 1, field->proto_key_size - 3);
    else
        prepend(decoder->fault.field, text,
                (size_t)snprintf(text, sizeof text, "%" PRIu32, number));
    return NULL;
}

enum decode_result decoder_tell_failure(const struct decoder *decoder, const uint8_t *data,
                                        struct decoded *out)
{
    out->failure = decoder->fault;
    if (decoder->parse_error_at != NULL)
        out->failure.offset = (size_t)(decoder->parse_error_at - data);
    return decoder->failure;
}
