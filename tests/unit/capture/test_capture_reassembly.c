#include <string.h>

#include "collector/capture/capture.h"
#include "collector/capture/internet_checksum.h"
#include "tests/support/capture/capture_builder.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/test.h"

#define ETHERNET 1
#define UDP      17
#define PORT     5555
#define SLOTS    64 /* maximum number of datagrams in reassembly */
#define SIZE     ((size_t)3000)

/* A UDP datagram without an IP header; its SIZE bytes are pattern 1. */
static struct packet datagram;
static struct packet part;
static struct capture_builder file;
static struct capture_reading reading;
static uint32_t second; /* time of the next frame, in seconds */

static void make_datagram(unsigned seed, size_t size, uint16_t port)
{
    packet_begin_pattern(&datagram, seed, size);
    packet_udp(&datagram, 40000, port);
}

static void begin_file(void)
{
    capture_builder_clear(&file);
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, ETHERNET);
    second = 1;
}

static int begin(void **state)
{
    (void)state;
    make_datagram(1, SIZE, PORT);
    begin_file();
    return 0;
}

static int end(void **state)
{
    (void)state;
    capture_reading_free(&reading);
    capture_builder_clear(&file);
    return 0;
}

static void add_part(void)
{
    capture_builder_record(&file, second++, 0, &part, part.size);
}

static void add(unsigned version, size_t offset, size_t size, uint16_t id)
{
    if (size > datagram.size - offset)
        size = datagram.size - offset;
    if (version == 4)
        packet_ipv4_part(&part, &datagram, offset, size, id);
    else
        packet_ipv6_part(&part, &datagram, offset, size, id);
    add_part();
}

/* Adds a fragment as add() does, but inverts its data byte `at`. */
static void add_altered(unsigned version, size_t offset, size_t size, uint16_t id, size_t at)
{
    if (version == 4)
        packet_ipv4_part(&part, &datagram, offset, size, id);
    else
        packet_ipv6_part(&part, &datagram, offset, size, id);
    part.room[part.start + part.size - size + at] ^= 0xff;
    add_part();
}

static void read_file(void)
{
    capture_reading_free(&reading);
    capture_reading_take(&reading, capture_builder_save(&file), PORT);
}

static void assert_counts(const struct capture_counts *expected)
{
    read_file();
    assert_int_equal(reading.end, CAPTURE_END);
    capture_reading_assert_counts(&reading, expected);
}

static void assert_reassembled_from(uint64_t fragments)
{
    assert_counts(
        &(struct capture_counts){.frames = fragments, .fragments = fragments, .reassembled = 1});
    capture_reading_assert_pattern(&reading, 0, 1, SIZE);
    assert_int_equal(reading.datagrams[0].source.port, 40000);
    assert_int_equal(reading.datagrams[0].destination.port, PORT);
}

static void assert_incomplete_of(uint64_t fragments)
{
    assert_counts(
        &(struct capture_counts){.frames = fragments, .fragments = fragments, .incomplete = 1});
}

TEST_WITH(fragments_of_any_order_are_put_together, begin, end)
{
    (void)state;
    static const uint8_t orders[][4] = {
        {0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1},
        {1, 0, 2, 3}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 2, 3, 0}, {1, 3, 0, 2}, {1, 3, 2, 0},
        {2, 0, 1, 3}, {2, 0, 3, 1}, {2, 1, 0, 3}, {2, 1, 3, 0}, {2, 3, 0, 1}, {2, 3, 1, 0},
        {3, 0, 1, 2}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}, {3, 2, 1, 0},
    };
    for (unsigned version = 4; version <= 6; version += 2)
        for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
            begin_file();
            for (size_t j = 0; j < 4; j++)
                add(version, orders[i][j] * (size_t)800, 800, 7);
            assert_reassembled_from(4);
            assert_int_equal(reading.datagrams[0].time_ns, INT64_C(4000000000));
        }
}

TEST_WITH(largest_datagram_is_put_together, begin, end)
{
    (void)state;
    make_datagram(3, 65507, PORT);
    for (size_t offset = 0; offset < datagram.size; offset += 1480)
        add(4, offset, 1480, 7);
    make_datagram(4, 65527, PORT);
    for (size_t offset = 0; offset < datagram.size; offset += 1448)
        add(6, offset, 1448, 7);
    read_file();
    capture_reading_assert_pattern(&reading, 0, 3, 65507);
    capture_reading_assert_pattern(&reading, 1, 4, 65527);
}

