/*
 * Writes pcapng (draft-ietf-opsawg-pcapng): sections of one interface of nanoseconds, and packets
 * with a comment; least significant byte first.
 *
 * Pure functions over the caller's bytes; any thread. Reading it is pcapng_file.h's.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_PCAPNG_WRITER_H
#define SLUICE_COLLECTOR_CAPTURE_PCAPNG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a section's beginning; those before a packet; those after it at most. */
#define PCAPNG_SECTION_SIZE 60
#define PCAPNG_PACKET_HEAD  28
#define PCAPNG_COMMENT_MAX  512
#define PCAPNG_PACKET_TAIL  (3 + 4 + PCAPNG_COMMENT_MAX + 3 + 4 + 4)

/* Bytes of a packet at most. */
#define PCAPNG_PACKET_MAX ((size_t)128 * 1024)

/*
 * Writes the PCAPNG_SECTION_SIZE bytes that a section begins with: its header and the description
 * of its one interface, whose frames are of this link type (link_layer.h).
 */
void pcapng_write_section(uint8_t *to, uint16_t link_type);

struct pcapng_packet {
    int64_t time_ns; /* since 1970 UTC; one before becomes 0 */
    size_t captured; /* bytes of it that there are, at most PCAPNG_PACKET_MAX */
    size_t length;   /* bytes that it had on the wire */
    const char *comment;
    size_t comment_size; /* without a NUL, at most PCAPNG_COMMENT_MAX */
};

/*
 * Makes a packet's bytes, which stand PCAPNG_PACKET_HEAD bytes after `block`, a block: writes what
 * goes before and after them. Returns the bytes of the block.
 */
size_t pcapng_write_packet(uint8_t *block, const struct pcapng_packet *packet);

/*
 * Of bytes of such a file, what is whole, as collector/platform/output_file.h says.
 * Blocks that others have written are allowed, but a torn one must be ours.
 */
size_t pcapng_whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign);

#endif
