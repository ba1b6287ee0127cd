/* Tests the formats without lines, protobuf and pcap, and how much of their files is complete. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "sinks/encoders/whole_lines.h"
#include "sinks/sinks.h"
#include "tests/support/test.h"

static const struct listener listener = {.name = "udp://127.0.0.1:5555"};

static uint8_t memory[256 * 1024];

#define LONGEST_TORN 200

static size_t encode(const struct encoder_ops *ops, const struct record *record, size_t capacity,
                     struct encoded *encoded)
{
    struct encoder_options options = {0};
    struct output out = {.data = (char *)memory, .capacity = capacity};
    struct encoder *encoder = ops->create(&options);
    assert_non_null(encoder);
    *encoded = ops->encode(encoder, &listener, record, &out);
    ops->destroy(encoder);
    assert_false(out.overflow);
    return out.used;
}

static bool overflows(const struct encoder_ops *ops, const struct record *record, size_t capacity)
{
    struct encoder_options options = {0};
    struct output out = {.data = (char *)memory, .capacity = capacity};
    struct encoder *encoder = ops->create(&options);
    assert_non_null(encoder);
    ops->encode(encoder, &listener, record, &out);
    ops->destroy(encoder);
    return out.overflow;
}

/* --- protobuf --------------------------------------------------------------------------------- */

TEST(a_message_follows_its_length)
{
    static const uint8_t bytes[65507];
    static const struct {
        uint32_t size;
        size_t prefix_size;
        uint8_t prefix[3];
    } cases[] = {
        {0, 1, {0}},
        {1, 1, {1}},
        {127, 1, {127}},
        {128, 2, {0x80, 1}},
        {300, 2, {0xac, 2}},
        {16383, 2, {0xff, 0x7f}},
        {16384, 3, {0x80, 0x80, 1}},
        {65507, 3, {0xe3, 0xff, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record record = {.data = bytes, .size = cases[i].size};
        struct encoded encoded;
        size_t whole = cases[i].prefix_size + cases[i].size;
        assert_int_equal(encode(&encoder_protobuf, &record, whole, &encoded), whole);
        assert_int_equal(encoded.lines, 1);
        assert_int_equal(encoded.samples, 0);
        assert_memory_equal(memory, cases[i].prefix, cases[i].prefix_size);
        assert_memory_equal(memory + cases[i].prefix_size, bytes, cases[i].size);
        assert_true(overflows(&encoder_protobuf, &record, whole - 1));
    }
}

/* --- pcap ------------------------------------------------------------------------------------- */

static struct packet sent(const void *bytes, size_t size)
{
    return (struct packet){
        .data = bytes, .size = (uint32_t)size, .destination = {.family = ADDRESS_IPV4, .port = 2}};
}

static struct record packet_record(const struct packet *packet, int64_t received_ns)
{
    return (struct record){.packet = packet,
                           .source = {.family = ADDRESS_IPV4, .port = 1},
                           .received_ns = received_ns};
}

TEST(a_packet_has_its_time_its_lengths_and_its_datagram)
{
    struct packet packet = sent("datagram", 8);
    struct record record = packet_record(&packet, INT64_C(1700000000123456789));
    struct encoded encoded;
    assert_int_equal(encode(&encoder_pcap, &record, 16 + 28 + 8, &encoded), 16 + 28 + 8);
    assert_int_equal(encoded.lines, 1);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory), 1700000000);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory + 4), 123456789);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory + 8), 36);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory + 12), 36);
    assert_memory_equal(memory + 16 + 28, "datagram", 8);
    assert_true(overflows(&encoder_pcap, &record, 16 + 28 + 7));
    assert_true(overflows(&encoder_pcap, &record, 16));
}

TEST(a_record_without_its_packet_leaves_nothing)
{
    struct record record = {.data = memory, .size = 5};
    struct encoded encoded;
    assert_int_equal(encode(&encoder_pcap, &record, 100, &encoded), 0);
    assert_int_equal(encoded.lines, 0);
}

/*
 * The records of one datagram follow each other. Only the first one has the bytes of the datagram.
 */