TEST_WITH(smallest_fragments_are_put_together, begin, end)
{
    (void)state;
    for (size_t offset = 0; offset < datagram.size; offset += 8) {
        second = 1;
        add(4, offset, 8, 7);
    }
    assert_reassembled_from(376);
}

TEST_WITH(interleaved_datagrams_are_distinguished, begin, end)
{
    (void)state;
    /* Fragments of 12 datagrams, which differ in identification, version or source address. */
    for (size_t offset = 0; offset < datagram.size; offset += 1000)
        for (unsigned i = 0; i < 12; i++) {
            make_datagram(i, SIZE, PORT);
            size_t left = datagram.size - offset;
            packet_begin(&part, packet_bytes(&datagram) + offset, left < 1000 ? left : 1000);
            if (i % 2 == 0) {
                size_t flags = offset / 8 | (left > 1000 ? PACKET_MORE_FRAGMENTS : 0);
                packet_ipv4(&part, &(struct packet_ipv4){.source = (uint8_t)(1 + i / 6),
                                                         .destination = 2,
                                                         .id = (uint16_t)(i / 2 % 3),
                                                         .flags_offset = (uint16_t)flags});
                packet_ethernet(&part, 0x0800);
            } else {
                packet_ipv6_fragment(&part, UDP, offset, left > 1000, i / 2 % 3);
                packet_ipv6(&part, 1, (uint8_t)(1 + i / 6), 44);
                packet_ethernet(&part, 0x86dd);
            }
            add_part();
        }
    assert_counts(&(struct capture_counts){.frames = 48, .fragments = 48, .reassembled = 12});
    for (unsigned i = 0; i < 12; i++)
        capture_reading_assert_pattern(&reading, i, i, SIZE);
}

TEST_WITH(ipv6_hosts_that_begin_like_ipv4_hosts_are_others, begin, end)
{
    (void)state;
    add(4, 0, 2000, 7);
    packet_ipv6_part(&part, &datagram, 2000, SIZE + 8 - 2000, 7);
    uint8_t *header = part.room + part.start + 14;
    memset(header + 8, 0, 32);
    memcpy(header + 8, (const uint8_t[]){192, 0, 2, 1}, 4);
    memcpy(header + 24, (const uint8_t[]){192, 0, 2, 2}, 4);
    add_part();
    assert_counts(&(struct capture_counts){.frames = 2, .fragments = 2, .incomplete = 2});
}

TEST_WITH(repeated_fragments_change_nothing, begin, end)
{
    (void)state;
    for (unsigned version = 4; version <= 6; version += 2) {
        begin_file();
        add(version, 0, 1000, 7);
        add(version, 0, 1000, 7);
        add(version, 2000, 1400, 7);
        add(version, 2000, 1400, 7);
        add(version, 0, 1000, 7);
        add(version, 1000, 1000, 7);
        assert_reassembled_from(6);
    }
}

TEST_WITH(missing_fragment_leaves_the_datagram_incomplete, begin, end)
{
    (void)state;
    for (unsigned version = 4; version <= 6; version += 2)
        for (size_t missing = 0; missing < 4; missing++) {
            begin_file();
            for (size_t i = 0; i < 4; i++)
                if (i != missing)
                    add(version, i * 800, 800, 7);
            assert_incomplete_of(3);
        }
}

TEST_WITH(pending_fragments_are_incomplete_at_damage_too, begin, end)
{
    (void)state;
    add(4, 0, 800, 7);
    add(4, 800, 800, 7);
    capture_builder_raw(&file, "?", 1);
    read_file();
    assert_int_equal(reading.end, CAPTURE_DAMAGED);
    capture_reading_assert_counts(
        &reading, &(struct capture_counts){.frames = 2, .fragments = 2, .incomplete = 1});
}

TEST_WITH(first_data_wins_where_ipv4_fragments_overlap, begin, end)
{
    (void)state;
    add(4, 0, 1000, 7);
    add_altered(4, 800, 800, 7, 0);   /* overlaps the first fragment and differs from it */
    add_altered(4, 400, 200, 7, 100); /* lies fully inside the first fragment */
    add_altered(4, 0, 1000, 7, 3);    /* repeats the first fragment with another port */
    add(4, 1600, 1600, 7);
    assert_reassembled_from(5);

    begin_file(); /* the datagram is incomplete, whatever port the second fragment has */
    add(4, 0, 1000, 7);
    add_altered(4, 0, 1000, 7, 3);
    assert_incomplete_of(2);
}

