#include "collector/contract/decode_failure.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/base/rule.h"

static const char *const causes[CAUSE_END] = {
    [CAUSE_TAG_CUT] = "the bytes end inside a tag",
    [CAUSE_TAG_LONG] = "a tag has more than 5 bytes",
    [CAUSE_FIELD_ZERO] = "field number 0 does not exist",
    [CAUSE_GROUP_NOT_BEGUN] = "a group ends that was not begun",
    [CAUSE_GROUP_WITHOUT_END] = "a group has no end",
    [CAUSE_VALUE_CUT] = "the bytes end inside the value",
    [CAUSE_VARINT_LONG] = "a varint has more than 10 bytes",
    [CAUSE_LENGTH_LONG] = "a length has more than 5 bytes",
    [CAUSE_NOT_UTF8] = "a string is not UTF-8",
    [CAUSE_REQUIRED_MISSING] = "a required field is missing",
    [CAUSE_TOO_DEEP] = "too many levels of messages and groups",
    [CAUSE_NO_ROOM] = "no room for the decoded message",
    [CAUSE_SHORT_HEADER] = "the bytes end inside the header",
    [CAUSE_FOREIGN_HEADER] = "the header is not that of a message",
    [CAUSE_MESSAGE_LENGTH] = "the length does not fit the message",
    [CAUSE_NO_MESSAGE] = "no message is there",
    [CAUSE_NOT_PROTOBUF] = "the message is not protobuf, by its header",
    [CAUSE_JSON] = "the sender sends JSON, not protobuf",
    [CAUSE_OPTION] = "an option does not fit the header",
    [CAUSE_SEGMENTS] = "the segments of the message contradict each other",
    [CAUSE_NOT_DTLS] = "this is not a record of DTLS",
    [CAUSE_NOT_BASE64] = "this is not base64 with its padding",
};

#define CAUSE_TEXT_SIZE 96

static void write_cause(const struct decode_failure *failure, char text[CAUSE_TEXT_SIZE])
{
    if (failure->cause == CAUSE_WIRE_TYPE)
        snprintf(text, CAUSE_TEXT_SIZE, "wire type %" PRIu64 " does not exist", failure->found);
    else if (failure->cause == CAUSE_LENGTH_BEYOND)
        snprintf(text, CAUSE_TEXT_SIZE, "a length of %" PRIu64 " bytes where %" PRIu64 " are left",
                 failure->found, failure->left);
    else
        snprintf(text, CAUSE_TEXT_SIZE, "%s", causes[failure->cause]);
}

const char *decode_failure_text(const struct decode_failure *failure,
                                char text[DECODE_FAILURE_TEXT_SIZE])
{
    char cause[CAUSE_TEXT_SIZE];
    RULE(failure->cause < CAUSE_END, "a failure has one of the causes");
    text[0] = '\0';
    if (failure->cause == CAUSE_UNKNOWN)
        return text;
    write_cause(failure, cause);
    if (failure->field[0] == '\0')
        snprintf(text, DECODE_FAILURE_TEXT_SIZE, "at byte %zu: %s", failure->offset, cause);
    else
        snprintf(text, DECODE_FAILURE_TEXT_SIZE, "at byte %zu: %s (field %s)", failure->offset,
                 cause, failure->field);
    return text;
}
