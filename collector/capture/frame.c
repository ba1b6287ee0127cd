#include "collector/capture/frame.h"

#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/capture/internet_checksum.h"
#include "collector/capture/link_layer.h"
#include "collector/capture/span.h"
#include "collector/text/compiler.h"

#define IPV4_HEADER_SIZE     20
#define IPV6_HEADER_SIZE     40
#define IPV4_MORE            0x2000u /* more fragments follow */
#define IPV4_OFFSET          0x1fffu /* offset of a fragment, in eight bytes */
#define FRAGMENT_HEADER_SIZE 8
#define UDP_HEADER_SIZE      8

/* Protocol numbers, which IPv6 shares with its extension headers (RFC 8200, section 4). */
#define NEXT_HOP_BY_HOP  0
#define NEXT_UDP         17
#define NEXT_ROUTING     43
#define NEXT_FRAGMENT    44
#define NEXT_DESTINATION 60

/* The longest IP datagram (RFC 791, section 3.1; RFC 8200, section 4.5). */
#define MAX_IP_SIZE 65535

static bool is_skipped_extension(uint8_t next_header)
{
    return next_header == NEXT_HOP_BY_HOP || next_header == NEXT_ROUTING ||
           next_header == NEXT_DESTINATION;
}

static enum frame_content content_of(enum verdict verdict, enum frame_content if_on)
{
    if (verdict == VERDICT_GO_ON)
        return if_on;
    return verdict == VERDICT_CUT ? FRAME_CUT : FRAME_OTHER;
}

static ALWAYS_INLINE struct address address_of(unsigned ip_version, const uint8_t bytes[16],
                                               uint16_t port)
{
    return ip_version == 4 ? address_from_ipv4(bytes, port) : address_from_ipv6(bytes, 0, port);
}

/*
 * Parses a UDP header (RFC 768). Ignores bytes beyond the length in the header. Checks the port
 * first, so that a datagram to another port is not reported as cut.
 */
static ALWAYS_INLINE enum verdict parse_udp(struct span span, const struct frame_hosts *hosts,
                                            uint16_t port, struct capture_datagram *datagram)
{
    if (span.length < UDP_HEADER_SIZE)
        return VERDICT_OTHER;
    if (span.captured < 4)
        return VERDICT_CUT;
    uint16_t source_port = network_u16(span.data);
    uint16_t destination_port = network_u16(span.data + 2);
    if (port != 0 && destination_port != port)
        return VERDICT_OTHER;

    enum verdict verdict = span_needs(&span, UDP_HEADER_SIZE);
    if (verdict != VERDICT_GO_ON)
        return verdict;
    size_t length = network_u16(span.data + 4);
    if (length < UDP_HEADER_SIZE)
        return VERDICT_OTHER;
    verdict = span_needs(&span, length);
    if (verdict != VERDICT_GO_ON)
        return verdict;
    datagram->data = span.data + UDP_HEADER_SIZE;
    datagram->size = length - UDP_HEADER_SIZE;
    datagram->source = address_of(hosts->ip_version, hosts->source, source_port);
    datagram->destination = address_of(hosts->ip_version, hosts->destination, destination_port);
    return VERDICT_GO_ON;
}

/* Skips extension headers up to a fragment header (RFC 8200, section 4). */
static enum verdict skip_extensions(struct span *span, uint8_t *next_header)
{
    while (is_skipped_extension(*next_header)) {
        enum verdict verdict = span_needs(span, 8);
        if (verdict != VERDICT_GO_ON)
            return verdict;
        size_t size = ((size_t)span->data[1] + 1) * 8;
        verdict = span_needs(span, size);
        if (verdict != VERDICT_GO_ON)
            return verdict;
        *next_header = span->data[0];
        span_skip(span, size);
    }
    return VERDICT_GO_ON;
}

/*
 * Returns true if the first fragment shows that the datagram is not UDP, or not to the wanted port.
 */
static bool shows_unwanted(unsigned ip_version, uint8_t next_header, struct span span,
                           uint16_t port)
{
    if (ip_version == 6 && skip_extensions(&span, &next_header) != VERDICT_GO_ON)
        return false;
    if (next_header != NEXT_UDP)
        return true;
    return port != 0 && span.captured >= 4 && network_u16(span.data + 2) != port;
}

