#include "collector/capture/pcapng_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/capture/pcapng_time.h"

/* Block types (draft-ietf-opsawg-pcapng, section 11.1). */
#define BLOCK_SECTION   0x0a0d0d0au /* the same in both byte orders */
#define BLOCK_INTERFACE 1u
#define BLOCK_PACKET    2u /* obsolete, appendix A */
#define BLOCK_SIMPLE    3u
#define BLOCK_ENHANCED  6u

#define BYTE_ORDER_MAGIC 0x1a2b3c4du

#define OPTION_END            0u
#define OPTION_IF_TIME_UNIT   9u
#define OPTION_IF_TIME_OFFSET 14u

/* Bytes of a block around its body: type and length before it, and the length again after it. */
#define AROUND_BODY 12u

/* A longer block counts as damage. No tool writes such a block, and libpcap has the same limit. */
#define MAX_BLOCK ((uint32_t)16 * 1024 * 1024)

/* Limits the memory of the interfaces, which take 24 bytes each. */
#define MAX_INTERFACES 65536u

struct block {
    uint64_t start;
    uint32_t type;
    uint32_t length;    /* length of the whole block, a multiple of 4 */
    uint32_t remaining; /* bytes of the body that were not read yet */
};

bool pcapng_file_recognises(const uint8_t magic[4])
{
    return network_u32(magic) == BLOCK_SECTION;
}

/* Returns false if the body or the file is shorter. */
static bool read_block_body(struct capture_input *input, struct block *block, uint8_t *bytes,
                            uint32_t size)
{
    if (block->remaining < size || capture_input_read(input, bytes, size) != size)
        return false;
    block->remaining -= size;
    return true;
}

static bool skip_body(struct capture_input *input, struct block *block, uint32_t size)
{
    if (block->remaining < size || !capture_input_skip(input, size))
        return false;
    block->remaining -= size;
    return true;
}

static enum capture_file_result damaged(const struct capture_input *input,
                                        const struct block *block, struct error *error,
                                        const char *reason)
{
    capture_input_damage(input, block->start, error, "%s", reason);
    return CAPTURE_FILE_DAMAGED;
}

static bool take_length(const struct capture_input *input, struct block *block, uint32_t length,
                        struct error *error)
{
    if (length < AROUND_BODY || length > MAX_BLOCK || length % 4 != 0) {
        capture_input_damage(input, block->start, error, "a block of %" PRIu32 " bytes", length);
        return false;
    }
    block->length = length;
    block->remaining = length - AROUND_BODY;
    return true;
}

static bool end_block(const struct pcapng_file *file, struct capture_input *input,
                      struct block *block, struct error *error)
{
    uint8_t trailer[4];
    RULE(block->length >= AROUND_BODY && block->remaining <= block->length - AROUND_BODY,
         "the rest of a body lies within its block");
    if (!capture_input_skip(input, block->remaining) ||
        capture_input_read(input, trailer, sizeof trailer) != sizeof trailer) {
        damaged(input, block, error, "the block is cut short");
        return false;
    }
    if (ordered_u32(file->order, trailer) != block->length) {
        damaged(input, block, error, "the two lengths of the block differ");
        return false;
    }
    return true;
}

/*
 * Reads a section header after its type. Its byte order is known only from the byte-order magic,
 * which follows the length. Drops the interfaces of the previous section.
 */
static bool read_section(struct pcapng_file *file, struct capture_input *input, struct block *block,
                         struct error *error)
{
    uint8_t head[8]; /* length, byte-order magic */
    if (capture_input_read(input, head, sizeof head) != sizeof head) {
        damaged(input, block, error, "the section header is cut short");
        return false;
    }
    file->interface_count = 0;
    file->order = BYTE_ORDER_BIG_ENDIAN;
    if (ordered_u32(file->order, head + 4) != BYTE_ORDER_MAGIC)
        file->order = BYTE_ORDER_LITTLE_ENDIAN;
    if (ordered_u32(file->order, head + 4) != BYTE_ORDER_MAGIC) {
        damaged(input, block, error, "a section header without a byte-order magic");
        return false;
    }
    if (!take_length(input, block, ordered_u32(file->order, head), error))
        return false;

