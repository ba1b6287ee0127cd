#include "tests/support/capture/capture_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/platform/scratch_directory.h"

#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define PROTOCOL_UDP   17

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "capture builder: %s\n", what);
    abort();
}

static void put_u16(uint8_t *bytes, size_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

/* --- packets ---------------------------------------------------------------------------------- */

const uint8_t *packet_bytes(const struct packet *packet)
{
    return packet->room + packet->start;
}

void packet_begin(struct packet *packet, const void *bytes, size_t size)
{
    require(size <= PACKET_ROOM - PACKET_HEADER_ROOM, "payload too large");
    packet->start = PACKET_HEADER_ROOM;
    packet->size = size;
    if (size != 0)
        memcpy(packet->room + packet->start, bytes, size);
}

uint8_t packet_pattern(unsigned seed, size_t at)
{
    return (uint8_t)((size_t)seed * 31 + at * 7 + (at >> 8) * 13);
}

void packet_begin_pattern(struct packet *packet, unsigned seed, size_t size)
{
    packet_begin(packet, NULL, 0);
    require(size <= PACKET_ROOM - PACKET_HEADER_ROOM, "payload too large");
    packet->size = size;
    for (size_t at = 0; at < size; at++)
        packet->room[packet->start + at] = packet_pattern(seed, at);
}

void packet_prepend(struct packet *packet, const void *bytes, size_t size)
{
    require(size <= packet->start, "too many headers");
    packet->start -= size;
    packet->size += size;
    memcpy(packet->room + packet->start, bytes, size);
}

void packet_pad(struct packet *packet, size_t size)
{
    require(packet->start + packet->size + size <= PACKET_ROOM, "too much padding");
    memset(packet->room + packet->start + packet->size, 0, size);
    packet->size += size;
}

void packet_udp(struct packet *packet, uint16_t source_port, uint16_t destination_port)
{
    uint8_t header[8] = {0};
    put_u16(header, source_port);
    put_u16(header + 2, destination_port);
    put_u16(header + 4, packet->size + sizeof header);
    packet_prepend(packet, header, sizeof header);
}

void packet_ipv4(struct packet *packet, const struct packet_ipv4 *fields)
{
    uint8_t header[60] = {0};
    size_t size = 20 + (size_t)fields->options;
    static const uint8_t network[3] = {192, 0, 2};
    header[0] = (uint8_t)(4 << 4 | size / 4);
    put_u16(header + 2, packet->size + size);
    put_u16(header + 4, fields->id);
    put_u16(header + 6, fields->flags_offset);
    header[8] = 64;
    header[9] = fields->protocol == 0 ? PROTOCOL_UDP : fields->protocol;
    memcpy(header + 12, network, 3);
    header[15] = fields->source;
    memcpy(header + 16, network, 3);
    header[19] = fields->destination;
    memset(header + 20, 1, fields->options); /* "no operation" */
    packet_prepend(packet, header, size);
}

void packet_ipv6(struct packet *packet, uint8_t source, uint8_t destination, uint8_t next_header)
{
    uint8_t header[40] = {6 << 4};
    static const uint8_t network[4] = {0x20, 0x01, 0x0d, 0xb8};
    put_u16(header + 4, packet->size);
    header[6] = next_header;
    header[7] = 64;
    memcpy(header + 8, network, 4);
    header[23] = source;
    memcpy(header + 24, network, 4);
    header[39] = destination;
    packet_prepend(packet, header, sizeof header);
}

void packet_ipv6_extension(struct packet *packet, uint8_t next_header, uint8_t more)
{
    static const uint8_t zero[8];
    for (unsigned i = 0; i < more; i++)
        packet_prepend(packet, zero, sizeof zero);
    uint8_t first[8] = {next_header, more};
    packet_prepend(packet, first, sizeof first);
}

void packet_ipv6_fragment(struct packet *packet, uint8_t next_header, size_t offset, bool more,
                          uint32_t id)
{
    uint8_t header[8] = {next_header};
    put_u16(header + 2, offset | more);
    put_u16(header + 4, id >> 16);
    put_u16(header + 6, id & 0xffff);
    packet_prepend(packet, header, sizeof header);
}

void packet_ethernet(struct packet *packet, uint16_t ethertype)
{
    uint8_t header[14] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2};
    put_u16(header + 12, ethertype);
    packet_prepend(packet, header, sizeof header);
}

