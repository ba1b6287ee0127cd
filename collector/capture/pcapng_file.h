/*
 * Reads the pcapng format (draft-ietf-opsawg-pcapng). A file consists of sections, each in a byte
 * order of its own, and a section consists of blocks. Each packet belongs to an interface, which
 * has a link type and a unit of time.
 *
 * Supports the blocks Section Header, Interface Description, Enhanced Packet, Simple Packet and the
 * obsolete Packet; skips other blocks.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_PCAPNG_FILE_H
#define SLUICE_COLLECTOR_CAPTURE_PCAPNG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/byte_order.h"
#include "collector/base/error.h"
#include "collector/capture/capture_file.h"
#include "collector/capture/capture_input.h"

struct pcapng_interface {
    uint32_t link_type;
    uint32_t snapshot_length; /* in bytes; 0 means no limit */
    int64_t time_offset;      /* seconds, if_tsoffset */
    uint8_t time_resolution;  /* if_tsresol */
};

struct pcapng_file {
    enum byte_order order;               /* of the present section */
    struct pcapng_interface *interfaces; /* of the section, in the order of their blocks */
    size_t interface_count;
    size_t interface_room;
};

/* Returns true if a file that begins with these bytes is a pcapng file. */
bool pcapng_file_recognises(const uint8_t magic[4]);

/*
 * Reads the rest of the section header after the magic; the struct must be zero before. Returns 0,
 * or -1 with `error` filled.
 */
int pcapng_file_open(struct pcapng_file *file, struct capture_input *input, struct error *error);

/* Reads the next frame, and its bytes into `buffer` (CAPTURE_FRAME_MAX bytes). */
enum capture_file_result pcapng_file_next(struct pcapng_file *file, struct capture_input *input,
                                          uint8_t *buffer, struct capture_frame *frame,
                                          struct error *error);

/* Frees the memory of the interfaces. The struct may be zero. */
void pcapng_file_close(struct pcapng_file *file);

#endif
