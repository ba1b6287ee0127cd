/* Tests how the UDP datagram in a frame of each link type is found, and the counts of a capture. */
#include <string.h>

#include "collector/capture/capture.h"
#include "tests/support/capture/capture_builder.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/test.h"

#define ETHERNET 1
#define RAW      101
#define IPV4     0x0800
#define IPV6     0x86dd
#define UDP      17
#define PORT     5555

static struct packet packet;
static struct capture_builder file;
static struct capture_reading reading;

static int begin(void **state)
{
    (void)state;
    packet_begin_pattern(&packet, 1, 100);
    packet_udp(&packet, 40000, PORT);
    return 0;
}

static int end(void **state)
{
    (void)state;
    capture_reading_free(&reading);
    capture_builder_clear(&file);
    return 0;
}

static void make_ipv4(void)
{
    begin(NULL);
    packet_ipv4(&packet, &(struct packet_ipv4){.source = 1, .destination = 2});
}

static void make_ipv6(void)
{
    begin(NULL);
    packet_ipv6(&packet, 1, 2, UDP);
}

static void read_packet_cut(uint32_t link_type, size_t captured, uint16_t port)
{
    capture_reading_free(&reading);
    capture_builder_clear(&file);
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, link_type);
    capture_builder_record(&file, 1, 0, &packet, captured);
    capture_reading_take(&reading, capture_builder_save(&file), port);
    assert_int_equal(reading.end, CAPTURE_END);
}

static void assert_address(const struct address *address, const char *expected)
{
    char text[ADDRESS_TEXT_SIZE];
    address_format(address, text);
    assert_string_equal(text, expected);
}

static void assert_whole(uint32_t link_type)
{
    read_packet_cut(link_type, packet.size, PORT);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .whole = 1});
    capture_reading_assert_pattern(&reading, 0, 1, 100);
    const struct capture_read *read = &reading.datagrams[0];
    bool ipv4 = read->source.family == ADDRESS_IPV4;
    assert_address(&read->source, ipv4 ? "192.0.2.1:40000" : "[2001:db8::1]:40000");
    assert_address(&read->destination, ipv4 ? "192.0.2.2:5555" : "[2001:db8::2]:5555");
}

static void assert_other(uint32_t link_type)
{
    read_packet_cut(link_type, packet.size, PORT);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .other = 1});
}

static void assert_cut_at(uint32_t link_type, size_t captured)
{
    read_packet_cut(link_type, captured, PORT);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .cut = 1});
}

/* --- link types ------------------------------------------------------------------------------- */

TEST_WITH(ethernet_carries_ipv4_and_ipv6, begin, end)
{
    (void)state;
    make_ipv4();
    packet_ethernet(&packet, IPV4);
    assert_whole(ETHERNET);
    assert_int_equal(reading.datagrams[0].source.family, ADDRESS_IPV4);
    make_ipv6();
    packet_ethernet(&packet, IPV6);
    assert_whole(ETHERNET);
    assert_int_equal(reading.datagrams[0].source.family, ADDRESS_IPV6);
}

TEST_WITH(ethernet_padding_is_no_payload, begin, end)
{
    (void)state;
    make_ipv4();
    packet_pad(&packet, 30);
    packet_ethernet(&packet, IPV4);
    assert_whole(ETHERNET);
    make_ipv6();
    packet_pad(&packet, 30);
    packet_ethernet(&packet, IPV6);
    assert_whole(ETHERNET);
}

TEST_WITH(ethernet_frame_may_have_any_number_of_vlan_tags, begin, end)
{
    (void)state;
    static const uint16_t tags[] = {0x8100, 0x88a8, 0x9100};
    for (size_t count = 1; count <= 6; count++)
        for (size_t first = 0; first < 3; first++) {
            make_ipv6();
            uint16_t next = IPV6;
            for (size_t i = 0; i < count; i++) {
                packet_vlan(&packet, next);
                next = tags[(first + i) % 3];
            }
            packet_ethernet(&packet, next);
            assert_whole(ETHERNET);
        }
}