TEST_WITH(ipv4_fragment_beyond_the_known_end_is_ignored, begin, end)
{
    (void)state;
    add(4, 2400, 800, 7); /* ends at byte 3,008 */
    static struct packet kept;
    kept = datagram;
    make_datagram(9, SIZE + 800, PORT);
    add(4, 3008, 800, 7); /* a last fragment that ends at byte 3,808 */
    add(4, 2400, 800, 7); /* this fragment reaches the end, but is not marked as the last one */
    datagram = kept;
    add(4, 0, 1600, 7);
    add(4, 1600, 800, 7);
    assert_reassembled_from(5);
}

TEST_WITH(ipv4_end_within_what_has_come_is_ignored, begin, end)
{
    (void)state;
    add(4, 800, 1600, 7);
    static struct packet kept;
    kept = datagram;
    make_datagram(9, 1000, PORT);
    add(4, 800, 800, 7); /* a last fragment that ends at byte 1,008 */
    datagram = kept;
    add(4, 0, 800, 7);
    add(4, 2400, 800, 7);
    assert_reassembled_from(4);
}

TEST_WITH(ipv6_datagram_with_overlapping_fragments_is_refused, begin, end)
{
    (void)state;
    /* The second fragment overlaps the first. So the datagram stays incomplete, although all bytes
     * follow. */
    add(6, 0, 1000, 7);
    add(6, 800, 800, 7);
    add(6, 1000, 1000, 7);
    add(6, 2000, 1400, 7);
    assert_incomplete_of(4);

    begin_file(); /* the second add repeats a fragment with one byte changed */
    add(6, 0, 1000, 7);
    add_altered(6, 0, 1000, 7, 500);
    add(6, 1000, 2400, 7);
    assert_incomplete_of(3);

    begin_file(); /* two last fragments with different ends */
    add(6, 2000, 1400, 7);
    static struct packet kept;
    kept = datagram;
    make_datagram(1, SIZE + 1000, PORT);
    add(6, 3008, 1400, 7);
    datagram = kept;
    add(6, 0, 2000, 7);
    assert_incomplete_of(3);
}

TEST_WITH(ipv6_next_header_counts_in_the_first_fragment_only, begin, end)
{
    (void)state;
    static struct packet inner;
    /* A destination options header before UDP is fragmented too. */
    packet_ipv6_extension(&datagram, UDP, 2);
    inner = datagram;
    static const size_t offsets[] = {2000, 0, 16, 1000};
    static const size_t sizes[] = {1032, 16, 984, 1000};
    static const uint8_t next_headers[] = {60, 60, UDP, 0};
    for (size_t i = 0; i < 4; i++) {
        packet_begin(&part, packet_bytes(&inner) + offsets[i], sizes[i]);
        packet_ipv6_fragment(&part, next_headers[i], offsets[i], offsets[i] != 2000, 7);
        packet_ipv6_extension(&part, 44, 0);
        packet_ipv6(&part, 1, 2, 0);
        packet_ethernet(&part, 0x86dd);
        add_part();
    }
    assert_reassembled_from(4);
}

TEST_WITH(fragments_of_another_port_are_other, begin, end)
{
    (void)state;
    for (unsigned version = 4; version <= 6; version += 2) {
        make_datagram(1, SIZE, PORT + 1);
        begin_file();
        add(version, 800, 800, 7);
        add(version, 0, 800, 7);
        add(version, 1600, 1600, 7);
        assert_counts(&(struct capture_counts){.frames = 3, .other = 3});

        /*
         * The port of the fragments is not the capture's, so the incomplete datagram counts as
         * `other`.
         */
        begin_file();
        add(version, 800, 800, 7);
        add(version, 0, 800, 7);
        assert_counts(&(struct capture_counts){.frames = 2, .other = 2});
    }
}

