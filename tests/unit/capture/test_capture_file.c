#include <stdio.h>
#include <string.h>

#include "collector/capture/capture.h"
#include "tests/support/capture/capture_builder.h"
#include "tests/support/capture/capture_reading.h"
#include "tests/support/test.h"

#define ETHERNET    1
#define SECOND      INT64_C(1000000000)
#define PORT        5555
#define OPTION_UNIT 9
#define OPTION_ZERO 14

static struct packet packet;
static struct capture_builder file;
static struct capture_reading reading;

static int begin(void **state)
{
    (void)state;
    packet_simple(&packet, 1, 100, PORT);
    return 0;
}

static int end(void **state)
{
    (void)state;
    capture_reading_free(&reading);
    capture_builder_clear(&file);
    return 0;
}

static void read_file(void)
{
    capture_reading_free(&reading);
    capture_reading_take(&reading, capture_builder_save(&file), PORT);
}

static void assert_one_datagram_at(int64_t time_ns)
{
    read_file();
    assert_int_equal(reading.end, CAPTURE_END);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .whole = 1});
    capture_reading_assert_pattern(&reading, 0, 1, 100);
    assert_true(reading.datagrams[0].time_ns == time_ns);
}

static void assert_damaged(const char *words)
{
    read_file();
    assert_int_equal(reading.end, CAPTURE_DAMAGED);
    assert_int_equal(reading.error.code, EXIT_CODE_BAD_INPUT);
    assert_null(strchr(reading.error.text, '\n'));
    if (strstr(reading.error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", reading.error.text, words);
}

static void assert_not_opened_path(const char *path, const char *words)
{
    struct capture *capture = NULL;
    struct error error = {0};
    assert_int_equal(capture_open(path, PORT, &capture, &error), -1);
    assert_null(capture);
    assert_int_equal(error.code, EXIT_CODE_BAD_INPUT);
    assert_null(strchr(error.text, '\n'));
    assert_non_null(strstr(error.text, path));
    if (strstr(error.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, words);
}

static void assert_not_opened(const char *words)
{
    assert_not_opened_path(capture_builder_save(&file), words);
}

/* --- pcap ------------------------------------------------------------------------------------- */

TEST_WITH(pcap_of_either_byte_order_is_read, begin, end)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        capture_builder_clear(&file);
        capture_builder_pcap(&file, big, PCAP_MICROSECONDS, ETHERNET);
        capture_builder_record(&file, 1700000000, 123456, &packet, packet.size);
        assert_one_datagram_at(1700000000 * SECOND + 123456000);
    }
}

TEST_WITH(pcap_of_nanoseconds_is_read, begin, end)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        capture_builder_clear(&file);
        capture_builder_pcap(&file, big, PCAP_NANOSECONDS, ETHERNET);
        capture_builder_record(&file, 4294967295u, 999999999, &packet, packet.size);
        assert_one_datagram_at(4294967295 * SECOND + 999999999);
    }
}

TEST_WITH(pcap_without_records_has_nothing, begin, end)
{
    (void)state;
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, ETHERNET);
    read_file();
    assert_int_equal(reading.end, CAPTURE_END);
    capture_reading_assert_counts(&reading, &(struct capture_counts){0});
}

TEST_WITH(pcap_link_type_may_carry_the_checksum_length, begin, end)
{
    (void)state;
    packet_pad(&packet, 4);
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, 0x24000000u | ETHERNET);
    capture_builder_record(&file, 1, 0, &packet, packet.size);
    assert_one_datagram_at(SECOND);
}

TEST_WITH(pcap_cut_anywhere_is_damaged_after_its_whole_records, begin, end)
{
    (void)state;
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, ETHERNET);
    capture_builder_record(&file, 1, 0, &packet, packet.size);
    size_t one = file.size;
    capture_builder_record(&file, 2, 0, &packet, packet.size);
    size_t both = file.size;
    for (file.size = one + 1; file.size < both; file.size++) {
        char words[64];
        snprintf(words, sizeof words, "record that begins at byte %zu", one);
        assert_damaged(words);
        capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .whole = 1});
    }
    for (file.size = 1; file.size < 24; file.size++)
        assert_not_opened(file.size < 4 ? "too short" : "ends at byte");
}

