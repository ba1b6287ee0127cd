/*
 * Builds packets and capture files for tests field by field, so that a test can also build invalid
 * ones.
 *
 * A packet is built from the inside: first the payload, then each header in front of it. A file is
 * built from its beginning, and is written to a temporary path that is removed when the program
 * ends. If memory is short the program aborts.
 */
#ifndef SLUICE_TESTS_SUPPORT_CAPTURE_CAPTURE_BUILDER_H
#define SLUICE_TESTS_SUPPORT_CAPTURE_CAPTURE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- packets ---------------------------------------------------------------------------------- */

#define PACKET_HEADER_ROOM 1024
#define PACKET_ROOM        (PACKET_HEADER_ROOM + 65536)

struct packet {
    uint8_t room[PACKET_ROOM];
    size_t start; /* offset in `room` of the outermost header */
    size_t size;
};

/* Returns the bytes of the packet as it is now. */
const uint8_t *packet_bytes(const struct packet *packet);

/* Begins a packet with its innermost bytes, at most 65,536. */
void packet_begin(struct packet *packet, const void *bytes, size_t size);

/*
 * Begins a packet with `size` bytes of a pattern that `seed` selects. packet_pattern returns the
 * byte of this pattern at `at`.
 */
void packet_begin_pattern(struct packet *packet, unsigned seed, size_t size);
uint8_t packet_pattern(unsigned seed, size_t at);

/* packet_prepend adds bytes in front of the packet, packet_pad adds zero bytes after it. */
void packet_prepend(struct packet *packet, const void *bytes, size_t size);
void packet_pad(struct packet *packet, size_t size);

/* Prepends a UDP header with the checksum 0. Its length field covers the whole packet. */
void packet_udp(struct packet *packet, uint16_t source_port, uint16_t destination_port);

/* Fields of an IPv4 header. The addresses are 192.0.2.`source` and 192.0.2.`destination`. */
struct packet_ipv4 {
    uint8_t source, destination;
    uint8_t protocol;      /* 0 means UDP */
    uint8_t options;       /* bytes of options, a multiple of 4 */
    uint16_t id;           /* Identification */
    uint16_t flags_offset; /* the flags and the fragment offset, in units of 8 bytes */
};
#define PACKET_MORE_FRAGMENTS 0x2000u
void packet_ipv4(struct packet *packet, const struct packet_ipv4 *fields);

/* Prepends an IPv6 header from 2001:db8::SOURCE to 2001:db8::DESTINATION. */
void packet_ipv6(struct packet *packet, uint8_t source, uint8_t destination, uint8_t next_header);

/* Prepends an IPv6 extension header of 8 * (1 + more) bytes. */
void packet_ipv6_extension(struct packet *packet, uint8_t next_header, uint8_t more);

/* Prepends an IPv6 fragment header; `offset` is in bytes. */
void packet_ipv6_fragment(struct packet *packet, uint8_t next_header, size_t offset, bool more,
                          uint32_t id);

/* Prepend link-layer headers. */
void packet_ethernet(struct packet *packet, uint16_t ethertype);
/* Prepends a VLAN tag with the id 0. `ethertype` is that of the payload. */
void packet_vlan(struct packet *packet, uint16_t ethertype);
void packet_linux_cooked(struct packet *packet, uint16_t ethertype);
void packet_linux_cooked_v2(struct packet *packet, uint16_t ethertype);

/*
 * Builds an Ethernet frame with a UDP packet over IPv4, from 192.0.2.1:40000. The payload is `size`
 * bytes of the pattern `seed`.
 */
void packet_simple(struct packet *packet, unsigned seed, size_t size, uint16_t destination_port);

/*
 * Builds an Ethernet frame with an IPv4 fragment, from 192.0.2.1 to 192.0.2.2. The fragment's
 * payload is `size` bytes at `offset` of `datagram`. A datagram begins with its UDP header.
 */
void packet_ipv4_part(struct packet *packet, const struct packet *datagram, size_t offset,
                      size_t size, uint16_t id);

/* The same as packet_ipv4_part, for an IPv6 fragment from 2001:db8::1 to 2001:db8::2. */
void packet_ipv6_part(struct packet *packet, const struct packet *datagram, size_t offset,
                      size_t size, uint32_t id);

/* --- files ------------------------------------------------------------------------------------ */

struct capture_builder {
    uint8_t *bytes;
    size_t size;
    size_t room;
    bool big_endian; /* byte order of numbers appended later; set by the file or section header */
};

#define PCAP_MICROSECONDS 0xa1b2c3d4u
#define PCAP_NANOSECONDS  0xa1b23c4du

/* Frees the bytes (not the written file), and begins an empty capture. */
void capture_builder_clear(struct capture_builder *builder);

/* Appends bytes, or a number in the file's byte order. */
void capture_builder_raw(struct capture_builder *builder, const void *bytes, size_t size);
void capture_builder_u16(struct capture_builder *builder, uint16_t value);
void capture_builder_u32(struct capture_builder *builder, uint32_t value);

/*
 * Append the parts of a pcap file: its header, and a record with the first `captured` bytes of the
 * packet.
 */
void capture_builder_pcap(struct capture_builder *builder, bool big_endian, uint32_t magic,
                          uint32_t link_type);
void capture_builder_record(struct capture_builder *builder, uint32_t seconds, uint32_t fraction,
                            const struct packet *packet, size_t captured);

/*
 * Append parts of a pcapng file: a block of any type, and a section header. The body of a block is
 * padded to a multiple of 4 bytes.
 */
void capture_builder_block(struct capture_builder *builder, uint32_t type, const void *body,
                           size_t size);
void capture_builder_section(struct capture_builder *builder, bool big_endian);

/*
 * Appends an interface block. `options` may be NULL. Numbers in it must be in the file's byte
 * order.
 */
void capture_builder_interface(struct capture_builder *builder, uint16_t link_type,
                               uint32_t snapshot_length, const void *options, size_t options_size);

/* Append a packet as an enhanced, an obsolete or a simple packet block. */
void capture_builder_enhanced(struct capture_builder *builder, uint32_t interface, uint64_t time,
                              const struct packet *packet, size_t captured);
void capture_builder_obsolete(struct capture_builder *builder, uint16_t interface, uint64_t time,
                              const struct packet *packet, size_t captured);
void capture_builder_simple(struct capture_builder *builder, const struct packet *packet,
                            size_t captured);

/*
 * Writes the file and returns its path, which is the same each time. The file is in a scratch
 * directory that is removed when the program ends.
 */
const char *capture_builder_save(const struct capture_builder *builder);

#endif
