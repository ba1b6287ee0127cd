#include "sinks/destinations/otlp_answer.h"

#include "collector/base/wire.h"

enum {
    PARTIAL_SUCCESS = WIRE_TAG(1, WIRE_LENGTH),
    REJECTED_DATA_POINTS = WIRE_TAG(1, WIRE_VARINT), /* an int64 */
    ERROR_MESSAGE = WIRE_TAG(2, WIRE_LENGTH),
};

static const uint8_t *skip_field(const uint8_t *at, const uint8_t *end, uint32_t tag)
{
    return tag >> 3 == 0 ? NULL : wire_skip(at, end, tag & 7);
}

static bool read_partial_success(const uint8_t *at, const uint8_t *end, struct otlp_answer *answer)
{
    while (at != end) {
        uint32_t tag = 0;
        uint64_t number;
        size_t length;
        if ((at = wire_read_tag(at, end, &tag)) == NULL)
            return false;
        if (tag == REJECTED_DATA_POINTS) {
            if ((at = wire_read_varint(at, end, &number)) == NULL)
                return false;
            answer->rejected = number > INT64_MAX ? 0 : number; /* a negative number is invalid */
        } else if (tag == ERROR_MESSAGE) {
            if ((at = wire_read_length(at, end, &length)) == NULL)
                return false;
            answer->message = (struct text){(const char *)at, length};
            at += length;
        } else if ((at = skip_field(at, end, tag)) == NULL) {
            return false;
        }
    }
    return true;
}

static bool read_response(const uint8_t *at, const uint8_t *end, struct otlp_answer *answer)
{
    while (at != end) {
        uint32_t tag = 0;
        size_t length;
        if ((at = wire_read_tag(at, end, &tag)) == NULL)
            return false;
        if (tag == PARTIAL_SUCCESS) {
            if ((at = wire_read_length(at, end, &length)) == NULL ||
                !read_partial_success(at, at + length, answer))
                return false;
            at += length;
        } else if ((at = skip_field(at, end, tag)) == NULL) {
            return false;
        }
    }
    return true;
}

bool otlp_answer_read(const uint8_t *body, size_t size, struct otlp_answer *answer)
{
    static const struct otlp_answer all_taken = {.message = {"", 0}};
    *answer = all_taken;
    if (size == 0 || read_response(body, body + size, answer))
        return true;
    *answer = all_taken;
    return false;
}