TEST(of_a_datagram_its_first_record_is_one_line_and_the_others_are_none)
{
    struct packet packet = sent("datagram", 8);
    struct record first = packet_record(&packet, 1);
    struct record next = packet_record(NULL, 1);
    struct encoded encoded;
    assert_int_equal(encode(&encoder_datagram, &first, 8, &encoded), 8);
    assert_int_equal(encoded.lines, 1);
    assert_memory_equal(memory, "datagram", 8);
    assert_true(overflows(&encoder_datagram, &first, 7));
    assert_int_equal(encode(&encoder_datagram, &next, 8, &encoded), 0);
    assert_int_equal(encoded.lines, 0);
}

TEST(a_time_that_the_format_does_not_hold_becomes_the_nearest)
{
    struct packet packet = sent("", 0);
    struct encoded encoded;
    struct record before = packet_record(&packet, -1);
    encode(&encoder_pcap, &before, 100, &encoded);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory), 0);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory + 4), 0);
    struct record after = packet_record(&packet, INT64_MAX);
    encode(&encoder_pcap, &after, 100, &encoded);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory), UINT32_MAX);
    assert_int_equal(ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, memory + 4), 999999999);
}

TEST(the_longest_datagram_fits_and_a_longer_one_is_too_large)
{
    static const uint8_t bytes[65508];
    struct packet packet = sent(bytes, 65507);
    struct record record = packet_record(&packet, 1);
    struct encoded encoded;
    assert_int_equal(encode(&encoder_pcap, &record, sizeof memory, &encoded), 16 + 65535);
    packet.size++;
    assert_true(overflows(&encoder_pcap, &record, sizeof memory));
}

/* --- finding the end of the complete records -------------------------------------------------- */

/* A file of three records. `ends` has the end of its head and the end of each record. */
struct file {
    const struct encoder_ops *ops;
    uint8_t bytes[1024];
    size_t ends[4];
    size_t count;
};

static void add(struct file *file, size_t size)
{
    size_t start = file->count == 0 ? 0 : file->ends[file->count - 1];
    memcpy(file->bytes + start, memory, size);
    file->ends[file->count++] = start + size;
}

static void write_file(struct file *file, const struct encoder_ops *ops)
{
    static const uint8_t message[] = {0x0a, 4,    'w', 'e',  'b',  '1', 0x10, 0xac, 2,
                                      0x19, 1,    2,   3,    4,    5,   6,    7,    8,
                                      0x23, 0x08, 1,   0x24, 0x35, 1,   2,    3,    4};
    struct packet packet = sent(message, sizeof message);
    struct record record = packet_record(&packet, 1);
    struct encoded encoded;
    record.data = message;
    record.size = sizeof message;
    *file = (struct file){.ops = ops};
    if (ops->begin != NULL) {
        struct output out = {.data = (char *)memory, .capacity = sizeof memory};
        ops->begin(NULL, &out);
        add(file, out.used);
    }
    for (int i = 0; i < 3; i++)
        add(file, encode(ops, &record, sizeof memory, &encoded));
}

/*
 * Cuts the file after each byte. Asserts that the end of the whole records is found, and that no
 * cut file counts as foreign.
 */
static void assert_every_cut_is_found(const struct file *file)
{
    size_t size = file->ends[file->count - 1];
    bool has_head = file->ops->begin != NULL;
    for (size_t cut = has_head ? 1 : file->ends[0]; cut <= size; cut++) {
        size_t expected = 0;
        for (size_t i = 0; i < file->count && file->ends[i] <= cut; i++)
            expected = file->ends[i];
        bool foreign = true;
        assert_int_equal(file->ops->whole(file->bytes, cut, true, &foreign), expected);
        assert_false(foreign);
    }
    size_t second = file->ends[has_head ? 1 : 0];
    bool foreign = true;
    assert_int_equal(file->ops->whole(file->bytes + second, size - second, false, &foreign),
                     size - second);
    assert_false(foreign);
}

TEST(a_file_that_was_cut_anywhere_is_whole_up_to_a_record)
{
    struct file file;
    write_file(&file, &encoder_protobuf);
    assert_every_cut_is_found(&file);
    write_file(&file, &encoder_pcap);
    assert_every_cut_is_found(&file);
}