    uint8_t version[12]; /* major, minor, and the section's length (unused) */
    if (block->remaining < 4 + sizeof version) {
        damaged(input, block, error, "the section header is too short");
        return false;
    }
    block->remaining -= 4; /* the magic, read above */
    if (!read_block_body(input, block, version, sizeof version)) {
        damaged(input, block, error, "the section header is cut short");
        return false;
    }
    unsigned major = ordered_u16(file->order, version);
    if (major != 1) {
        capture_input_damage(input, block->start, error, "pcapng version %u is not supported",
                             major);
        return false;
    }
    return end_block(file, input, block, error);
}

int pcapng_file_open(struct pcapng_file *file, struct capture_input *input, struct error *error)
{
    struct block block = {.type = BLOCK_SECTION};
    return read_section(file, input, &block, error) ? 0 : -1;
}

static struct pcapng_interface *add_interface(struct pcapng_file *file)
{
    RULE(file->interface_count <= file->interface_room, "interfaces lie within their array");
    if (file->interface_count == MAX_INTERFACES)
        return NULL;
    if (file->interface_count == file->interface_room) {
        size_t room = file->interface_room == 0 ? 16 : 2 * file->interface_room;
        struct pcapng_interface *larger = realloc(file->interfaces, room * sizeof *larger);
        if (larger == NULL)
            return NULL;
        file->interfaces = larger;
        file->interface_room = room;
    }
    return &file->interfaces[file->interface_count++];
}

/* An option consists of a code, a length, and a value padded to 4 bytes. */
static bool read_interface_options(const struct pcapng_file *file, struct capture_input *input,
                                   struct block *block, struct pcapng_interface *interface)
{
    while (block->remaining >= 4) {
        uint8_t head[4];
        if (!read_block_body(input, block, head, sizeof head))
            return false;
        unsigned code = ordered_u16(file->order, head);
        uint32_t length = ordered_u16(file->order, head + 2);
        uint32_t padded = (length + 3) & ~UINT32_C(3);
        if (code == OPTION_END)
            return true;
        uint8_t value[8];
        if (code == OPTION_IF_TIME_UNIT && length == 1) {
            if (!read_block_body(input, block, value, padded))
                return false;
            interface->time_resolution = value[0];
        } else if (code == OPTION_IF_TIME_OFFSET && length == 8) {
            if (!read_block_body(input, block, value, padded))
                return false;
            uint64_t offset = ordered_u64(file->order, value);
            memcpy(&interface->time_offset, &offset, sizeof offset); /* two's complement */
        } else if (!skip_body(input, block, padded)) {
            return false;
        }
    }
    return true;
}

static bool read_interface(struct pcapng_file *file, struct capture_input *input,
                           struct block *block, struct error *error)
{
    uint8_t fixed[8]; /* link type, reserved, snapshot length */
    if (!read_block_body(input, block, fixed, sizeof fixed)) {
        damaged(input, block, error, "the interface description is too short");
        return false;
    }
    struct pcapng_interface *interface = add_interface(file);
    if (interface == NULL) {
        damaged(input, block, error, "too many interfaces");
        return false;
    }
    *interface = (struct pcapng_interface){
        .link_type = ordered_u16(file->order, fixed),
        .snapshot_length = ordered_u32(file->order, fixed + 4),
        .time_resolution = PCAPNG_TIME_DEFAULT_RESOLUTION,
    };
    if (!read_interface_options(file, input, block, interface)) {
        damaged(input, block, error, "an option of the interface exceeds its block");
        return false;
    }
    return true;
}

/* Reads the fields before the packet's bytes, for Enhanced Packet and the obsolete Packet. */
static enum capture_file_result read_packet_head(const struct pcapng_file *file,
                                                 struct capture_input *input, struct block *block,
                                                 struct capture_frame *frame, struct error *error)
{
    uint8_t fixed[20]; /* interface, time (high, low), captured length, length */
    if (!read_block_body(input, block, fixed, sizeof fixed))
        return damaged(input, block, error, "the packet block is too short");
    /* In the obsolete block the index has 16 bits, and a drop count follows it. */
    uint32_t index = block->type == BLOCK_PACKET ? ordered_u16(file->order, fixed)
                                                 : ordered_u32(file->order, fixed);
    if (index >= file->interface_count)
        return damaged(input, block, error, "a packet of an interface that is not described");
    const struct pcapng_interface *interface = &file->interfaces[index];
    uint64_t units =
        (uint64_t)ordered_u32(file->order, fixed + 4) << 32 | ordered_u32(file->order, fixed + 8);
    *frame = (struct capture_frame){
        .captured = ordered_u32(file->order, fixed + 12),
        .length = ordered_u32(file->order, fixed + 16),
        .link_type = interface->link_type,
        .time_ns = pcapng_time_ns(units, interface->time_resolution, interface->time_offset),
    };
    return CAPTURE_FILE_FRAME;
}