TEST_WITH(pcap_record_of_absurd_length_is_damaged, begin, end)
{
    (void)state;
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, ETHERNET);
    static const uint32_t lengths[] = {262145, 0x7fffffff, 0x80000000, 0xffffffff};
    size_t header = file.size;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        file.size = header;
        capture_builder_u32(&file, 1);
        capture_builder_u32(&file, 0);
        capture_builder_u32(&file, lengths[i]);
        capture_builder_u32(&file, lengths[i]);
        assert_damaged("damaged at byte 24: a frame of");
        capture_reading_assert_counts(&reading, &(struct capture_counts){0});
    }
}

TEST_WITH(pcap_record_may_claim_less_on_the_wire_than_captured, begin, end)
{
    (void)state;
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, ETHERNET);
    capture_builder_u32(&file, 1);
    capture_builder_u32(&file, 0);
    capture_builder_u32(&file, (uint32_t)packet.size);
    capture_builder_u32(&file, 0);
    capture_builder_raw(&file, packet_bytes(&packet), packet.size);
    assert_one_datagram_at(SECOND);
}

TEST_WITH(pcap_of_an_unsupported_link_type_or_version_is_refused, begin, end)
{
    (void)state;
    capture_builder_pcap(&file, false, PCAP_MICROSECONDS, 105);
    assert_not_opened("link type 105 is not supported");
    file.bytes[4] = 3;
    assert_not_opened("version 3.4 is not supported");
    file.bytes[4] = 2;
    file.bytes[6] = 3;
    assert_not_opened("version 2.3 is not supported");
}

/* --- pcapng ----------------------------------------------------------------------------------- */

TEST_WITH(pcapng_of_either_byte_order_is_read, begin, end)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        capture_builder_clear(&file);
        capture_builder_section(&file, big);
        capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
        capture_builder_enhanced(&file, 0, UINT64_C(1700000000123456), &packet, packet.size);
        assert_one_datagram_at(1700000000 * SECOND + 123456000);
    }
}

TEST_WITH(pcapng_obsolete_packet_block_is_read, begin, end)
{
    (void)state;
    for (int big = 0; big < 2; big++) {
        capture_builder_clear(&file);
        capture_builder_section(&file, big);
        capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
        capture_builder_obsolete(&file, 0, UINT64_C(1700000000123456), &packet, packet.size);
        assert_one_datagram_at(1700000000 * SECOND + 123456000);
    }
}

TEST_WITH(pcapng_simple_packet_block_has_no_time, begin, end)
{
    (void)state;
    capture_builder_section(&file, false);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    capture_builder_simple(&file, &packet, packet.size);
    assert_one_datagram_at(0);
}

TEST_WITH(pcapng_simple_packet_block_is_cut_to_the_snapshot_length, begin, end)
{
    (void)state;
    capture_builder_section(&file, false);
    /*
     * The capture has one byte less than the packet. The reader must not read padding as the last
     * byte.
     */
    uint32_t snapshot_length = (uint32_t)packet.size - 1;
    capture_builder_interface(&file, ETHERNET, snapshot_length, NULL, 0);
    capture_builder_simple(&file, &packet, snapshot_length);
    read_file();
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .cut = 1});
}

TEST_WITH(pcapng_unknown_blocks_and_options_are_skipped, begin, end)
{
    (void)state;
    static const uint8_t body[10000] = {1};
    static const uint8_t options[] = {
        2,    0,    4, 0, 'e', 't', 'h', '0',             /* if_name "eth0" */
        1,    0,    0, 0,                                 /* a comment of 0 bytes */
        0xac, 0x0b, 5, 0, 1,   2,   3,   4,   5, 0, 0, 0, /* a custom option, padded */
        0,    0,    0, 0,                                 /* the end of options */
        9,    0,    1, 0, 9,   0,   0,   0, /* these bytes after the end of options are ignored */
    };
    capture_builder_section(&file, false);
    capture_builder_block(&file, 4, body, sizeof body);
    capture_builder_interface(&file, ETHERNET, 0, options, sizeof options);
    capture_builder_block(&file, 0x0bad, body, 0);
    capture_builder_block(&file, 5, body, 12);
    capture_builder_enhanced(&file, 0, 1000000, &packet, packet.size);
    capture_builder_block(&file, 0x80000001, body, 33);
    assert_one_datagram_at(SECOND);
}

