/*
 * Writes pcapng (draft-ietf-opsawg-pcapng), little-endian: sections with one interface whose times
 * are nanoseconds, and packets with a comment.
 *
 * Pure functions; the caller owns the bytes. Any thread.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_PCAPNG_WRITER_H
#define SLUICE_COLLECTOR_CAPTURE_PCAPNG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Sizes in bytes: the beginning of a section (its header and its interface), the part of a block
 * before a packet, the longest comment, and the longest part of a block after a packet.
 */
#define PCAPNG_SECTION_SIZE 60
#define PCAPNG_PACKET_HEAD  28
#define PCAPNG_COMMENT_MAX  512
#define PCAPNG_PACKET_TAIL  (3 + 4 + PCAPNG_COMMENT_MAX + 3 + 4 + 4)

/* The most bytes of a packet in a block. */
#define PCAPNG_PACKET_MAX ((size_t)128 * 1024)

/*
 * Writes the first PCAPNG_SECTION_SIZE bytes of a section: the section header and the description
 * of an interface with this link type (link_layer.h).
 */
void pcapng_write_section(uint8_t *to, uint16_t link_type);

struct pcapng_packet {
    int64_t time_ns; /* nanoseconds since 1970 UTC; written as 0 if negative */
    size_t captured; /* bytes in the block, at most PCAPNG_PACKET_MAX */
    size_t length;   /* bytes on the wire */
    const char *comment;
    size_t comment_size; /* without a NUL, at most PCAPNG_COMMENT_MAX */
};

/*
 * Completes the block of a packet whose bytes are already at `block` + PCAPNG_PACKET_HEAD: writes
 * the bytes before and after them. Returns the size of the block.
 */
size_t pcapng_write_packet(uint8_t *block, const struct pcapng_packet *packet);

/*
 * Implements output_whole (collector/platform/output_file.h) for pcapng. Accepts whole blocks of
 * any program. Sets *foreign if the bytes are not little-endian pcapng, or if they end with an
 * incomplete block that this program cannot have written.
 */
size_t pcapng_whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign);

#endif