/*
 * Reads the fields of a Simple Packet, which belongs to the first interface and has no time. Its
 * captured length is not stored: it is the smallest of the packet's length, the rest of the block
 * and the snapshot length.
 */
static enum capture_file_result read_simple_head(const struct pcapng_file *file,
                                                 struct capture_input *input, struct block *block,
                                                 struct capture_frame *frame, struct error *error)
{
    uint8_t fixed[4];
    if (!read_block_body(input, block, fixed, sizeof fixed))
        return damaged(input, block, error, "the packet block is too short");
    if (file->interface_count == 0)
        return damaged(input, block, error, "a packet of an interface that is not described");
    const struct pcapng_interface *interface = &file->interfaces[0];
    size_t length = ordered_u32(file->order, fixed);
    size_t captured = length < block->remaining ? length : block->remaining;
    if (interface->snapshot_length != 0 && interface->snapshot_length < captured)
        captured = interface->snapshot_length;
    *frame = (struct capture_frame){
        .captured = captured,
        .length = length,
        .link_type = interface->link_type,
    };
    return CAPTURE_FILE_FRAME;
}

static enum capture_file_result read_packet(const struct pcapng_file *file,
                                            struct capture_input *input, struct block *block,
                                            uint8_t *buffer, struct capture_frame *frame,
                                            struct error *error)
{
    enum capture_file_result result = block->type == BLOCK_SIMPLE
                                          ? read_simple_head(file, input, block, frame, error)
                                          : read_packet_head(file, input, block, frame, error);
    if (result != CAPTURE_FILE_FRAME)
        return result;
    if (frame->captured > CAPTURE_FRAME_MAX) {
        capture_input_damage(input, block->start, error, "a frame of %zu bytes, more than %zu",
                             frame->captured, CAPTURE_FRAME_MAX);
        return CAPTURE_FILE_DAMAGED;
    }
    if (!read_block_body(input, block, buffer, (uint32_t)frame->captured))
        return damaged(input, block, error, "the frame exceeds its block");
    frame->data = buffer;
    if (frame->length < frame->captured)
        frame->length = frame->captured;
    return end_block(file, input, block, error) ? CAPTURE_FILE_FRAME : CAPTURE_FILE_DAMAGED;
}

enum capture_file_result pcapng_file_next(struct pcapng_file *file, struct capture_input *input,
                                          uint8_t *buffer, struct capture_frame *frame,
                                          struct error *error)
{
    for (;;) {
        struct block block = {.start = input->offset};
        uint8_t head[8]; /* type, length */
        size_t got = capture_input_read(input, head, 4);
        if (got == 0 && input->last == INPUT_END)
            return CAPTURE_FILE_END;
        if (got != 4)
            return damaged(input, &block, error, "the block is cut short");
        block.type = ordered_u32(file->order, head);
        if (block.type == BLOCK_SECTION) {
            if (!read_section(file, input, &block, error))
                return CAPTURE_FILE_DAMAGED;
            continue;
        }
        if (capture_input_read(input, head + 4, 4) != 4)
            return damaged(input, &block, error, "the block is cut short");
        if (!take_length(input, &block, ordered_u32(file->order, head + 4), error))
            return CAPTURE_FILE_DAMAGED;
        if (block.type == BLOCK_PACKET || block.type == BLOCK_SIMPLE ||
            block.type == BLOCK_ENHANCED)
            return read_packet(file, input, &block, buffer, frame, error);
        if (block.type == BLOCK_INTERFACE && !read_interface(file, input, &block, error))
            return CAPTURE_FILE_DAMAGED;
        if (!end_block(file, input, &block, error))
            return CAPTURE_FILE_DAMAGED;
    }
}

void pcapng_file_close(struct pcapng_file *file)
{
    free(file->interfaces);
    *file = (struct pcapng_file){0};
}