TEST_WITH(fragments_of_another_protocol_are_other, begin, end)
{
    (void)state;
    /*
     * In the first round only the first fragment is added, and in the second round only the second
     * one.
     */
    for (unsigned i = 0; i < 2; i++) {
        begin_file();
        packet_begin_pattern(&part, 1, 800);
        packet_ipv4(&part,
                    &(struct packet_ipv4){.source = 1,
                                          .destination = 2,
                                          .protocol = 6,
                                          .flags_offset = i == 0 ? PACKET_MORE_FRAGMENTS : 100});
        packet_ethernet(&part, 0x0800);
        add_part();
        packet_begin_pattern(&part, 1, 800);
        packet_ipv6_fragment(&part, 58, i * (size_t)800, i == 0, 7);
        packet_ipv6(&part, 1, 2, 44);
        packet_ethernet(&part, 0x86dd);
        add_part();
        assert_counts(&(struct capture_counts){.frames = 2, .other = 2});
    }
}

TEST_WITH(ipv6_fragments_that_turn_out_not_to_be_udp_are_other, begin, end)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        packet_begin_pattern(&part, 1, 800);
        if (i == 0) {
            part.room[part.start] = 6; /* offset of TCP after 8 bytes of options */
            part.room[part.start + 1] = 0;
        }
        packet_ipv6_fragment(&part, 60, i * (size_t)800, i == 0, 7);
        packet_ipv6(&part, 1, 2, 44);
        packet_ethernet(&part, 0x86dd);
        add_part();
    }
    assert_counts(&(struct capture_counts){.frames = 2, .other = 2});
}

TEST_WITH(reassembled_datagram_of_a_wrong_udp_length_is_other, begin, end)
{
    (void)state;
    datagram.room[datagram.start + 4] = 0xff;
    add(4, 0, 800, 7);
    add(4, 800, 3000, 7);
    assert_counts(&(struct capture_counts){.frames = 2, .other = 2});
}

TEST_WITH(fragment_that_makes_no_sense_is_other, begin, end)
{
    (void)state;
    static const struct {
        uint16_t offset_bytes;
        bool more;
        size_t size;
    } wrong[] = {
        {0, true, 801},      /* not the last fragment, and not a multiple of 8 bytes */
        {800, false, 0},     /* 0 bytes */
        {65528, false, 8},   /* ends beyond the largest datagram */
        {64736, true, 800},  /* ends beyond the largest datagram */
        {64000, false, 1600} /* ends beyond the largest datagram */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint16_t flags = wrong[i].more ? PACKET_MORE_FRAGMENTS : 0;
        packet_begin(&part, packet_bytes(&datagram), wrong[i].size);
        packet_ipv4(&part, &(struct packet_ipv4){
                               .source = 1,
                               .destination = 2,
                               .flags_offset = (uint16_t)(flags | wrong[i].offset_bytes / 8),
                           });
        packet_ethernet(&part, 0x0800);
        add_part();
        packet_begin(&part, packet_bytes(&datagram), wrong[i].size);
        packet_ipv6_fragment(&part, UDP, wrong[i].offset_bytes, wrong[i].more, 7);
        packet_ipv6(&part, 1, 2, 44);
        packet_ethernet(&part, 0x86dd);
        add_part();
    }
    assert_counts(&(struct capture_counts){.frames = 10, .other = 10});
}

TEST_WITH(fragment_padding_is_no_data, begin, end)
{
    (void)state;
    for (size_t offset = 0; offset < datagram.size; offset += 1000) {
        size_t left = datagram.size - offset;
        packet_ipv4_part(&part, &datagram, offset, left < 1000 ? left : 1000, 7);
        packet_pad(&part, 46);
        add_part();
    }
    assert_reassembled_from(4);
}

TEST_WITH(cut_fragment_is_cut_and_its_datagram_incomplete, begin, end)
{
    (void)state;
    for (unsigned version = 4; version <= 6; version += 2) {
        begin_file();
        add(version, 0, 800, 7);
        if (version == 4)
            packet_ipv4_part(&part, &datagram, 800, 800, 7);
        else
            packet_ipv6_part(&part, &datagram, 800, 800, 7);
        capture_builder_record(&file, second, 0, &part, part.size - 1);
        add(version, 1600, 1600, 7);
        assert_counts(
            &(struct capture_counts){.frames = 3, .fragments = 2, .cut = 1, .incomplete = 1});
    }
}

