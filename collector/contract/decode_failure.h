/*
 * Describes why the bytes of a datagram are not a message: the fault, its offset and its field.
 *
 * The decoder and the framings fill it when they fail. It contains no bytes of the sender: field
 * names come from the schema. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DECODE_FAILURE_H
#define SLUICE_COLLECTOR_CONTRACT_DECODE_FAILURE_H

#include <stddef.h>
#include <stdint.h>

enum decode_cause {
    CAUSE_UNKNOWN, /* no failure was recorded */
    CAUSE_TAG_CUT,
    CAUSE_TAG_LONG,
    CAUSE_FIELD_ZERO,
    CAUSE_WIRE_TYPE, /* `found` is the wire type */
    CAUSE_GROUP_NOT_BEGUN,
    CAUSE_GROUP_WITHOUT_END,
    CAUSE_VALUE_CUT,
    CAUSE_VARINT_LONG,
    CAUSE_LENGTH_LONG,
    CAUSE_LENGTH_BEYOND, /* `found` is the length, `left` the number of bytes after it */
    CAUSE_NOT_UTF8,
    CAUSE_REQUIRED_MISSING,
    CAUSE_TOO_DEEP,
    CAUSE_NO_ROOM,
    CAUSE_SHORT_HEADER, /* the causes from here on are failures of a framing */
    CAUSE_FOREIGN_HEADER,
    CAUSE_MESSAGE_LENGTH,
    CAUSE_NO_MESSAGE,
    CAUSE_NOT_BASE64,
    CAUSE_NOT_PROTOBUF,
    CAUSE_JSON,
    CAUSE_OPTION,
    CAUSE_SEGMENTS,
    CAUSE_NOT_DTLS,
    CAUSE_END
};

/* The size of a field's path in bytes, with its NUL. */
#define DECODE_FIELD_SIZE 96

struct decode_failure {
    enum decode_cause cause;
    size_t offset; /* offset of the fault from the first byte; at most the number of bytes */
    uint64_t found, left;

    /*
     * The path of the field, with numbers for fields that the schema does not know
     * ("events.attributes", "events.99"). Empty: the fault is not inside a field. If the path is
     * too long, this is "..." and the end of the path.
     */
    char field[DECODE_FIELD_SIZE];
};

/* The size of a buffer for the text of any failure, including the NUL. */
#define DECODE_FAILURE_TEXT_SIZE 256

/*
 * Writes "at byte 12: a string is not UTF-8 (field events.host)" to `text`, or an empty text for
 * CAUSE_UNKNOWN. Returns `text`.
 */
const char *decode_failure_text(const struct decode_failure *failure,
                                char text[DECODE_FAILURE_TEXT_SIZE]);

#endif
