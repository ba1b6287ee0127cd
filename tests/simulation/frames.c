#include "tests/simulation/frames.h"

#include <string.h>

const char *framing_name(enum framing_kind framing)
{
    static const char *const names[] = {"length32", "length16", "delimited", "frame-streams"};
    return names[framing];
}

static size_t put_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
    return 4;
}

size_t frame_head(enum framing_kind framing, size_t size, uint8_t *to)
{
    size_t used = 0;
    switch (framing) {
    case FRAMES_LENGTH32:
    case FRAMES_STREAMS:
        return put_u32(to, (uint32_t)size);
    case FRAMES_LENGTH16:
        to[0] = (uint8_t)(size >> 8);
        to[1] = (uint8_t)size;
        return 2;
    case FRAMES_DELIMITED:
        break;
    }
    for (; size >= 0x80; size >>= 7)
        to[used++] = (uint8_t)(size | 0x80);
    to[used++] = (uint8_t)size;
    return used;
}

size_t frame_head_too_long(enum framing_kind framing, uint8_t *to)
{
    return framing == FRAMES_LENGTH16 ? 0 : frame_head(framing, 64 * 1024 * 1024, to);
}

size_t frame_garbage(enum framing_kind framing, uint8_t *to)
{
    switch (framing) {
    case FRAMES_DELIMITED: /* a length that does not fit in 64 bits */
        memset(to, 0xff, 10);
        return 10;
    case FRAMES_STREAMS: /* a control frame that is too short */
        put_u32(to, 0);
        put_u32(to + 4, 3);
        return 8;
    default:
        return 0;
    }
}

size_t frame_look(enum framing_kind framing, const uint8_t *bytes, size_t size, size_t *head)
{
    size_t length = 0;
    *head = framing == FRAMES_LENGTH16 ? 2 : 4;
    if (framing == FRAMES_DELIMITED) {
        for (*head = 0; *head < size && (bytes[*head] & 0x80) != 0; ++*head)
            length |= (size_t)(bytes[*head] & 0x7f) << 7 * *head;
        if (*head == size)
            return 0;
        length |= (size_t)bytes[*head] << 7 * *head;
        ++*head;
    } else if (size < *head) {
        return 0;
    } else {
        for (size_t i = 0; i < *head; i++)
            length = length << 8 | bytes[i];
    }
    return *head + length <= size ? *head + length : 0;
}

size_t frame_control(enum frame_control control, const char *type, uint8_t *to)
{
    size_t size = type != NULL ? strlen(type) : 0;
    put_u32(to, 0);
    put_u32(to + 4, (uint32_t)(type != NULL ? 12 + size : 4));
    put_u32(to + 8, (uint32_t)control);
    if (type == NULL)
        return 12;
    put_u32(to + 12, 1); /* the field "content type" */
    put_u32(to + 16, (uint32_t)size);
    memcpy(to + 20, type, size);
    return 20 + size;
}
