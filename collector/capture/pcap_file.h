/*
 * Reads the pcap format: a header of 24 bytes, then for each frame a record header of 16 bytes and
 * the frame (draft-ietf-opsawg-pcap, sections 4 and 5).
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_PCAP_FILE_H
#define SLUICE_COLLECTOR_CAPTURE_PCAP_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/byte_order.h"
#include "collector/base/error.h"
#include "collector/capture/capture_file.h"
#include "collector/capture/capture_input.h"

struct pcap_file {
    enum byte_order order;
    uint32_t time_unit_ns; /* 1000 or 1 */
    uint32_t link_type;
};

/* Returns true if a file that begins with these bytes is a pcap file. */
bool pcap_file_recognises(const uint8_t magic[4]);

/*
 * Reads the rest of the header after the magic. Returns 0, or -1 with `error` filled: the file is
 * too short, or its version or link type is not supported.
 */
int pcap_file_open(struct pcap_file *file, struct capture_input *input, const uint8_t magic[4],
                   struct error *error);

/*
 * Reads the next frame. Its bytes are in the input's buffer if that has all of them, otherwise in
 * `buffer` (CAPTURE_FRAME_MAX bytes). They are valid until the next read.
 */
enum capture_file_result pcap_file_next(struct pcap_file *file, struct capture_input *input,
                                        uint8_t *buffer, struct capture_frame *frame,
                                        struct error *error);

#endif