static void assert_message_is_found(const uint8_t *message, size_t size)
{
    struct record record = {.data = message, .size = (uint32_t)size};
    struct encoded encoded;
    size_t written = encode(&encoder_protobuf, &record, sizeof memory, &encoded);
    for (size_t cut = 1; cut <= written; cut++) {
        for (int at_start = 0; at_start < 2; at_start++) {
            bool foreign = true;
            assert_int_equal(encoder_protobuf.whole(memory, cut, at_start != 0, &foreign),
                             cut < written ? 0 : written);
            assert_false(foreign);
        }
    }
}

TEST(of_protobuf_a_torn_first_message_is_recognised)
{
    /* The message has one field, which takes all bytes after its tag and its length. */
    static uint8_t message[LONGEST_TORN] = {0x0a};
    for (uint8_t size = 3; size <= 129; size++) {
        message[1] = (uint8_t)(size - 2);
        assert_message_is_found(message, size);
    }
    message[1] = 0xc5; /* a length of 197 bytes */
    message[2] = 1;
    assert_message_is_found(message, LONGEST_TORN);
}

/* A decoder ignores the bits of a tag after the 32nd, and those of a varint after the 64th. */
TEST(of_protobuf_tags_and_numbers_are_read_as_the_decoder_does)
{
    static const uint8_t long_tag[] = {0xc1, 0xc6, 0xc6, 0xc6, 0x39, 0, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t largest_tag[] = {0xf8, 0xff, 0xff, 0xff, 0x7f, 1};
    static const uint8_t longest_number[] = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff,
                                             0xff, 0xff, 0xff, 0xff, 0x7f};
    static const uint8_t long_length[] = {0x0a, 0x82, 0x80, 0x80, 0x80, 0x00, 'h', 'i'};
    static const uint8_t groups[] = {0x0b, 0x13, 0x08, 1, 0x14, 0x0c, 0x13, 0x14};
    assert_message_is_found(long_tag, sizeof long_tag);
    assert_message_is_found(largest_tag, sizeof largest_tag);
    assert_message_is_found(longest_number, sizeof longest_number);
    assert_message_is_found(long_length, sizeof long_length);
    assert_message_is_found(groups, sizeof groups);
}

TEST(of_protobuf_groups_are_as_deep_as_the_decoder_takes_them)
{
    for (size_t depth = SCHEMA_MAX_DEPTH; depth <= SCHEMA_MAX_DEPTH + 1; depth++) {
        uint8_t message[1 + 2 * (SCHEMA_MAX_DEPTH + 1)];
        memset(message, 0x0b, depth);
        memset(message + depth, 0x0c, depth);
        struct record record = {.data = message, .size = (uint32_t)(2 * depth)};
        struct encoded encoded;
        size_t size = encode(&encoder_protobuf, &record, sizeof memory, &encoded);
        bool foreign;
        encoder_protobuf.whole(memory, size, true, &foreign);
        assert_int_equal(foreign, depth > SCHEMA_MAX_DEPTH);
    }
}

/* The tag of the first message and its length are the bytes `{"`, which may also begin JSON. */
TEST(of_protobuf_a_first_message_may_begin_as_json_does)
{
    static const uint8_t state_of_riemann[123] = {0x22, 70, 0x08, 1, 0x1a, 66, [72] = 0x22, 49};
    assert_message_is_found(state_of_riemann, sizeof state_of_riemann);
}

/*
 * The bytes of a message may be a text. While the message is incomplete, it is not different from a
 * text file.
 */
TEST(of_protobuf_messages_that_are_text_are_recognised_when_they_are_whole)
{
    uint8_t message[123] = "\"ttime\":\"";
    memset(message + 9, 'x', sizeof message - 9);
    memcpy(message + 118, "5xx}\n", 5); /* field 6 with four bytes */
    struct record record = {.data = message, .size = sizeof message};
    struct encoded encoded;
    size_t size = encode(&encoder_protobuf, &record, sizeof memory, &encoded);
    for (size_t count = 1; count <= 20; count++) {
        bool foreign = true;
        memcpy(memory + (count - 1) * size, memory, size);
        assert_int_equal(encoder_protobuf.whole(memory, count * size, true, &foreign),
                         count * size);
        assert_false(foreign);
        encoder_protobuf.whole(memory, count * size - 1, true, &foreign);
        assert_int_equal(foreign, count <= 8);
    }
}