TEST_WITH(pcapng_packet_options_are_skipped, begin, end)
{
    (void)state;
    capture_builder_section(&file, false);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    uint8_t body[256] = {0};
    static const uint8_t options[] = {1, 0, 3, 0, 'h', 'e', 'y', 0, 0, 0, 0, 0};
    body[8] = 5; /* 5 us */
    body[12] = (uint8_t)packet.size;
    body[16] = (uint8_t)packet.size;
    memcpy(body + 20, packet_bytes(&packet), packet.size);
    size_t padded = (packet.size + 3) / 4 * 4;
    memcpy(body + 20 + padded, options, sizeof options);
    capture_builder_block(&file, 6, body, 20 + padded + sizeof options);
    assert_one_datagram_at(5000);
}

TEST_WITH(pcapng_time_unit_and_offset_are_applied, begin, end)
{
    (void)state;
    static const struct {
        uint8_t resolution;
        int64_t offset;
        uint64_t units;
        int64_t time_ns;
    } cases[] = {
        {6, 0, 1500000, 1500000000},
        {0, 0, 7, 7 * SECOND},
        {3, 0, 1234, 1234000000},
        {9, 0, UINT64_C(1700000000123456789), INT64_C(1700000000123456789)},
        {9, 3600, 5, 3600 * SECOND + 5},
        {6, -10, 12000000, 2 * SECOND},
        {6, -10, 500000, -10 * SECOND + 500000000},
        {12, 0, UINT64_C(1234567890123456), INT64_C(1234567890123)},
        {19, 0, UINT64_C(15000000000000000000), 1500000000},
        {20, 0, UINT64_C(10000000000000000000), 100000000},
        {28, 0, UINT64_C(10000000000000000000), 1},
        {29, 0, UINT64_MAX, 0},
        {127, 0, UINT64_MAX, 0},
        {0x80, 0, 7, 7 * SECOND},
        {0x80 | 1, 0, 3, 1500000000},
        {0x80 | 10, 0, 1024 + 256, 1250000000},
        {0x80 | 32, 0, UINT64_C(1700000000) << 32 | UINT64_C(0x80000000),
         INT64_C(1700000000500000000)},
        {0x80 | 34, 0, (UINT64_C(1) << 34) - 1, 999999999},
        {0x80 | 63, 0, UINT64_C(3) << 62, 1500000000},
        {0x80 | 64, 0, UINT64_C(1) << 63, 500000000},
        {0x80 | 98, 0, UINT64_MAX, 0},
        {0x80 | 127, 0, UINT64_MAX, 0},
        {0, 0, UINT64_MAX, INT64_MAX},
        {0, INT64_MAX, UINT64_MAX, INT64_MAX},
        {0, INT64_MIN, 0, INT64_MIN},
        {6, INT64_MAX, 1, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int big = 0; big < 2; big++) {
            capture_builder_clear(&file);
            capture_builder_section(&file, big);
            struct capture_builder options = {.big_endian = big};
            capture_builder_u16(&options, OPTION_UNIT);
            capture_builder_u16(&options, 1);
            capture_builder_raw(&options, (const uint8_t[]){cases[i].resolution, 0, 0, 0}, 4);
            capture_builder_u16(&options, OPTION_ZERO);
            capture_builder_u16(&options, 8);
            uint64_t offset = (uint64_t)cases[i].offset;
            capture_builder_u32(&options, (uint32_t)(big ? offset >> 32 : offset));
            capture_builder_u32(&options, (uint32_t)(big ? offset : offset >> 32));
            capture_builder_u32(&options, 0);
            capture_builder_interface(&file, ETHERNET, 0, options.bytes, options.size);
            capture_builder_clear(&options);
            capture_builder_enhanced(&file, 0, cases[i].units, &packet, packet.size);
            read_file();
            if (reading.count != 1 || reading.datagrams[0].time_ns != cases[i].time_ns)
                fail_msg("case %zu", i);
        }
}

TEST_WITH(pcapng_interfaces_each_have_their_link_type_and_time, begin, end)
{
    (void)state;
    static struct packet raw, unsupported;
    packet_begin_pattern(&raw, 2, 50);
    packet_udp(&raw, 1, PORT);
    packet_ipv4(&raw, &(struct packet_ipv4){.source = 3, .destination = 4});
    packet_simple(&unsupported, 3, 10, PORT);
    static const uint8_t nanoseconds[] = {OPTION_UNIT, 0, 1, 0, 9, 0, 0, 0};
    capture_builder_section(&file, false);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    capture_builder_interface(&file, 101, 0, nanoseconds, sizeof nanoseconds);
    capture_builder_enhanced(&file, 1, 17, &raw, raw.size);
    capture_builder_interface(&file, 105, 0, NULL, 0);
    capture_builder_enhanced(&file, 2, 17, &unsupported, unsupported.size);
    capture_builder_enhanced(&file, 0, 17, &packet, packet.size);
    read_file();
    assert_int_equal(reading.end, CAPTURE_END);
    capture_reading_assert_counts(&reading,
                                  &(struct capture_counts){.frames = 3, .whole = 2, .other = 1});
    capture_reading_assert_pattern(&reading, 0, 2, 50);
    assert_int_equal(reading.datagrams[0].time_ns, 17);
    capture_reading_assert_pattern(&reading, 1, 1, 100);
    assert_int_equal(reading.datagrams[1].time_ns, 17000);
}

TEST_WITH(pcapng_may_have_many_interfaces, begin, end)
{
    (void)state;
    capture_builder_section(&file, false);
    for (int i = 0; i < 1000; i++)
        capture_builder_interface(&file, 105, 0, NULL, 0);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    capture_builder_enhanced(&file, 1000, 1, &packet, packet.size);
    assert_one_datagram_at(1000);
}

TEST_WITH(pcapng_sections_may_differ_in_byte_order_and_interfaces, begin, end)
{
    (void)state;
    static struct packet raw;
    packet_begin_pattern(&raw, 2, 50);
    packet_udp(&raw, 1, PORT);
    packet_ipv4(&raw, &(struct packet_ipv4){.source = 3, .destination = 4});
    capture_builder_section(&file, false);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    capture_builder_enhanced(&file, 0, 1, &packet, packet.size);
    capture_builder_section(&file, true);
    capture_builder_interface(&file, 101, 0, NULL, 0);
    capture_builder_enhanced(&file, 0, 2, &raw, raw.size);
    capture_builder_section(&file, false);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    capture_builder_enhanced(&file, 0, 3, &packet, packet.size);
    read_file();
    assert_int_equal(reading.end, CAPTURE_END);
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 3, .whole = 3});
    capture_reading_assert_pattern(&reading, 1, 2, 50);
    assert_int_equal(reading.datagrams[2].time_ns, 3000);

    /* A new section has no interfaces of the previous one. */
    capture_builder_section(&file, true);
    capture_builder_enhanced(&file, 0, 4, &packet, packet.size);
    assert_damaged("interface that is not described");
    capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 3, .whole = 3});
}

