#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/capture/frame.h"
#include "collector/capture/udp_packet.h"
#include "tests/support/test.h"

static struct address host(const char *text, uint16_t port)
{
    struct address address;
    assert_true(address_parse_host(text, strlen(text), &address));
    address.port = port;
    return address;
}

/*
 * Returns the ones' complement sum of the 16-bit words and `sum`. It is 0xffff if the bytes include
 * a valid checksum.
 */
static unsigned sum_of(const uint8_t *bytes, size_t size, unsigned sum)
{
    for (size_t i = 0; i < size; i++) {
        sum += i % 2 == 0 ? (unsigned)bytes[i] << 8 : bytes[i];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static void assert_same_address(const struct address *a, const struct address *b)
{
    assert_int_equal(a->family, b->family);
    assert_int_equal(a->port, b->port);
    assert_memory_equal(a->bytes, b->bytes, sizeof a->bytes);
}

static void assert_comes_back(const struct address *from, const struct address *to, size_t size)
{
    uint8_t *bytes = malloc(UDP_PACKET_HEADERS + size);
    assert_non_null(bytes);
    uint8_t *payload = bytes + UDP_PACKET_HEADERS;
    for (size_t i = 0; i < size; i++)
        payload[i] = (uint8_t)(i * 7 + 3);
    struct udp_packet packet = {
        .source = from, .destination = to, .payload = payload, .size = size, .length = size};
    size_t headers = udp_packet_headers_size(&packet);
    bool ipv6 = from->family == ADDRESS_IPV6;
    assert_int_equal(headers, ipv6 ? 48 : 28);
    uint8_t *start = payload - headers;
    udp_packet_write_headers(&packet, start);

    unsigned pseudo = sum_of(start + (ipv6 ? 8 : 12), ipv6 ? 32 : 8, (unsigned)(17 + 8 + size));
    assert_int_equal(sum_of(start + headers - 8, 8 + size, pseudo), 0xffff);
    if (!ipv6)
        assert_int_equal(sum_of(start, 20, 0), 0xffff);

    struct capture_frame frame = {.data = start,
                                  .captured = headers + size,
                                  .length = headers + size,
                                  .link_type = LINKTYPE_RAW};
    struct capture_datagram datagram;
    struct frame_fragment fragment;
    assert_int_equal(frame_parse(&frame, to->port, &datagram, &fragment), FRAME_DATAGRAM);
    assert_int_equal(datagram.size, size);
    assert_ptr_equal(datagram.data, payload);
    assert_same_address(&datagram.source, from);
    assert_same_address(&datagram.destination, to);
    free(bytes);
}

TEST(a_datagram_of_any_size_comes_back_as_it_was)
{
    static const size_t sizes[] = {0, 1, 2, 3, 117, 1472, 65506, 65507};
    struct address from = host("192.0.2.1", 40000);
    struct address to = host("198.51.100.7", 5555);
    struct address from6 = host("2001:db8::1", 65535);
    struct address to6 = host("ff02::1", 1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_comes_back(&from, &to, sizes[i]);
        assert_comes_back(&from6, &to6, sizes[i]);
    }
    assert_comes_back(&from6, &to6, 65527);
}

TEST(the_headers_are_those_of_the_standards)
{
    /* These checksums were computed by another program. */
    static const uint8_t expected[] = {
        0x45, 0x00, 0x00, 0x1e, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb6, 0xcb, 0xc0, 0x00,
        0x02, 0x01, 0xc0, 0x00, 0x02, 0x02, 0x30, 0x39, 0x15, 0xb3, 0x00, 0x0a, 0xcd, 0x80,
    };
    struct address from = host("192.0.2.1", 12345);
    struct address to = host("192.0.2.2", 5555);
    uint8_t headers[28];
    struct udp_packet packet = {.source = &from,
                                .destination = &to,
                                .payload = (const uint8_t *)"hi",
                                .size = 2,
                                .length = 2};
    udp_packet_write_headers(&packet, headers);
    assert_memory_equal(headers, expected, sizeof expected);
}

TEST(a_checksum_that_comes_to_zero_is_written_as_its_other_form)
{
    struct address from = host("0.0.0.0", 0);
    uint8_t payload[2] = {0};
    uint8_t headers[28];
    struct udp_packet packet = {
        .source = &from, .destination = &from, .payload = payload, .size = 2, .length = 2};
    /*
     * Without the payload the pseudo header and the UDP header add up to 37: the protocol (17) and
     * twice the length (10). With this payload the sum is 0xffff, and its complement is 0. A
     * checksum of 0 means "no checksum", so 0xffff is written.
     */
    payload[0] = (uint8_t)((0xffff - 37) >> 8);
    payload[1] = (uint8_t)(0xffff - 37);
    udp_packet_write_headers(&packet, headers);
    assert_int_equal(headers[26], 0xff);
    assert_int_equal(headers[27], 0xff);
}

TEST(a_part_of_a_datagram_has_the_whole_length_and_no_checksum)
{
    struct address from = host("192.0.2.1", 1);
    struct address to = host("192.0.2.2", 2);
    uint8_t bytes[28 + 10] = {0};
    struct udp_packet packet = {
        .source = &from, .destination = &to, .payload = bytes + 28, .size = 10, .length = 2000};
    udp_packet_write_headers(&packet, bytes);
    assert_int_equal(bytes[2] << 8 | bytes[3], 2028);
    assert_int_equal(bytes[24] << 8 | bytes[25], 2008);
    assert_int_equal(bytes[26] | bytes[27], 0);
    struct capture_frame frame = {
        .data = bytes, .captured = 38, .length = 2028, .link_type = LINKTYPE_RAW};
    struct capture_datagram datagram;
    struct frame_fragment fragment;
    assert_int_equal(frame_parse(&frame, 0, &datagram, &fragment), FRAME_CUT);
}

TEST(a_destination_that_is_not_known_is_all_zeros)
{
    struct address from = host("192.0.2.1", 1);
    struct address every = host("::", 5555);
    uint8_t headers[UDP_PACKET_HEADERS];
    struct udp_packet packet = {.source = &from, .destination = &every, .payload = headers};
    assert_int_equal(udp_packet_headers_size(&packet), 28);
    udp_packet_write_headers(&packet, headers);
    assert_memory_equal(headers + 16, "\0\0\0\0", 4);
    assert_int_equal(headers[22] << 8 | headers[23], 5555);
    packet.destination = NULL;
    udp_packet_write_headers(&packet, headers);
    assert_memory_equal(headers + 16, "\0\0\0\0", 4);
    assert_int_equal(headers[22] << 8 | headers[23], 0);
}

TEST(what_no_length_shows_has_no_packet)
{
    struct address from = host("192.0.2.1", 1);
    struct address from6 = host("::1", 1);
    struct udp_packet packet = {.source = &from, .length = 65508};
    assert_int_equal(udp_packet_headers_size(&packet), 0);
    packet = (struct udp_packet){.source = &from6, .length = 65528};
    assert_int_equal(udp_packet_headers_size(&packet), 0);
}