static void assert_foreign(const struct encoder_ops *ops, const void *bytes, size_t size)
{
    bool foreign = false;
    assert_int_equal(ops->whole(bytes, size, true, &foreign), 0);
    assert_true(foreign);
}

TEST(text_is_none_of_these_formats)
{
    static const char *const texts[] = {
        "{\"time\":\"2026-11-21T06:43:36.380583035Z\",\"name\":\"cpu\",\"kind\":\"gauge\"}\n",
        ("time,name,kind,temporality,value,start_time,unit,labels,exemplars,received,source,"
         "listener\r\n"),
        "nginx.requests,status=2xx,host=web1 value=18446744073709551615u 1795176000250000000\n",
        "nginx_requests{status=\"2xx\",host=\"web1\"} 18446744073709551615 1795176000250\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_foreign(&encoder_protobuf, texts[i], strlen(texts[i]));
        assert_foreign(&encoder_pcap, texts[i], strlen(texts[i]));
    }
}

/*
 * A text of 8 bytes counts as foreign. A shorter text counts as foreign only if it cannot be the
 * beginning of a message.
 */
TEST(a_text_of_8_bytes_is_not_taken_for_a_torn_message)
{
    static const struct {
        size_t foreign_from; /* bytes */
        const char *text;
    } cases[] = {
        {8, "{\"time\":\"2026-11-21T06:43:36.380583035Z\",\"name\":\"cpu\",\"kind\":\"gauge\","
            "\"value\":0.5,\"labels\":{},\"received\":\"2026-11-21T06:43:36.380583035Z\"}\n"},
        {8, "{\"received\":\"2026-11-21T06:43:36.380583035Z\",\"source\":\"192.0.2.1:5555\"}\n"},
        {3, "z\"{\"name\": \"\xe2\x82\xac\"}\n"},
        {5, "80 columns of a text that a user keeps\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t size = 1; size <= strlen(cases[i].text); size++) {
            const uint8_t *text = (const uint8_t *)cases[i].text;
            bool expected = size >= cases[i].foreign_from;
            bool foreign = !expected;
            assert_int_equal(encoder_protobuf.whole(text, size, true, &foreign), 0);
            assert_int_equal(foreign, expected);
        }
}

TEST(a_head_of_another_kind_is_foreign)
{
    struct file file;
    /*
     * The offsets of the fields that must have a certain value: the magic number, both parts of the
     * version, the snapshot length, and the link type.
     */
    static const size_t fields[] = {0, 4, 6, 16, 20};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        write_file(&file, &encoder_pcap);
        file.bytes[fields[i]] ^= 1;
        assert_foreign(&encoder_pcap, file.bytes, file.ends[3]);
    }
}

static void assert_foreign_after(const struct encoder_ops *ops, const void *bytes, size_t size)
{
    struct file file;
    bool foreign = false;
    write_file(&file, ops);
    size_t end = file.ends[file.count - 1];
    memcpy(file.bytes + end, bytes, size);
    assert_int_equal(ops->whole(file.bytes, end + size, true, &foreign), end);
    assert_true(foreign);
}