void packet_vlan(struct packet *packet, uint16_t ethertype)
{
    uint8_t tag[4] = {0, 100};
    put_u16(tag + 2, ethertype);
    packet_prepend(packet, tag, sizeof tag);
}

void packet_linux_cooked(struct packet *packet, uint16_t ethertype)
{
    uint8_t header[16] = {0, 0, 0, 1, 0, 6, 2};
    put_u16(header + 14, ethertype);
    packet_prepend(packet, header, sizeof header);
}

void packet_linux_cooked_v2(struct packet *packet, uint16_t ethertype)
{
    uint8_t header[20] = {0};
    put_u16(header, ethertype);
    packet_prepend(packet, header, sizeof header);
}

void packet_simple(struct packet *packet, unsigned seed, size_t size, uint16_t destination_port)
{
    packet_begin_pattern(packet, seed, size);
    packet_udp(packet, 40000, destination_port);
    packet_ipv4(packet, &(struct packet_ipv4){.source = 1, .destination = 2});
    packet_ethernet(packet, ETHERTYPE_IPV4);
}

void packet_ipv4_part(struct packet *packet, const struct packet *datagram, size_t offset,
                      size_t size, uint16_t id)
{
    require(offset % 8 == 0 && offset + size <= datagram->size, "no such part");
    packet_begin(packet, packet_bytes(datagram) + offset, size);
    bool more = offset + size < datagram->size;
    packet_ipv4(packet,
                &(struct packet_ipv4){
                    .source = 1,
                    .destination = 2,
                    .id = id,
                    .flags_offset = (uint16_t)(offset / 8 | (more ? PACKET_MORE_FRAGMENTS : 0)),
                });
    packet_ethernet(packet, ETHERTYPE_IPV4);
}

void packet_ipv6_part(struct packet *packet, const struct packet *datagram, size_t offset,
                      size_t size, uint32_t id)
{
    require(offset % 8 == 0 && offset + size <= datagram->size, "no such part");
    packet_begin(packet, packet_bytes(datagram) + offset, size);
    packet_ipv6_fragment(packet, PROTOCOL_UDP, offset, offset + size < datagram->size, id);
    packet_ipv6(packet, 1, 2, 44);
    packet_ethernet(packet, ETHERTYPE_IPV6);
}

/* --- files ------------------------------------------------------------------------------------ */

void capture_builder_clear(struct capture_builder *builder)
{
    free(builder->bytes);
    *builder = (struct capture_builder){0};
}

void capture_builder_raw(struct capture_builder *builder, const void *bytes, size_t size)
{
    if (builder->room - builder->size < size) {
        builder->room = 2 * builder->room + size + 4096;
        builder->bytes = realloc(builder->bytes, builder->room);
        require(builder->bytes != NULL, "out of memory");
    }
    if (size != 0)
        memcpy(builder->bytes + builder->size, bytes, size);
    builder->size += size;
}

static void append_number(struct capture_builder *builder, uint32_t value, size_t size)
{
    uint8_t bytes[4];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * (builder->big_endian ? size - 1 - i : i));
    capture_builder_raw(builder, bytes, size);
}

void capture_builder_u16(struct capture_builder *builder, uint16_t value)
{
    append_number(builder, value, 2);
}

void capture_builder_u32(struct capture_builder *builder, uint32_t value)
{
    append_number(builder, value, 4);
}

void capture_builder_pcap(struct capture_builder *builder, bool big_endian, uint32_t magic,
                          uint32_t link_type)
{
    builder->big_endian = big_endian;
    capture_builder_u32(builder, magic);
    capture_builder_u16(builder, 2);
    capture_builder_u16(builder, 4);
    capture_builder_u32(builder, 0);
    capture_builder_u32(builder, 0);
    capture_builder_u32(builder, 262144);
    capture_builder_u32(builder, link_type);
}

void capture_builder_record(struct capture_builder *builder, uint32_t seconds, uint32_t fraction,
                            const struct packet *packet, size_t captured)
{
    require(captured <= packet->size, "nothing more to capture");
    capture_builder_u32(builder, seconds);
    capture_builder_u32(builder, fraction);
    capture_builder_u32(builder, (uint32_t)captured);
    capture_builder_u32(builder, (uint32_t)packet->size);
    capture_builder_raw(builder, packet_bytes(packet), captured);
}

