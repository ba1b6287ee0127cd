/*
 * Fuzzes the reading of a capture file, down to the datagrams that are assembled from fragments.
 *
 * Fields of the envelope: 1 the kind of file (0: only the bytes of field 4; 1: pcap, 2: pcapng,
 * each with the frames of field 3 first; plus 4: big-endian); 2 the link type; 3 frames; 4 bytes; 5
 * the port.
 *
 * The counts must add up, a datagram must have at most 65,535 bytes, and a capture that is written
 * from the datagrams must contain the same datagrams.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/capture/capture.h"
#include "sinks/encoders/encoders.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"

enum { PART_KIND = 1, PART_LINK = 2, PART_FRAME = 3, PART_BYTES = 4, PART_PORT = 5 };

#define SECOND INT64_C(1000000000)

/* --- the file --------------------------------------------------------------------------------- */

struct bytes {
    uint8_t *data;
    size_t size, room;
    bool big; /* big-endian */
};

static void put(struct bytes *bytes, const void *data, size_t size)
{
    while (bytes->size + size > bytes->room) {
        bytes->room = bytes->room * 2 + 4096;
        bytes->data = realloc(bytes->data, bytes->room);
        if (bytes->data == NULL)
            abort();
    }
    if (size != 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_number(struct bytes *bytes, uint32_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t place = bytes->big ? size - 1 - i : i;
        uint8_t byte = (uint8_t)(value >> 8 * place);
        put(bytes, &byte, 1);
    }
}

static void put_frame(struct bytes *file, const struct envelope_part *frame, size_t index, bool ng)
{
    static const uint8_t zero[4];
    uint32_t size = (uint32_t)frame->size;
    uint32_t padding = (4 - size % 4) % 4;
    if (!ng) {
        put_number(file, 1700000000, 4);
        put_number(file, (uint32_t)index, 4);
        put_number(file, size, 4);
        put_number(file, size, 4);
        put(file, frame->bytes, frame->size);
        return;
    }
    put_number(file, 6, 4); /* an enhanced packet block of interface 0 */
    put_number(file, 32 + size + padding, 4);
    put_number(file, 0, 4);
    put_number(file, 0x60000, 4);
    put_number(file, (uint32_t)index, 4);
    put_number(file, size, 4);
    put_number(file, size, 4);
    put(file, frame->bytes, frame->size);
    put(file, zero, padding);
    put_number(file, 32 + size + padding, 4);
}

static void put_head(struct bytes *file, uint32_t link, bool ng)
{
    if (ng) {
        static const uint8_t unknown[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
        put_number(file, 0x0a0d0d0a, 4);
        put_number(file, 28, 4);
        put_number(file, 0x1a2b3c4d, 4);
        put_number(file, 1, 2);
        put_number(file, 0, 2);
        put(file, unknown, 8);
        put_number(file, 28, 4);
        put_number(file, 1, 4);
        put_number(file, 20, 4);
        put_number(file, link, 2);
        put_number(file, 0, 2);
        put_number(file, 262144, 4);
        put_number(file, 20, 4);
        return;
    }
    put_number(file, 0xa1b2c3d4, 4);
    put_number(file, 2, 2);
    put_number(file, 4, 2);
    put_number(file, 0, 4);
    put_number(file, 0, 4);
    put_number(file, 262144, 4);
    put_number(file, link, 4);
}

static void make(struct bytes *file, const struct envelope *envelope)
{
    uint64_t kind = envelope_value(envelope, PART_KIND, 0) % 8;
    const struct envelope_part *part;
    file->big = (kind & 4) != 0;
    if ((kind & 3) != 0) {
        bool ng = (kind & 3) == 2;
        put_head(file, (uint32_t)envelope_value(envelope, PART_LINK, 101), ng);
        for (size_t i = 0; (part = envelope_bytes(envelope, PART_FRAME, i)) != NULL; i++)
            put_frame(file, part, i, ng);
    }
    for (size_t i = 0; (part = envelope_bytes(envelope, PART_BYTES, i)) != NULL; i++)
        put(file, part->bytes, part->size);
}

/* --- reading the capture ---------------------------------------------------------------------- */

static void check_counts(const struct capture_counts *counts, uint64_t datagrams)
{
    EXPECT(counts->frames == counts->whole + counts->fragments + counts->other + counts->cut,
           "the frames do not add up");
    EXPECT(datagrams == counts->whole + counts->reassembled, "the datagrams do not add up");
}

static void write_again(struct encoder *encoder, const struct capture_datagram *datagram,
                        struct bytes *to)
{
    static char room[80 * 1024];
    struct output out = {.data = room, .capacity = sizeof room};
    const struct packet packet = {.data = datagram->data,
                                  .size = (uint32_t)datagram->size,
                                  .destination = datagram->destination};
    const struct record record = {
        .packet = &packet, .source = datagram->source, .received_ns = datagram->time_ns};
    encoder->ops->encode(encoder, NULL, &record, &out);
    if (!out.overflow) /* the encoder refuses what does not fit in one packet */
        put(to, out.data, out.used);
}

static uint64_t read_all(const char *path, uint16_t port, struct encoder *encoder, struct bytes *to)
{
    struct capture *capture;
    struct capture_datagram datagram;
    struct error error = {0};
    uint64_t datagrams = 0;
    if (capture_open(path, port, &capture, &error) != 0) {
        EXPECT(error.code == EXIT_CODE_BAD_INPUT && error.text[0] != '\0', "no reason");
        return 0;
    }
    for (; capture_next(capture, &datagram, &error) == CAPTURE_DATAGRAM; datagrams++) {
        EXPECT(datagram.size <= UINT16_MAX, "a datagram of %zu bytes", datagram.size);
        EXPECT(datagrams < capture_counts(capture)->frames, "more datagrams than frames");
        if (to != NULL)
            write_again(encoder, &datagram, to);
    }
    check_counts(capture_counts(capture), datagrams);
    EXPECT(capture_next(capture, &datagram, &error) != CAPTURE_DATAGRAM,
           "it goes on after its end");
    capture_close(capture);
    return datagrams;
}

/*
 * Checks that a capture that the encoder wrote is read completely and written again without a
 * change.
 */
static void check_own(struct encoder *encoder, const struct bytes *own)
{
    struct bytes again = {0};
    struct memory_file file;
    struct output head = {.data = malloc(ENCODER_HEAD_SIZE), .capacity = ENCODER_HEAD_SIZE};
    if (head.data == NULL)
        abort();
    encoder->ops->begin(encoder, &head);
    struct bytes whole = {0};
    put(&whole, head.data, head.used);
    put(&whole, own->data, own->size);
    memory_file_make(&file, whole.data, whole.size);
    read_all(file.path, 0, encoder, &again);
    EXPECT(again.size == own->size &&
               (own->size == 0 || memcmp(again.data, own->data, own->size) == 0),
           "of %zu bytes of our own capture %zu were read and written again", own->size,
           again.size);
    memory_file_close(&file);
    free(again.data);
    free(whole.data);
    free(head.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    struct bytes made = {0};
    struct bytes own = {0};
    struct memory_file file;
    const struct encoder_options options = {0};
    struct encoder *encoder = encoder_pcap.create(&options);
    if (encoder == NULL)
        abort();
    envelope_read(&envelope, data, size);
    make(&made, &envelope);
    memory_file_make(&file, made.data, made.size);
    read_all(file.path, (uint16_t)envelope_value(&envelope, PART_PORT, 0), encoder, &own);
    check_own(encoder, &own);
    memory_file_close(&file);
    encoder_pcap.destroy(encoder);
    free(own.data);
    free(made.data);
    envelope_free(&envelope);
    return 0;
}