TEST_WITH(pcapng_cut_anywhere_is_damaged, begin, end)
{
    (void)state;
    capture_builder_section(&file, false);
    size_t section = file.size;
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    size_t interface = file.size;
    capture_builder_enhanced(&file, 0, 1, &packet, packet.size);
    size_t all = file.size;
    for (file.size = all - 1; file.size > section; file.size--) {
        if (file.size == interface)
            continue;
        assert_damaged("ends at byte");
        capture_reading_assert_counts(&reading, &(struct capture_counts){0});
    }
    for (file.size = section - 1; file.size > 0; file.size--)
        assert_not_opened(file.size < 4 ? "too short" : "ends at byte");
}

TEST_WITH(pcapng_block_that_makes_no_sense_is_damaged, begin, end)
{
    (void)state;
    static const struct {
        uint32_t type, length;
        uint8_t body[24];
        const char *words;
    } cases[] = {
        {1, 0, {0}, "a block of 0 bytes"},
        {1, 8, {0}, "a block of 8 bytes"},
        {1, 21, {0}, "a block of 21 bytes"},
        {77, 0xfffffffc, {0}, "a block of 4294967292 bytes"},
        {77, 0x01000004, {0}, "a block of 16777220 bytes"},
        {77, 20, {0}, "two lengths"},
        {1, 16, {0}, "interface description is too short"},
        {1, 24, {1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 5, 0}, "option of the interface exceeds"},
        {3, 12, {0}, "packet block is too short"},
        {6, 28, {0}, "packet block is too short"},
        {6, 32, {1}, "interface that is not described"},
        {2, 32, {1}, "interface that is not described"},
        {6, 32, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, "frame exceeds its block"},
        {6, 32, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 4}, "a frame of 262145 bytes"},
        {6, 32, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, "a frame of 4294"},
        {0x0a0d0d0a, 28, {0}, "byte-order magic"},
        {0x0a0d0d0a, 24, {0x4d, 0x3c, 0x2b, 0x1a}, "section header is too short"},
        {0x0a0d0d0a, 28, {0x4d, 0x3c, 0x2b, 0x1a, 2}, "version 2 is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        capture_builder_clear(&file);
        capture_builder_section(&file, false);
        capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
        capture_builder_enhanced(&file, 0, 1, &packet, packet.size);
        char place[64];
        snprintf(place, sizeof place, "damaged at byte %zu: ", file.size);
        capture_builder_u32(&file, cases[i].type);
        capture_builder_u32(&file, cases[i].length);
        capture_builder_raw(&file, cases[i].body, sizeof cases[i].body);
        capture_builder_u32(&file, 0xdead);
        capture_builder_enhanced(&file, 0, 1, &packet, packet.size);
        assert_damaged(cases[i].words);
        assert_non_null(strstr(reading.error.text, place));
        capture_reading_assert_counts(&reading, &(struct capture_counts){.frames = 1, .whole = 1});
    }
}

