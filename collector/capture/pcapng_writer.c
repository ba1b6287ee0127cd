#include "collector/capture/pcapng_writer.h"

#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"

#define BLOCK_SECTION   0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_ENHANCED  6u

#define BYTE_ORDER_MAGIC 0x1a2b3c4du

#define OPTION_END          0u
#define OPTION_COMMENT      1u
#define OPTION_IF_TIME_UNIT 9u
#define NANOSECONDS         9u /* nanoseconds: 10^-9 s */

#define SECTION_HEADER 28u
#define INTERFACE      32u

_Static_assert(PCAPNG_SECTION_SIZE == SECTION_HEADER + INTERFACE, "a section's beginning");

/* Bytes before a block's body (its type and length), and after it (the length again). */
#define BEFORE_BODY 8u
#define AROUND_BODY 12u

static void put_around(uint8_t *block, uint32_t type, size_t length)
{
    put_little_u32(block, type);
    put_little_u32(block + 4, (uint32_t)length);
    put_little_u32(block + length - 4, (uint32_t)length);
}

void pcapng_write_section(uint8_t *to, uint16_t link_type)
{
    memset(to, 0, PCAPNG_SECTION_SIZE);
    put_around(to, BLOCK_SECTION, SECTION_HEADER);
    put_little_u32(to + 8, BYTE_ORDER_MAGIC);
    put_little_u16(to + 12, 1); /* version 1.0 */
    memset(to + 16, 0xff, 8);   /* the section's length: unknown */
    uint8_t *interface = to + SECTION_HEADER;
    put_around(interface, BLOCK_INTERFACE, INTERFACE);
    put_little_u16(interface + 8, link_type); /* the snapshot length after it stays 0: no limit */
    put_little_u16(interface + 16, OPTION_IF_TIME_UNIT);
    put_little_u16(interface + 18, 1);
    interface[20] = NANOSECONDS; /* the padding and the end of options after it stay 0 */
}

static size_t pad(uint8_t *bytes, size_t size)
{
    size_t padded = (size + 3) & ~(size_t)3;
    memset(bytes + size, 0, padded - size);
    return padded;
}

size_t pcapng_write_packet(uint8_t *block, const struct pcapng_packet *packet)
{
    RULE(packet->captured <= PCAPNG_PACKET_MAX && packet->comment_size <= PCAPNG_COMMENT_MAX,
         "a packet and its comment fit their block");
    uint64_t time = packet->time_ns < 0 ? 0 : (uint64_t)packet->time_ns;
    put_little_u32(block + 8, 0); /* index of the interface */
    put_little_u32(block + 12, (uint32_t)(time >> 32));
    put_little_u32(block + 16, (uint32_t)time);
    put_little_u32(block + 20, (uint32_t)packet->captured);
    put_little_u32(block + 24, (uint32_t)packet->length);
    size_t at = PCAPNG_PACKET_HEAD + pad(block + PCAPNG_PACKET_HEAD, packet->captured);
    put_little_u16(block + at, OPTION_COMMENT);
    put_little_u16(block + at + 2, (unsigned)packet->comment_size);
    memcpy(block + at + 4, packet->comment, packet->comment_size);
    at += 4 + pad(block + at + 4, packet->comment_size);
    put_little_u32(block + at, OPTION_END);
    at += 4 + 4; /* end of options, length of the block */
    put_around(block, BLOCK_ENHANCED, at);
    return at;
}

/* --- finding the end of the whole blocks ------------------------------------------------------ */

static uint32_t read_u32(const uint8_t *bytes)
{
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, bytes);
}

static bool may_be_ours(uint32_t type, uint32_t length)
{
    if (type == BLOCK_SECTION)
        return length == SECTION_HEADER;
    if (type == BLOCK_INTERFACE)
        return length == INTERFACE;
    return type == BLOCK_ENHANCED && length >= PCAPNG_PACKET_HEAD + 4 &&
           length <= PCAPNG_PACKET_HEAD + PCAPNG_PACKET_MAX + PCAPNG_PACKET_TAIL;
}

/*
 * Returns true if the bytes begin with a little-endian section header. If they are shorter than a
 * section header, they must be the beginning of this program's.
 */
static bool begins_section(const uint8_t *bytes, size_t size)
{
    uint8_t ours[PCAPNG_SECTION_SIZE];
    pcapng_write_section(ours, 0);
    if (size < SECTION_HEADER)
        return memcmp(bytes, ours, size) == 0;
    return read_u32(bytes) == BLOCK_SECTION && read_u32(bytes + 8) == BYTE_ORDER_MAGIC &&
           ordered_u16(BYTE_ORDER_LITTLE_ENDIAN, bytes + 12) == 1;
}

size_t pcapng_whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign)
{
    size_t at = 0;
    *foreign = at_start && !begins_section(bytes, size);
    while (!*foreign && size - at >= BEFORE_BODY) {
        uint32_t length = read_u32(bytes + at + 4);
        if (length > size - at) {
            *foreign = !may_be_ours(read_u32(bytes + at), length);
            break;
        }
        *foreign =
            length < AROUND_BODY || length % 4 != 0 || read_u32(bytes + at + length - 4) != length;
        if (!*foreign)
            at += length;
    }
    return at;
}