/*
 * Fills *fragment. The span is the fragment's payload, with the length from its IP header. All
 * fragments but the last must end at a multiple of 8 bytes (RFC 791, section 3.2; RFC 8200, section
 * 4.5).
 */
static enum verdict parse_fragment(const struct span *span, uint16_t port,
                                   struct frame_fragment *fragment)
{
    size_t size = span->length;
    if (size == 0 || fragment->offset + size > MAX_IP_SIZE || (fragment->more && size % 8 != 0))
        return VERDICT_OTHER;
    if (span->captured < size)
        return VERDICT_CUT;
    fragment->data = span->data;
    fragment->size = size;
    fragment->unwanted =
        fragment->offset == 0 &&
        shows_unwanted(fragment->hosts.ip_version, fragment->next_header, *span, port);
    return VERDICT_GO_ON;
}

static struct frame_hosts ipv4_hosts(const uint8_t *header)
{
    struct frame_hosts hosts = {.ip_version = 4};
    memcpy(hosts.source, header + 12, 4);
    memcpy(hosts.destination, header + 16, 4);
    return hosts;
}

/* Parses a fragment; `span` is what follows the header. */
static NEVER_INLINE enum frame_content parse_ipv4_fragment(const uint8_t *header, struct span span,
                                                           uint16_t port,
                                                           struct frame_fragment *fragment)
{
    unsigned flags_offset = network_u16(header + 6);
    *fragment = (struct frame_fragment){
        .hosts = ipv4_hosts(header),
        .id = network_u16(header + 4),
        .next_header = NEXT_UDP,
        .more = (flags_offset & IPV4_MORE) != 0,
        .offset = (size_t)(flags_offset & IPV4_OFFSET) * 8,
    };
    return content_of(parse_fragment(&span, port, fragment), FRAME_FRAGMENT);
}

static ALWAYS_INLINE enum frame_content parse_ipv4(struct span span, uint16_t port,
                                                   struct capture_datagram *datagram,
                                                   struct frame_fragment *fragment)
{
    enum verdict verdict = span_needs(&span, IPV4_HEADER_SIZE);
    if (verdict != VERDICT_GO_ON)
        return content_of(verdict, FRAME_OTHER);
    const uint8_t *header = span.data;
    size_t header_size = (size_t)(header[0] & 15) * 4;
    size_t total = network_u16(header + 2);
    /* The length is 0 if the sending host made the capture and uses segmentation offload. */
    if (total == 0)
        total = span.length;
    if (header[0] >> 4 != 4 || header_size < IPV4_HEADER_SIZE || total < header_size ||
        total > span.length || header[9] != NEXT_UDP)
        return FRAME_OTHER;
    span_trim(&span, total); /* removes the link layer's padding */
    if (span.captured < header_size)
        return FRAME_CUT;

    span_skip(&span, header_size);
    if ((network_u16(header + 6) & (IPV4_MORE | IPV4_OFFSET)) != 0)
        return parse_ipv4_fragment(header, span, port, fragment);
    struct frame_hosts hosts = ipv4_hosts(header);
    return content_of(parse_udp(span, &hosts, port, datagram), FRAME_DATAGRAM);
}

/*
 * Parses a fragment header. If the packet is whole in spite of that header (an atomic fragment, RFC
 * 6946), skips the header and returns VERDICT_GO_ON with *is_fragment false.
 */
static enum verdict parse_ipv6_fragment(struct span *span, const struct frame_hosts *hosts,
                                        uint16_t port, uint8_t *next_header, bool *is_fragment,
                                        struct frame_fragment *fragment)
{
    enum verdict verdict = span_needs(span, FRAGMENT_HEADER_SIZE);
    if (verdict != VERDICT_GO_ON)
        return verdict;
    const uint8_t *header = span->data;
    unsigned offset_flags = network_u16(header + 2);
    *fragment = (struct frame_fragment){
        .hosts = *hosts,
        .id = network_u32(header + 4),
        .next_header = header[0],
        .more = (offset_flags & 1u) != 0,
        .offset = offset_flags & 0xfff8u,
    };
    *next_header = header[0];
    span_skip(span, FRAGMENT_HEADER_SIZE);
    *is_fragment = fragment->more || fragment->offset != 0;
    if (!*is_fragment)
        return VERDICT_GO_ON;
    if (*next_header != NEXT_UDP && !is_skipped_extension(*next_header))
        return VERDICT_OTHER;
    return parse_fragment(span, port, fragment);
}