TEST_WITH(ethernet_frame_of_another_protocol_is_other, begin, end)
{
    (void)state;
    static const uint16_t types[] = {0, 60, 0x0806, 0x8847, 0x8864, 0x88cc, IPV6};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        make_ipv4();
        packet_ethernet(&packet, types[i]);
        assert_other(ETHERNET);
    }
    make_ipv4();
    packet_vlan(&packet, 0x0806);
    packet_ethernet(&packet, 0x8100);
    assert_other(ETHERNET);
}

TEST_WITH(frame_too_short_for_its_link_type_is_other, begin, end)
{
    (void)state;
    static const uint32_t types[] = {0, ETHERNET, 12, 14, RAW, 108, 113, 228, 229, 276};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (size_t size = 0; size <= 3; size++) {
            packet_begin(&packet, (const uint8_t[]){0x45, 0, 0}, size);
            assert_other(types[i]);
        }
    packet_begin(&packet, NULL, 0);
    packet_ethernet(&packet, 0x8100);
    assert_other(ETHERNET);
}

TEST_WITH(raw_ip_is_recognised_by_its_version, begin, end)
{
    (void)state;
    static const uint32_t types[] = {12, 14, RAW};
    for (size_t i = 0; i < 3; i++) {
        make_ipv4();
        assert_whole(types[i]);
        make_ipv6();
        assert_whole(types[i]);
        packet.room[packet.start] = 0x55;
        assert_other(types[i]);
    }
}

TEST_WITH(ipv4_and_ipv6_link_types_carry_only_their_own, begin, end)
{
    (void)state;
    make_ipv4();
    assert_whole(228);
    assert_other(229);
    packet.room[packet.start] = 0x55;
    assert_other(228);
    make_ipv6();
    assert_whole(229);
    assert_other(228);
    packet.room[packet.start] = 0x50;
    assert_other(229);
}

TEST_WITH(null_and_loop_are_recognised_by_the_family_in_either_byte_order, begin, end)
{
    (void)state;
    static const uint8_t ipv6_families[] = {10, 23, 24, 28, 30};
    static const uint32_t types[] = {0, 108};
    for (size_t type = 0; type < 2; type++) {
        make_ipv4();
        packet_prepend(&packet, (const uint8_t[]){2, 0, 0, 0}, 4);
        assert_whole(types[type]);
        make_ipv4();
        packet_prepend(&packet, (const uint8_t[]){0, 0, 0, 2}, 4);
        assert_whole(types[type]);
        for (size_t i = 0; i < sizeof ipv6_families; i++) {
            make_ipv6();
            packet_prepend(&packet, (const uint8_t[]){ipv6_families[i], 0, 0, 0}, 4);
            assert_whole(types[type]);
            make_ipv6();
            packet_prepend(&packet, (const uint8_t[]){0, 0, 0, ipv6_families[i]}, 4);
            assert_whole(types[type]);
        }
        make_ipv4();
        packet_prepend(&packet, (const uint8_t[]){7, 0, 0, 0}, 4);
        assert_other(types[type]);
    }
}

TEST_WITH(linux_cooked_of_both_versions_is_read, begin, end)
{
    (void)state;
    make_ipv4();
    packet_linux_cooked(&packet, IPV4);
    assert_whole(113);
    make_ipv6();
    packet_linux_cooked(&packet, IPV6);
    assert_whole(113);
    make_ipv6();
    packet_vlan(&packet, IPV6);
    packet_linux_cooked(&packet, 0x8100);
    assert_whole(113);
    make_ipv4();
    packet_linux_cooked_v2(&packet, IPV4);
    assert_whole(276);
    make_ipv6();
    packet_linux_cooked_v2(&packet, IPV6);
    assert_whole(276);
    make_ipv4();
    packet_linux_cooked_v2(&packet, 0x0806);
    assert_other(276);
}

/* --- IP and UDP ------------------------------------------------------------------------------- */

TEST_WITH(ipv4_options_are_stepped_over, begin, end)
{
    (void)state;
    for (uint8_t options = 4; options <= 40; options += 4) {
        begin(NULL);
        packet_ipv4(&packet,
                    &(struct packet_ipv4){.source = 1, .destination = 2, .options = options});
        assert_whole(RAW);
    }
}