/*
 * Writes the type and length of a block. The caller then writes its `size` bytes and calls
 * end_block.
 */
static void begin_block(struct capture_builder *builder, uint32_t type, size_t size)
{
    capture_builder_u32(builder, type);
    capture_builder_u32(builder, (uint32_t)((size + 3) / 4 * 4 + 12));
}

static void end_block(struct capture_builder *builder, size_t size)
{
    static const uint8_t zero[4];
    capture_builder_raw(builder, zero, (4 - size % 4) % 4);
    capture_builder_u32(builder, (uint32_t)((size + 3) / 4 * 4 + 12));
}

void capture_builder_block(struct capture_builder *builder, uint32_t type, const void *body,
                           size_t size)
{
    begin_block(builder, type, size);
    capture_builder_raw(builder, body, size);
    end_block(builder, size);
}

void capture_builder_section(struct capture_builder *builder, bool big_endian)
{
    builder->big_endian = big_endian;
    begin_block(builder, 0x0a0d0d0a, 16);
    capture_builder_u32(builder, 0x1a2b3c4d);
    capture_builder_u16(builder, 1);
    capture_builder_u16(builder, 0);
    capture_builder_u32(builder, 0xffffffff); /* section length: not specified */
    capture_builder_u32(builder, 0xffffffff);
    end_block(builder, 16);
}

void capture_builder_interface(struct capture_builder *builder, uint16_t link_type,
                               uint32_t snapshot_length, const void *options, size_t options_size)
{
    begin_block(builder, 1, 8 + options_size);
    capture_builder_u16(builder, link_type);
    capture_builder_u16(builder, 0);
    capture_builder_u32(builder, snapshot_length);
    capture_builder_raw(builder, options, options_size);
    end_block(builder, 8 + options_size);
}

static void append_packet(struct capture_builder *builder, uint64_t time,
                          const struct packet *packet, size_t captured)
{
    require(captured <= packet->size, "nothing more to capture");
    capture_builder_u32(builder, (uint32_t)(time >> 32));
    capture_builder_u32(builder, (uint32_t)time);
    capture_builder_u32(builder, (uint32_t)captured);
    capture_builder_u32(builder, (uint32_t)packet->size);
    capture_builder_raw(builder, packet_bytes(packet), captured);
    end_block(builder, 20 + captured);
}

void capture_builder_enhanced(struct capture_builder *builder, uint32_t interface, uint64_t time,
                              const struct packet *packet, size_t captured)
{
    begin_block(builder, 6, 20 + captured);
    capture_builder_u32(builder, interface);
    append_packet(builder, time, packet, captured);
}

void capture_builder_obsolete(struct capture_builder *builder, uint16_t interface, uint64_t time,
                              const struct packet *packet, size_t captured)
{
    begin_block(builder, 2, 20 + captured);
    capture_builder_u16(builder, interface);
    capture_builder_u16(builder, 0xffff); /* number of dropped packets: unknown */
    append_packet(builder, time, packet, captured);
}

void capture_builder_simple(struct capture_builder *builder, const struct packet *packet,
                            size_t captured)
{
    require(captured <= packet->size, "nothing more to capture");
    begin_block(builder, 3, 4 + captured);
    capture_builder_u32(builder, (uint32_t)packet->size);
    capture_builder_raw(builder, packet_bytes(packet), captured);
    end_block(builder, 4 + captured);
}

/* --- the file --------------------------------------------------------------------------------- */

static char path[600];

static void remove_directory(void)
{
    (void)scratch_remove(NULL);
}

static void make_directory(void)
{
    if (path[0] != '\0')
        return;
    require(scratch_make(NULL) == 0, "no temporary directory");
    require(atexit(remove_directory) == 0, "atexit");
    snprintf(path, sizeof path, "%s", scratch_path("capture"));
}

const char *capture_builder_save(const struct capture_builder *builder)
{
    make_directory();
    scratch_put("capture", builder->size == 0 ? "" : (const char *)builder->bytes, builder->size);
    return path;
}