static NEVER_INLINE enum frame_content parse_ipv6(struct span span, uint16_t port,
                                                  struct capture_datagram *datagram,
                                                  struct frame_fragment *fragment)
{
    enum verdict verdict = span_needs(&span, IPV6_HEADER_SIZE);
    if (verdict != VERDICT_GO_ON)
        return content_of(verdict, FRAME_OTHER);
    const uint8_t *header = span.data;
    size_t total = IPV6_HEADER_SIZE + (size_t)network_u16(header + 4);
    if (header[0] >> 4 != 6 || total > span.length)
        return FRAME_OTHER;
    span_trim(&span, total);
    struct frame_hosts hosts = {.ip_version = 6};
    memcpy(hosts.source, header + 8, 16);
    memcpy(hosts.destination, header + 24, 16);
    uint8_t next_header = header[6];
    span_skip(&span, IPV6_HEADER_SIZE);

    bool is_fragment = false;
    do {
        verdict = skip_extensions(&span, &next_header);
        if (verdict != VERDICT_GO_ON || next_header != NEXT_FRAGMENT)
            break;
        verdict = parse_ipv6_fragment(&span, &hosts, port, &next_header, &is_fragment, fragment);
    } while (verdict == VERDICT_GO_ON && !is_fragment);

    if (verdict != VERDICT_GO_ON)
        return content_of(verdict, FRAME_OTHER);
    if (is_fragment)
        return FRAME_FRAGMENT;
    if (next_header != NEXT_UDP)
        return FRAME_OTHER;
    return content_of(parse_udp(span, &hosts, port, datagram), FRAME_DATAGRAM);
}

enum frame_content frame_parse(const struct capture_frame *frame, uint16_t port,
                               struct capture_datagram *datagram, struct frame_fragment *fragment)
{
    struct span span = {frame->data, frame->captured, frame->length};
    unsigned ip_version = 0;
    enum verdict verdict = link_layer_strip(frame->link_type, &span, &ip_version);
    if (verdict != VERDICT_GO_ON)
        return content_of(verdict, FRAME_OTHER);
    return ip_version == 4 ? parse_ipv4(span, port, datagram, fragment)
                           : parse_ipv6(span, port, datagram, fragment);
}

/*
 * Returns true if the UDP checksum (RFC 768; RFC 8200, section 8.1) is wrong. The value 0 means
 * that there is no checksum. The sum of only the pseudo header is also accepted: a capture made on
 * the sending host contains that sum if the network card computes the checksum.
 */
static bool has_wrong_checksum(const struct frame_hosts *hosts, const uint8_t *udp, size_t size)
{
    uint16_t checksum = network_u16(udp + 6);
    if (checksum == 0)
        return false;
    size_t each = hosts->ip_version == 4 ? 4 : 16;
    uint64_t pseudo = internet_checksum_add(NEXT_UDP + size, hosts->source, each);
    pseudo = internet_checksum_add(pseudo, hosts->destination, each);
    unsigned partial = internet_checksum_fold(pseudo) ^ 0xffffu; /* not complemented */
    return checksum != partial &&
           internet_checksum_fold(internet_checksum_add(pseudo, udp, size)) != 0;
}

enum frame_content frame_parse_reassembled(const struct frame_hosts *hosts, uint8_t next_header,
                                           const uint8_t *data, size_t size, uint16_t port,
                                           struct capture_datagram *datagram)
{
    struct span span = {data, size, size};
    if (hosts->ip_version == 6 && skip_extensions(&span, &next_header) != VERDICT_GO_ON)
        return FRAME_OTHER;
    if (next_header != NEXT_UDP)
        return FRAME_OTHER;
    enum frame_content content = content_of(parse_udp(span, hosts, port, datagram), FRAME_DATAGRAM);
    if (content == FRAME_DATAGRAM &&
        has_wrong_checksum(hosts, span.data, UDP_HEADER_SIZE + datagram->size))
        return FRAME_CUT;
    return content;
}
