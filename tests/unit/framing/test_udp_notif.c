#include <stdlib.h>
#include <string.h>

#include "collector/framing/udp_notif.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

/*
 * The head of a datagram: version 1, S flag, media type 0, a header of 12 bytes. read_whole()
 * writes the length.
 */
#define HEADER "\x30\x0c\0\0\0\0\0\7\0\0\0\x2a"

/*
 * Passes the bytes in a block of their exact size, so that the address sanitizer detects a read
 * past them.
 */
static enum decode_cause read_bytes(const void *bytes, size_t size, struct udp_notif *notif)
{
    uint8_t *data = malloc(size == 0 ? 1 : size);
    assert_non_null(data);
    memcpy(data, bytes, size);
    enum decode_cause cause = udp_notif_read(data, size, size, notif);
    free(data);
    return cause;
}

static enum decode_cause read_whole(const char *bytes, size_t size, uint8_t header,
                                    struct udp_notif *notif)
{
    uint8_t data[400];
    assert_true(size <= sizeof data);
    memcpy(data, bytes, size);
    data[1] = header != 0 ? header : data[1];
    data[2] = (uint8_t)(size >> 8);
    data[3] = (uint8_t)size;
    return read_bytes(data, size, notif);
}

#define assert_read(literal, header, cause)                                                        \
    assert_int_equal(read_whole((literal), sizeof(literal) - 1, (header), &notif), (cause))

TEST(a_message_follows_the_header)
{
    struct udp_notif notif;
    assert_read(HEADER "abc", 0, CAUSE_UNKNOWN);
    assert_int_equal(notif.publisher, 7);
    assert_int_equal(notif.message, 42);
    assert_int_equal(notif.body, 12);
    assert_false(notif.is_segment);
    assert_read(HEADER, 0, CAUSE_UNKNOWN);
    assert_int_equal(notif.body, 12);
    assert_read("\x3f\x0c\0\0\xff\xff\xff\xff\xff\xff\xff\xfe"
                "x",
                0, CAUSE_UNKNOWN);
    assert_int_equal(notif.publisher, UINT32_MAX);
    assert_int_equal(notif.message, UINT32_MAX - 1);
}

TEST(a_segment_has_its_number)
{
    struct udp_notif notif;
    assert_read(HEADER "\1\4\0\0"
                       "abc",
                16, CAUSE_UNKNOWN);
    assert_true(notif.is_segment);
    assert_int_equal(notif.number, 0);
    assert_false(notif.is_last);
    assert_int_equal(notif.body, 16);
    assert_read(HEADER "\1\4\xff\xff", 16, CAUSE_UNKNOWN);
    assert_int_equal(notif.number, UDP_NOTIF_SEGMENTS - 1);
    assert_true(notif.is_last);
    assert_read(HEADER "\1\4\0\3"
                       "abc",
                16, CAUSE_UNKNOWN);
    assert_int_equal(notif.number, 1);
    assert_true(notif.is_last);
}

TEST(a_message_of_one_segment_is_not_a_segment)
{
    struct udp_notif notif;
    assert_read(HEADER "\1\4\0\1"
                       "abc",
                16, CAUSE_UNKNOWN);
    assert_false(notif.is_segment);
    assert_int_equal(notif.body, 16);
}

TEST(options_that_are_not_known_are_skipped)
{
    struct udp_notif notif;
    assert_read(HEADER "\x63\2\2\5xyz"
                       "abc",
                19, CAUSE_UNKNOWN);
    assert_int_equal(notif.body, 19);
    assert_read(HEADER "\1\4\0\2\2\3x"
                       "abc",
                19, CAUSE_UNKNOWN);
    assert_true(notif.is_segment);
    assert_int_equal(notif.number, 1);
    assert_read(HEADER "\2\3x\1\4\0\2"
                       "abc",
                19, CAUSE_UNKNOWN);
    assert_true(notif.is_segment);
}