TEST_WITH(oldest_datagram_is_given_up_for_a_further_one, begin, end)
{
    (void)state;
    for (uint16_t id = 0; id < SLOTS; id++) {
        second = 1;
        add(4, 0, 2000, id);
    }
    add(4, 2000, 2000, 0);  /* completes datagram 0, the oldest: all SLOTS datagrams were kept */
    add(4, 0, 2000, SLOTS); /* takes the slot of datagram 0 */
    add(4, 0, 2000, SLOTS + 1); /* takes the slot of datagram 1, which is now the oldest */
    add(4, 2000, 2000, 2);      /* completes datagram 2, which was kept */
    add(4, 2000, 2000, 1);      /* begins datagram 1 again */
    assert_counts(&(struct capture_counts){
        .frames = SLOTS + 5, .fragments = SLOTS + 5, .reassembled = 2, .incomplete = SLOTS + 1});
}

TEST_WITH(slot_of_a_refused_datagram_serves_again, begin, end)
{
    (void)state;
    add(6, 0, 1000, 1000);
    add(6, 800, 800, 1000);
    for (size_t offset = 0; offset < 4000; offset += 2000)
        for (uint16_t id = 0; id < SLOTS; id++) {
            second = 1;
            add(6, offset, 2000, id);
        }
    assert_counts(&(struct capture_counts){.frames = 2 * SLOTS + 2,
                                           .fragments = 2 * SLOTS + 2,
                                           .reassembled = SLOTS,
                                           .incomplete = 1});
}

TEST_WITH(datagram_older_than_a_minute_is_not_continued, begin, end)
{
    (void)state;
    add(4, 0, 2000, 7);
    second = 61;
    add(4, 2000, 2000, 7);
    assert_reassembled_from(2);

    begin_file();
    add(4, 0, 2000, 7);
    second = 62;
    add(4, 2000, 2000, 7);
    assert_counts(&(struct capture_counts){.frames = 2, .fragments = 2, .incomplete = 2});

    begin_file(); /* the times of a merged capture's frames may go backwards */
    second = 62;
    add(4, 0, 2000, 7);
    second = 1;
    add(4, 2000, 2000, 7);
    assert_counts(&(struct capture_counts){.frames = 2, .fragments = 2, .incomplete = 2});
}

/* --- the UDP checksum ------------------------------------------------------------------------- */

/* Returns the sum of the words of the pseudo header that add() uses for this IP version. */
static uint64_t pseudo_sum(unsigned version)
{
    begin_file();
    make_datagram(1, SIZE, PORT);
    add(version, 0, 1600, 7);
    add(version, 1600, SIZE, 7);
    assert_reassembled_from(2);
    const struct capture_read *read = &reading.datagrams[0];
    size_t each = version == 4 ? 4 : 16;
    uint64_t sum = internet_checksum_add(UDP + datagram.size, read->source.bytes, each);
    return internet_checksum_add(sum, read->destination.bytes, each);
}

static void put_checksum(uint16_t checksum)
{
    uint8_t *udp = datagram.room + datagram.start;
    udp[6] = (uint8_t)(checksum >> 8);
    udp[7] = (uint8_t)checksum;
}

static uint16_t right_checksum(uint64_t pseudo)
{
    put_checksum(0);
    return internet_checksum_fold(
        internet_checksum_add(pseudo, datagram.room + datagram.start, datagram.size));
}

TEST_WITH(fragments_of_two_datagrams_with_one_id_are_incomplete, begin, end)
{
    (void)state;
    for (unsigned version = 4; version <= 6; version += 2) {
        uint64_t pseudo = pseudo_sum(version);
        begin_file();
        make_datagram(2, SIZE, PORT); /* the first fragment of this datagram is missing */
        put_checksum(right_checksum(pseudo));
        add(version, 1600, SIZE, 7);
        make_datagram(1, SIZE, PORT);
        put_checksum(right_checksum(pseudo));
        add(version, 0, 1600, 7);
        assert_incomplete_of(2);
    }
}

TEST_WITH(right_checksums_and_those_left_to_the_network_card_are_accepted, begin, end)
{
    (void)state;
    for (unsigned version = 4; version <= 6; version += 2) {
        uint64_t pseudo = pseudo_sum(version);
        const uint16_t accepted[] = {right_checksum(pseudo),
                                     (uint16_t)~internet_checksum_fold(pseudo), 0};
        for (size_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
            begin_file();
            put_checksum(accepted[i]);
            add(version, 0, 1600, 7);
            add(version, 1600, SIZE, 7);
            assert_reassembled_from(2);
        }
    }
}