TEST_WITH(ipv4_header_that_makes_no_sense_is_other, begin, end)
{
    (void)state;
    static const struct {
        size_t at;
        uint8_t value;
    } wrong[] = {
        {0, 0x44}, /* an IHL of 4 words (16 bytes), less than the minimum */
        {0, 0x4f}, /* an IHL of 15 words (60 bytes): the UDP header then begins at the wrong byte */
        {2, 0xff}, /* total length beyond the frame */
        {3, 19},   /* total length less than the header */
        {9, 6},    /* protocol TCP */
        {24, 1},   /* UDP length beyond the packet */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        make_ipv4();
        packet.room[packet.start + wrong[i].at] = wrong[i].value;
        assert_other(RAW);
    }
    /*
     * An IHL of 16 bytes: the destination address and the bytes after it would look like a UDP
     * header.
     */
    make_ipv4();
    packet.room[packet.start] = 0x44;
    memcpy(packet.room + packet.start + 18, (const uint8_t[]){PORT >> 8, PORT & 0xff, 0, 50}, 4);
    assert_other(RAW);
}

TEST_WITH(ipv4_total_length_of_zero_is_the_frame, begin, end)
{
    (void)state;
    make_ipv4();
    packet.room[packet.start + 2] = 0;
    packet.room[packet.start + 3] = 0;
    packet_ethernet(&packet, IPV4);
    assert_whole(ETHERNET);
    assert_cut_at(ETHERNET, packet.size - 1);
}

TEST_WITH(ipv6_extension_headers_are_stepped_over, begin, end)
{
    (void)state;
    static const uint8_t headers[] = {60, 43, 60, 0}; /* from the innermost to the outermost */
    for (size_t count = 1; count <= 4; count++)
        for (uint8_t more = 0; more < 4; more++) {
            begin(NULL);
            uint8_t next = UDP;
            for (size_t i = 0; i < count; i++) {
                packet_ipv6_extension(&packet, next, more);
                next = headers[i];
            }
            packet_ipv6(&packet, 1, 2, next);
            assert_whole(RAW);
        }
}

TEST_WITH(ipv6_atomic_fragment_is_whole, begin, end)
{
    (void)state;
    packet_ipv6_extension(&packet, UDP, 0);
    packet_ipv6_fragment(&packet, 60, 0, false, 7);
    packet_ipv6_extension(&packet, 44, 0);
    packet_ipv6(&packet, 1, 2, 0);
    assert_whole(RAW);
}

TEST_WITH(ipv6_that_makes_no_sense_is_other, begin, end)
{
    (void)state;
    make_ipv6();
    packet.room[packet.start + 4] = 0xff; /* payload length beyond the frame */
    assert_other(RAW);
    make_ipv6();
    packet.room[packet.start + 5] = 7; /* payload length too small for a UDP header */
    assert_other(RAW);
    static const uint8_t next_headers[] = {6, 58, 59, 255};
    for (size_t i = 0; i < sizeof next_headers; i++) {
        begin(NULL);
        packet_ipv6(&packet, 1, 2, next_headers[i]);
        assert_other(RAW);
        begin(NULL);
        packet_ipv6_extension(&packet, next_headers[i], 0);
        packet_ipv6(&packet, 1, 2, 60);
        assert_other(RAW);
    }
    packet_begin(&packet, NULL, 0); /* an extension header that ends beyond the packet */
    packet_ipv6_extension(&packet, UDP, 1);
    packet.size -= 8;
    packet_ipv6(&packet, 1, 2, 0);
    assert_other(RAW);
    packet_begin(&packet, "1234567", 7); /* half a fragment header */
    packet_ipv6(&packet, 1, 2, 44);
    assert_other(RAW);
}

TEST_WITH(udp_length_ends_the_payload, begin, end)
{
    (void)state;
    packet_pad(&packet, 9);
    packet_ipv4(&packet, &(struct packet_ipv4){.source = 1, .destination = 2});
    assert_whole(RAW);
    begin(NULL);
    packet_pad(&packet, 9);
    packet_ipv6(&packet, 1, 2, UDP);
    assert_whole(RAW);
}