TEST_WITH(pcapng_packet_before_any_interface_is_damaged, begin, end)
{
    (void)state;
    capture_builder_section(&file, false);
    capture_builder_simple(&file, &packet, packet.size);
    assert_damaged("interface that is not described");
}

TEST_WITH(pcapng_of_a_wrong_first_section_is_refused, begin, end)
{
    (void)state;
    capture_builder_section(&file, false);
    file.bytes[8] ^= 1;
    assert_not_opened("byte-order magic");
    file.bytes[8] ^= 1;
    file.bytes[12] = 9;
    assert_not_opened("version 9 is not supported");
    file.bytes[12] = 1;
    file.bytes[24] ^= 4;
    assert_not_opened("two lengths");
}

/* --- both formats, and neither ---------------------------------------------------------------- */

TEST_WITH(pcap_and_pcapng_of_the_same_frames_give_the_same_datagrams, begin, end)
{
    (void)state;
    static struct packet packets[20];
    struct capture_builder pcap = {0};
    capture_builder_pcap(&pcap, true, PCAP_MICROSECONDS, ETHERNET);
    capture_builder_section(&file, false);
    capture_builder_interface(&file, ETHERNET, 0, NULL, 0);
    for (unsigned i = 0; i < 20; i++) {
        packet_simple(&packets[i], i, (size_t)70 * i, i % 5 == 4 ? PORT + 1 : PORT);
        size_t captured = packets[i].size - (i % 7 == 6 ? 1 : 0);
        capture_builder_record(&pcap, i, 7 * i, &packets[i], captured);
        capture_builder_enhanced(&file, 0, (uint64_t)i * 1000007, &packets[i], captured);
    }
    read_file();
    struct capture_reading from_pcap;
    capture_reading_take(&from_pcap, capture_builder_save(&pcap), PORT);
    capture_builder_clear(&pcap);

    capture_reading_assert_counts(
        &from_pcap, &(struct capture_counts){.frames = 20, .whole = 14, .other = 4, .cut = 2});
    capture_reading_assert_counts(&reading, &from_pcap.counts);
    for (size_t i = 0; i < reading.count; i++) {
        const struct capture_read *one = &reading.datagrams[i];
        const struct capture_read *other = &from_pcap.datagrams[i];
        assert_int_equal(one->size, other->size);
        assert_memory_equal(one->data, other->data, one->size);
        assert_int_equal(one->time_ns, other->time_ns);
        assert_int_equal(one->source.port, other->source.port);
        assert_memory_equal(one->source.bytes, other->source.bytes, 16);
        assert_memory_equal(one->destination.bytes, other->destination.bytes, 16);
    }
    capture_reading_free(&from_pcap);
}

TEST_WITH(what_is_no_capture_file_is_refused_with_its_reason, begin, end)
{
    (void)state;
    assert_not_opened("is empty");
    capture_builder_raw(&file, "\x1f\x8b\x08\x00 and so on", 14);
    assert_not_opened("neither pcap nor pcapng (its first bytes are 1f 8b 08 00)");
    assert_not_opened_path("/nonexistent/capture.pcap", "cannot be opened");
    assert_not_opened_path("/", "cannot be");
}
