#include "collector/config_tests/config_test_frame.h"

#include <stdlib.h>
#include <string.h>

#include "collector/framing/udp_notif.h"
#include "collector/text/base64.h"

static void frame_put_number(struct growing_text *out, uint64_t value, size_t bytes)
{
    for (size_t i = bytes; i-- != 0;) {
        const uint8_t byte = (uint8_t)(value >> (8 * i));
        growing_text_put(out, &byte, 1);
    }
}

static void frame_put_varint(struct growing_text *out, uint64_t value)
{
    for (;;) {
        const uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        growing_text_put(out, &byte, 1);
        if (value <= 0x7f)
            return;
        value >>= 7;
    }
}

/*
 * Writes the header of draft-ietf-netconf-udp-notif-22: version 1, private space, one message of
 * one segment.
 */
static void put_udp_notif(struct growing_text *out, uint32_t number, size_t size)
{
    const uint8_t begin[2] = {0x31, UDP_NOTIF_HEADER_SIZE};
    growing_text_put(out, begin, sizeof begin);
    frame_put_number(out, UDP_NOTIF_HEADER_SIZE + size, 2);
    frame_put_number(out, 1, 4);
    frame_put_number(out, number, 4);
}

static void put_otlp_udp(struct growing_text *out, const char *schema, const uint8_t *bytes,
                         size_t size)
{
    struct output text = {.capacity = (size + 2) / 3 * 4};
    bool traces = strcmp(schema, "otlp-traces") == 0;
    text.data = malloc(text.capacity + 1);
    if (text.data == NULL) {
        out->failed = true;
        return;
    }
    base64_put(&text, bytes, size);
    growing_text_print(out, "{\"format\":\"json\",\"version\":1}\n%s", traces ? "T1S" : "M1");
    growing_text_put(out, text.data, text.used);
    free(text.data);
}

static void put_little_number(struct growing_text *out, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        frame_put_number(out, number >> 8 * i & 0xff, 1);
}

void config_test_frame_put(struct growing_text *out, const struct config_test_frame *frame,
                           const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < frame->header; i++)
        frame_put_number(out, 0, 1);
    switch (frame->framing) {
    case FRAMING_DATAGRAM:
    case FRAMING_SEALED: /* the test's message has no seal, so that a test needs no keys */
        break;
    case FRAMING_DELIMITED:
        frame_put_varint(out, size);
        break;
    case FRAMING_LENGTH16:
        frame_put_number(out, size, 2);
        break;
    case FRAMING_LENGTH32:
    case FRAMING_FRAME_STREAMS:
        frame_put_number(out, size, 4);
        break;
    case FRAMING_LENGTH16_LE:
        put_little_number(out, size, 2);
        break;
    case FRAMING_LENGTH32_LE:
        put_little_number(out, size, 4);
        break;
    case FRAMING_CISCO_MDT: /* a header of version 1 without flags, for data in protobuf */
        frame_put_number(out, UINT64_C(0x0001000100010000), 8);
        frame_put_number(out, size, 4);
        break;
    case FRAMING_UDP_NOTIF:
        put_udp_notif(out, frame->number, size);
        break;
    case FRAMING_OTLP_UDP:
        put_otlp_udp(out, frame->schema, bytes, size);
        return;
    }
    growing_text_put(out, bytes, size);
}

/* Begins a stream with a START frame without a content type, which every listener accepts. */
void config_test_frame_begin_stream(struct growing_text *out, enum framing framing)
{
    if (framing != FRAMING_FRAME_STREAMS)
        return;
    frame_put_number(out, 0, 4);
    frame_put_number(out, 4, 4);
    frame_put_number(out, 2, 4);
}