TEST_WITH(udp_length_that_makes_no_sense_is_other, begin, end)
{
    (void)state;
    static const uint8_t lengths[] = {0, 7, 109};
    for (size_t i = 0; i < sizeof lengths; i++) {
        make_ipv4();
        packet.room[packet.start + 25] = lengths[i];
        packet_pad(&packet, 10); /* these bytes are in the frame, but not in the packet */
        assert_other(RAW);
    }
    packet_begin(&packet, "1234567", 7); /* no room for a UDP header */
    packet_ipv4(&packet, &(struct packet_ipv4){.source = 1, .destination = 2});
    assert_other(RAW);
}

TEST_WITH(datagram_of_no_bytes_and_of_the_most_is_given, begin, end)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 65507};
    for (size_t i = 0; i < 3; i++) {
        packet_simple(&packet, 5, sizes[i], PORT);
        read_packet_cut(ETHERNET, packet.size, PORT);
        capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .whole = 1});
        capture_reading_assert_pattern(&reading, 0, 5, sizes[i]);
    }
    packet_begin_pattern(&packet, 5, 65527);
    packet_udp(&packet, 1, PORT);
    packet_ipv6(&packet, 1, 2, UDP);
    read_packet_cut(RAW, packet.size, PORT);
    capture_reading_assert_pattern(&reading, 0, 5, 65527);
}

TEST_WITH(mapped_source_is_an_ipv4_address, begin, end)
{
    (void)state;
    make_ipv6();
    uint8_t *source = packet.room + packet.start + 8;
    memset(source, 0, 10);
    source[10] = source[11] = 0xff;
    memcpy(source + 12, (const uint8_t[]){192, 0, 2, 9}, 4);
    read_packet_cut(RAW, packet.size, PORT);
    assert_address(&reading.datagrams[0].source, "192.0.2.9:40000");
}

/* --- other ports, and packets that the capture cut -------------------------------------------- */

TEST_WITH(another_port_is_other_unless_all_are_wanted, begin, end)
{
    (void)state;
    packet_simple(&packet, 1, 100, PORT + 1);
    assert_other(ETHERNET);
    read_packet_cut(ETHERNET, packet.size, 0);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .whole = 1});
    assert_int_equal(reading.datagrams[0].destination.port, PORT + 1);
}

TEST_WITH(frame_cut_anywhere_is_cut_and_never_given, begin, end)
{
    (void)state;
    static const uint16_t ethertypes[] = {IPV4, IPV6};
    for (size_t version = 0; version < 2; version++) {
        if (version == 0) {
            packet_ipv4(&packet,
                        &(struct packet_ipv4){.source = 1, .destination = 2, .options = 8});
        } else {
            begin(NULL);
            packet_ipv6_extension(&packet, UDP, 1);
            packet_ipv6_fragment(&packet, 43, 0, false, 7);
            packet_ipv6(&packet, 1, 2, 44);
        }
        packet_vlan(&packet, ethertypes[version]);
        packet_ethernet(&packet, 0x8100);
        size_t needed = packet.size;
        packet_pad(&packet, 3);
        for (size_t captured = 0; captured < needed; captured++)
            assert_cut_at(ETHERNET, captured);
        for (size_t captured = needed; captured <= packet.size; captured++) {
            read_packet_cut(ETHERNET, captured, PORT);
            capture_reading_assert_counts(&reading,
                                          &(struct capture_counts){.frames = 1, .whole = 1});
        }
    }
}

TEST_WITH(cut_frame_known_not_to_be_wanted_is_other, begin, end)
{
    (void)state;
    packet_simple(&packet, 1, 100, PORT + 1);
    read_packet_cut(ETHERNET, 14 + 20 + 4, PORT);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .other = 1});
    packet_simple(&packet, 1, 100, PORT);
    packet.room[packet.start + 14 + 9] = 6; /* TCP */
    read_packet_cut(ETHERNET, 14 + 20, PORT);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .other = 1});
}

TEST_WITH(counts_add_up_over_frames_of_every_kind, begin, end)
{
    (void)state;
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, ETHERNET);
    for (unsigned i = 0; i < 30; i++) {
        packet_simple(&packet, i, 100, i % 3 == 0 ? PORT : 1);
        capture_builder_record(&file, 1, i, &packet, i % 6 == 3 ? 60 : packet.size);
    }
    capture_reading_take(&reading, capture_builder_save(&file), PORT);
    capture_reading_assert_counts(
        &reading, &(struct capture_counts){.frames = 30, .whole = 5, .other = 20, .cut = 5});
}