TEST(what_follows_whole_records_must_be_the_beginning_of_one)
{
    static const uint8_t field_zero[] = {2, 0x00, 0x01};
    static const uint8_t past_the_end[] = {4, 0x0a, 9, 'x', 'y'};
    static const uint8_t wire_type_7[] = {9, 0x0f};
    static const uint8_t end_of_no_group[] = {9, 0x0c};
    static const uint8_t open_group[] = {1, 0x0b};
    static const uint8_t end_of_another_group[] = {9, 0x0b, 0x14};
    static const uint8_t long_tag[] = {9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
    static const uint8_t long_length[] = {9, 0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
    static const uint8_t tag_of_field_zero[] = {9, 0x85, 0x80, 0x80, 0x80, 0x10};
    static const uint8_t cut_tag[] = {1, 0x80};
    static const uint8_t longer_than_a_datagram[] = {0xff, 0xff, 0x7f};
    static const uint8_t endless_varint[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1};
    assert_foreign_after(&encoder_protobuf, field_zero, sizeof field_zero);
    assert_foreign_after(&encoder_protobuf, past_the_end, sizeof past_the_end);
    assert_foreign_after(&encoder_protobuf, wire_type_7, sizeof wire_type_7);
    assert_foreign_after(&encoder_protobuf, end_of_no_group, sizeof end_of_no_group);
    assert_foreign_after(&encoder_protobuf, open_group, sizeof open_group);
    assert_foreign_after(&encoder_protobuf, end_of_another_group, sizeof end_of_another_group);
    assert_foreign_after(&encoder_protobuf, long_tag, sizeof long_tag);
    assert_foreign_after(&encoder_protobuf, long_length, sizeof long_length);
    assert_foreign_after(&encoder_protobuf, tag_of_field_zero, sizeof tag_of_field_zero);
    assert_foreign_after(&encoder_protobuf, cut_tag, sizeof cut_tag);
    assert_foreign_after(&encoder_protobuf, longer_than_a_datagram, sizeof longer_than_a_datagram);
    assert_foreign_after(&encoder_protobuf, endless_varint, sizeof endless_varint);

    static const uint8_t lengths_differ[16] = {[8] = 1, [12] = 2};
    static const uint8_t not_nanoseconds[16] = {[7] = 0x7f};
    static const uint8_t longer_than_a_packet[16] = {[10] = 2, [14] = 2};
    assert_foreign_after(&encoder_pcap, lengths_differ, sizeof lengths_differ);
    assert_foreign_after(&encoder_pcap, not_nanoseconds, sizeof not_nanoseconds);
    assert_foreign_after(&encoder_pcap, longer_than_a_packet, sizeof longer_than_a_packet);
}

/*
 * Whatever the file contains, no byte after its end may be read, and the end that is found must be
 * that of a whole record.
 */
TEST(damaged_files_are_walked_without_a_step_beyond_them)
{
    static const struct encoder_ops *const formats[] = {&encoder_protobuf, &encoder_pcap};
    uint32_t random = 1;
    for (int round = 0; round < 40000; round++) {
        struct file file;
        write_file(&file, formats[round % 2]);
        size_t size = file.ends[file.count - 1];
        for (int i = 0; i < 3; i++) {
            random = random * 1664525 + 1013904223;
            file.bytes[(random >> 8) % size] = (uint8_t)(random >> 24);
        }
        size = (random >> 12) % size + 1;
        /* A block of the exact size, so that a sanitizer detects a read past its end. */
        uint8_t *exact = malloc(size);
        assert_non_null(exact);
        memcpy(exact, file.bytes, size);
        bool foreign;
        size_t whole = file.ops->whole(exact, size, true, &foreign);
        assert_true(whole <= size);
        if (whole != 0 && whole != size) {
            assert_int_equal(file.ops->whole(exact + whole, size - whole, false, &foreign), 0);
            assert_true(file.ops->whole(exact, whole, true, &foreign) == whole && !foreign);
        }
        free(exact);
    }
}

TEST(of_lines_everything_up_to_the_last_newline_is_whole)
{
    bool foreign = true;
    assert_int_equal(whole_lines((const uint8_t *)"one\ntwo\nthr", 11, true, &foreign), 8);
    assert_false(foreign);
    assert_int_equal(whole_lines((const uint8_t *)"one\ntwo\n", 8, false, &foreign), 8);
    assert_int_equal(whole_lines((const uint8_t *)"one", 3, true, &foreign), 0);
    assert_int_equal(whole_lines((const uint8_t *)"", 0, true, &foreign), 0);
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++)
        assert_int_equal((*row)->whole == whole_lines, !(*row)->binary && (*row)->arrange == NULL);
}
