#include "collector/framing/frame_streams.h"

#include <stdbool.h>
#include <string.h>

#include "collector/base/byte_order.h"

enum control_type {
    CONTROL_ACCEPT = 1,
    CONTROL_START = 2,
    CONTROL_STOP = 3,
    CONTROL_READY = 4,
    CONTROL_FINISH = 5,
};

enum field_type { FIELD_CONTENT_TYPE = 1 };

#define PROTOBUF "protobuf:"

struct control {
    uint32_t type;
    size_t types;    /* number of content types in the frame */
    bool has_wanted; /* `wanted` is the first content type in the frame that is wanted */
    struct text wanted;
};

static bool type_is_wanted(const struct text *wanted, const struct text *given)
{
    if (wanted->size == 0)
        return given->size >= strlen(PROTOBUF) &&
               memcmp(given->data, PROTOBUF, strlen(PROTOBUF)) == 0;
    return text_equal(given, wanted);
}

static bool read_content_type(const uint8_t *data, size_t size, size_t *at,
                              const struct text *wanted, struct control *control)
{
    if (size - *at < 8 || network_u32(data + *at) != FIELD_CONTENT_TYPE)
        return false;
    const struct text given = {(const char *)data + *at + 8, network_u32(data + *at + 4)};
    *at += 8;
    if (given.size > FRAME_STREAMS_TYPE_MOST || given.size > size - *at)
        return false;
    *at += given.size;
    control->types++;
    if (!control->has_wanted && type_is_wanted(wanted, &given)) {
        control->has_wanted = true;
        control->wanted = given;
    }
    return true;
}

static size_t most_types(uint32_t type)
{
    return type == CONTROL_READY ? SIZE_MAX : type == CONTROL_START ? 1 : 0;
}

static bool read_control(const uint8_t *data, size_t size, const struct text *wanted,
                         struct control *control)
{
    if (size < FRAME_STREAMS_ESCAPE + 4 || network_u32(data) != 0 ||
        network_u32(data + 4) != size - FRAME_STREAMS_ESCAPE)
        return false;
    size_t at = FRAME_STREAMS_ESCAPE + 4;
    *control = (struct control){.type = network_u32(data + FRAME_STREAMS_ESCAPE)};
    while (at != size)
        if (!read_content_type(data, size, &at, wanted, control))
            return false;
    return control->types <= most_types(control->type);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void put_answer(struct frame_streams_answer *answer, enum control_type type,
                       const struct text *content)
{
    size_t field = content->size != 0 ? 8 + content->size : 0;
    uint8_t *to = answer->bytes;
    put_network_u32(to, 0);
    put_network_u32(to + 4, (uint32_t)(4 + field));
    put_network_u32(to + 8, (uint32_t)type);
    answer->size = FRAME_STREAMS_ESCAPE + 4 + field;
    if (field == 0)
        return;
    put_network_u32(to + 12, FIELD_CONTENT_TYPE);
    put_network_u32(to + 16, (uint32_t)content->size);
    memcpy(to + 20, content->data, content->size);
}

/* --- the stream ------------------------------------------------------------------------------- */

static enum frame_streams_result change_state(enum frame_streams_state *state,
                                              enum frame_streams_state to,
                                              const struct control *control)
{
    if (control->types != 0 && !control->has_wanted)
        return FRAME_STREAMS_OTHER_TYPE;
    *state = to;
    return FRAME_STREAMS_TAKEN;
}

enum frame_streams_result frame_streams_control(enum frame_streams_state *state,
                                                const struct text *wanted, const uint8_t *data,
                                                size_t size, struct frame_streams_answer *answer)
{
    static const struct text nothing = {"", 0};
    const enum frame_streams_state before = *state;
    struct control control;
    answer->size = 0;
    if (!read_control(data, size, wanted, &control))
        return FRAME_STREAMS_MALFORMED;
    if (control.type == CONTROL_READY && before == FRAME_STREAMS_BEGUN) {
        put_answer(answer, CONTROL_ACCEPT, control.has_wanted ? &control.wanted : wanted);
        return change_state(state, FRAME_STREAMS_ACCEPTED, &control);
    }
    if (control.type == CONTROL_START && before == FRAME_STREAMS_BEGUN)
        return change_state(state, FRAME_STREAMS_STARTED, &control);
    if (control.type == CONTROL_START && before == FRAME_STREAMS_ACCEPTED)
        return change_state(state, FRAME_STREAMS_STARTED_TWO_WAY, &control);
    if (control.type != CONTROL_STOP || !frame_streams_is_started(before))
        return FRAME_STREAMS_MALFORMED;
    if (before == FRAME_STREAMS_STARTED_TWO_WAY)
        put_answer(answer, CONTROL_FINISH, &nothing);
    *state = FRAME_STREAMS_STOPPED;
    return FRAME_STREAMS_TAKEN;
}
