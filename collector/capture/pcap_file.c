#include "collector/capture/pcap_file.h"

#include <inttypes.h>

#include "collector/capture/link_layer.h"

#define MAGIC_MICROSECONDS 0xa1b2c3d4u
#define MAGIC_NANOSECONDS  0xa1b23c4du

#define HEADER_SIZE  24
#define RECORD_SIZE  16
#define MAGIC_SIZE   4
#define MAX_LENGTH   ((uint32_t)CAPTURE_FRAME_MAX)
#define LINKTYPE_LOW 0xffffu

static bool read_magic(const uint8_t magic[4], enum byte_order order, uint32_t *time_unit_ns)
{
    uint32_t value = ordered_u32(order, magic);
    *time_unit_ns = value == MAGIC_NANOSECONDS ? 1 : 1000;
    return value == MAGIC_MICROSECONDS || value == MAGIC_NANOSECONDS;
}

bool pcap_file_recognises(const uint8_t magic[4])
{
    uint32_t unused;
    return read_magic(magic, BYTE_ORDER_BIG_ENDIAN, &unused) ||
           read_magic(magic, BYTE_ORDER_LITTLE_ENDIAN, &unused);
}

int pcap_file_open(struct pcap_file *file, struct capture_input *input, const uint8_t magic[4],
                   struct error *error)
{
    uint8_t header[HEADER_SIZE - MAGIC_SIZE];
    if (capture_input_read(input, header, sizeof header) != sizeof header) {
        capture_input_damage(input, 0, error, "the header is cut short");
        return -1;
    }
    file->order = BYTE_ORDER_BIG_ENDIAN;
    if (!read_magic(magic, file->order, &file->time_unit_ns)) {
        file->order = BYTE_ORDER_LITTLE_ENDIAN;
        (void)read_magic(magic, file->order, &file->time_unit_ns);
    }

    /* Before version 2.4 the order of the two lengths of a record was not defined. */
    unsigned major = ordered_u16(file->order, header);
    unsigned minor = ordered_u16(file->order, header + 2);
    if (major != 2 || minor < 4) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: pcap version %u.%u is not supported",
                  input->path, major, minor);
        return -1;
    }
    /*
     * The upper 16 bits of the link type show whether frames end in a checksum. The frame parser
     * ignores the checksum like padding.
     */
    file->link_type = ordered_u32(file->order, header + 16) & LINKTYPE_LOW;
    if (!link_layer_supports(file->link_type)) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: link type %" PRIu32 " is not supported",
                  input->path, file->link_type);
        return -1;
    }
    return 0;
}

enum capture_file_result pcap_file_next(struct pcap_file *file, struct capture_input *input,
                                        uint8_t *buffer, struct capture_frame *frame,
                                        struct error *error)
{
    uint64_t start = input->offset;
    uint8_t room[RECORD_SIZE];
    size_t got;
    const uint8_t *record = capture_input_view(input, room, sizeof room, &got);
    if (got == 0 && input->last == INPUT_END)
        return CAPTURE_FILE_END;
    if (got != sizeof room) {
        capture_input_damage(input, start, error, "the record is cut short");
        return CAPTURE_FILE_DAMAGED;
    }

    /* Cannot overflow: 2^32 s + 2^32 us are less than 2^63 ns. */
    int64_t time_ns = (int64_t)ordered_u32(file->order, record) * 1000000000 +
                      (int64_t)ordered_u32(file->order, record + 4) * file->time_unit_ns;
    uint32_t captured = ordered_u32(file->order, record + 8);
    uint32_t length = ordered_u32(file->order, record + 12);
    if (captured > MAX_LENGTH) {
        capture_input_damage(input, start, error,
                             "a frame of %" PRIu32 " bytes, more than %" PRIu32, captured,
                             MAX_LENGTH);
        return CAPTURE_FILE_DAMAGED;
    }
    const uint8_t *data = capture_input_view(input, buffer, captured, &got);
    if (got != captured) {
        capture_input_damage(input, start, error, "the frame is cut short");
        return CAPTURE_FILE_DAMAGED;
    }
    *frame = (struct capture_frame){
        .data = data,
        .captured = captured,
        .length = length < captured ? captured : length,
        .link_type = file->link_type,
        .time_ns = time_ns,
    };
    return CAPTURE_FILE_FRAME;
}
