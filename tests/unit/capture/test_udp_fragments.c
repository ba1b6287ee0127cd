#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/capture/udp_fragments.h"
#include "tests/support/test.h"

#define LONGEST ((size_t)65507)
#define NUMBER  0x12345678u

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

struct piece {
    size_t headers;
    size_t at;
    bool more;
    bool fragment;
    uint32_t number;
};

static struct piece read_ipv4(const uint8_t *packet, size_t size)
{
    assert_int_equal(packet[0], 0x45);
    assert_int_equal(network_u16(packet + 2), size);
    assert_int_equal(packet[9], 17);
    assert_int_equal(sum_of(packet, 20, 0), 0xffff);
    unsigned field = network_u16(packet + 6);
    /* The DF bit is clear, so that routers may fragment the packet further. */
    assert_int_equal(field & 0xc000, 0);
    bool more = (field & 0x2000) != 0;
    size_t at = (size_t)(field & 0x1fff) * 8;
    return (struct piece){20, at, more, more || at != 0, network_u16(packet + 4)};
}

static struct piece read_ipv6(const uint8_t *packet, size_t size)
{
    assert_int_equal(packet[0] >> 4, 6);
    assert_int_equal(network_u16(packet + 4), size - 40);
    if (packet[6] == 17)
        return (struct piece){.headers = 40};
    assert_int_equal(packet[6], 44);
    assert_int_equal(packet[40], 17);
    unsigned field = network_u16(packet + 42);
    return (struct piece){48, field & 0xfff8u, (field & 1) != 0, true, network_u32(packet + 44)};
}

static size_t assert_comes_back(const struct address *from, const struct address *to, size_t size,
                                size_t mtu)
{
    bool ipv6 = from->family == ADDRESS_IPV6;
    uint8_t *payload = malloc(size + 1);
    uint8_t *packet = malloc(mtu);
    uint8_t *whole = malloc(8 + size);
    assert_true(payload != NULL && packet != NULL && whole != NULL);
    for (size_t i = 0; i < size; i++)
        payload[i] = (uint8_t)(i * 7 + (i >> 8) * 5 + 3);
    const struct udp_packet of = {
        .source = from, .destination = to, .payload = payload, .size = size, .length = size};
    struct udp_fragments fragments;
    udp_fragments_begin(&fragments, &of, mtu, NUMBER);
    size_t count = 0, end = 0, got;
    bool more = true;
    while ((got = udp_fragments_next(&fragments, packet)) != 0) {
        assert_true(more);
        assert_true(got <= mtu);
        struct piece piece = ipv6 ? read_ipv6(packet, got) : read_ipv4(packet, got);
        size_t addresses = ipv6 ? 8 : 12, each = ipv6 ? 16 : 4;
        assert_memory_equal(packet + addresses, from->bytes, each);
        assert_memory_equal(packet + addresses + each, to->bytes, each);
        if (piece.fragment)
            assert_int_equal(piece.number, ipv6 ? NUMBER : NUMBER & 0xffff);
        assert_int_equal(piece.at, end);
        if (piece.more)
            assert_int_equal((got - piece.headers) % 8, 0);
        assert_true(end + got - piece.headers <= 8 + size);
        memcpy(whole + end, packet + piece.headers, got - piece.headers);
        end += got - piece.headers;
        more = piece.more;
        count++;
    }
    assert_false(more);
    assert_int_equal(end, 8 + size);
    assert_int_equal(network_u16(whole), from->port);
    assert_int_equal(network_u16(whole + 2), to->port);
    assert_int_equal(network_u16(whole + 4), 8 + size);
    unsigned pseudo = sum_of(from->bytes, ipv6 ? 16 : 4, (unsigned)(17 + 8 + size));
    pseudo = sum_of(to->bytes, ipv6 ? 16 : 4, pseudo);
    assert_int_equal(sum_of(whole, 8 + size, pseudo), 0xffff);
    assert_true(size == 0 || memcmp(whole + 8, payload, size) == 0);
    free(payload);
    free(packet);
    free(whole);
    return count;
}

TEST(whatever_its_size_a_datagram_comes_back_from_its_fragments)
{
    const struct address from[] = {host("192.0.2.1", 40000), host("2001:db8::1", 40000)};
    const struct address to[] = {host("198.51.100.9", 5555), host("2001:db8::9", 5555)};
    static const size_t links[] = {68, 576, 1280, 1499, 1500, 9000, 65535};
    for (size_t family = 0; family < 2; family++)
        for (size_t i = family * 2; i < sizeof links / sizeof links[0]; i++)
            for (size_t size = 0; size <= LONGEST; size += size < 3100 ? 1 + size / 97 : 8191)
                assert_comes_back(&from[family], &to[family], size, links[i]);
    assert_comes_back(&from[0], &to[0], LONGEST, 1500);
    assert_comes_back(&from[1], &to[1], LONGEST, 1280);
}

TEST(what_fits_the_link_is_one_packet_and_one_byte_more_is_two)
{
    const struct address ipv4 = host("192.0.2.1", 1), ipv6 = host("2001:db8::1", 1);
    assert_int_equal(assert_comes_back(&ipv4, &ipv4, 1500 - 28, 1500), 1);
    assert_int_equal(assert_comes_back(&ipv4, &ipv4, 1500 - 28 + 1, 1500), 2);
    assert_int_equal(assert_comes_back(&ipv6, &ipv6, 1500 - 48, 1500), 1);
    assert_int_equal(assert_comes_back(&ipv6, &ipv6, 1500 - 48 + 1, 1500), 2);
}