TEST(options_fit_the_header)
{
    struct udp_notif notif;
    assert_read(HEADER "\x63", 13, CAUSE_OPTION);
    assert_read(HEADER "\x63\0", 14, CAUSE_OPTION);
    assert_read(HEADER "\x63\1", 14, CAUSE_OPTION);
    assert_read(HEADER "\x63\3x", 14, CAUSE_OPTION);
    assert_read(HEADER "\1\4\0", 15, CAUSE_OPTION);
    assert_read(HEADER "\1\3\0", 15, CAUSE_OPTION);
    assert_read(HEADER "\1\5\0\0\0", 17, CAUSE_OPTION);
    assert_read(HEADER "\1\4\0\0\1\4\0\2", 20, CAUSE_OPTION);
}

TEST(registered_encodings_are_not_protobuf)
{
    struct udp_notif notif;
    for (int type = 0; type < 16; type++) {
        char bytes[] = HEADER "{}";
        bytes[0] = (char)(0x20 | type);
        assert_int_equal(read_whole(bytes, sizeof bytes - 1, 0, &notif), CAUSE_NOT_PROTOBUF);
        bytes[0] = (char)(0x30 | type);
        assert_int_equal(read_whole(bytes, sizeof bytes - 1, 0, &notif), CAUSE_UNKNOWN);
    }
}

TEST(another_version_is_foreign)
{
    struct udp_notif notif;
    for (int version = 0; version < 8; version++) {
        char bytes[] = HEADER;
        bytes[0] = (char)(version << 5 | 0x10);
        assert_int_equal(read_whole(bytes, sizeof bytes - 1, 0, &notif),
                         version == 1 ? CAUSE_UNKNOWN : CAUSE_FOREIGN_HEADER);
    }
    assert_read(HEADER, 11, CAUSE_FOREIGN_HEADER);
}

TEST(the_length_is_that_of_the_datagram)
{
    struct udp_notif notif;
    assert_int_equal(read_bytes("\x30\x0c\0\x0c\0\0\0\0\0\0\0\0", 12, &notif), CAUSE_UNKNOWN);
    assert_int_equal(read_bytes("\x30\x0c\0\x0d\0\0\0\0\0\0\0\0", 12, &notif),
                     CAUSE_MESSAGE_LENGTH);
    assert_int_equal(read_bytes("\x30\x0c\0\x0b\0\0\0\0\0\0\0\0", 12, &notif),
                     CAUSE_MESSAGE_LENGTH);
    assert_read(HEADER "abc", 16, CAUSE_SHORT_HEADER);
}

TEST(every_truncation_is_refused)
{
    static const uint8_t whole[] = "\x30\x16\0\x19\0\0\0\1\0\0\0\1\1\4\0\0\x63\6wxyz"
                                   "abc";
    struct udp_notif notif;
    assert_int_equal(read_bytes(whole, sizeof whole - 1, &notif), CAUSE_UNKNOWN);
    for (size_t size = 0; size < sizeof whole - 1; size++)
        assert_int_equal(read_bytes(whole, size, &notif),
                         size < 12 ? CAUSE_SHORT_HEADER : CAUSE_MESSAGE_LENGTH);
}

TEST(random_bytes_are_read_or_refused)
{
    uint64_t state = 4;
    for (int i = 0; i < 50000; i++) {
        uint8_t bytes[300];
        struct udp_notif notif;
        size_t size = next_below(&state, sizeof bytes + 1);
        for (size_t at = 0; at < size; at++)
            bytes[at] =
                (uint8_t)(next_below(&state, 3) == 0 ? next_random(&state) : next_below(&state, 6));
        if (size >= 4) {
            bytes[0] = (uint8_t)(0x20 | bytes[0]);
            bytes[2] = (uint8_t)(size >> 8);
            bytes[3] = (uint8_t)size;
        }
        if (read_bytes(bytes, size, &notif) == CAUSE_UNKNOWN) {
            assert_in_range(notif.body, UDP_NOTIF_HEADER_SIZE, size);
            assert_in_range(notif.number, 0, UDP_NOTIF_SEGMENTS - 1);
        }
    }
}
