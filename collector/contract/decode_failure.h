/*
 * Why the bytes of a datagram are not a message: where the fault begins, in which field, and what
 * it is.
 *
 * The decoder and the framing fill it where they fail. It holds nothing that a sender wrote: field
 * names come from the schema. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DECODE_FAILURE_H
#define SLUICE_COLLECTOR_CONTRACT_DECODE_FAILURE_H

#include <stddef.h>
#include <stdint.h>

enum decode_cause {
    CAUSE_UNKNOWN, /* nothing was recorded */
    CAUSE_TAG_CUT,
    CAUSE_TAG_LONG,
    CAUSE_FIELD_ZERO,
    CAUSE_WIRE_TYPE, /* `found` is the wire type */
    CAUSE_GROUP_NOT_BEGUN,
    CAUSE_GROUP_WITHOUT_END,
    CAUSE_VALUE_CUT,
    CAUSE_VARINT_LONG,
    CAUSE_LENGTH_LONG,
    CAUSE_LENGTH_BEYOND, /* `found` is the length, `left` the bytes after it */
    CAUSE_NOT_UTF8,
    CAUSE_REQUIRED_MISSING,
    CAUSE_TOO_DEEP,
    CAUSE_NO_ROOM,
    CAUSE_SHORT_HEADER, /* and those of the framing */
    CAUSE_FOREIGN_HEADER,
    CAUSE_MESSAGE_LENGTH,
    CAUSE_NO_MESSAGE,
    CAUSE_NOT_BASE64,
    CAUSE_NOT_PROTOBUF,
    CAUSE_OPTION,
    CAUSE_SEGMENTS,
    CAUSE_END
};

/* Bytes of a field's path, the NUL included. */
#define DECODE_FIELD_SIZE 96

struct decode_failure {
    enum decode_cause cause;
    size_t offset; /* of the fault from the beginning of the bytes; at most their size */
    uint64_t found, left;

    /*
     * The path of the field: names where the schema has them, else numbers ("events.attributes",
     * "events.99"). Empty: the fault is in no field. Of one that is too long the last part stands
     * after "...".
     */
    char field[DECODE_FIELD_SIZE];
};

/* Bytes of any failure's text, the NUL included. */
#define DECODE_FAILURE_TEXT_SIZE 256

/*
 * Writes "at byte 12: a string is not UTF-8 (field events.host)" to `text`; an empty text where
 * nothing was recorded. Returns `text`.
 */
const char *decode_failure_text(const struct decode_failure *failure,
                                char text[DECODE_FAILURE_TEXT_SIZE]);

#endif
