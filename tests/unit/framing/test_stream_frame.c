/* Tests finding the end of a frame in a stream when only a part of the frame has arrived. */
#include <stdlib.h>
#include <string.h>

#include "collector/framing/stream_frame.h"
#include "tests/support/test.h"

#define MOST 70000

static void assert_known(enum framing framing, const uint8_t *data, size_t size, size_t whole)
{
    size_t found = 0;
    assert_int_equal(stream_frame_look(framing, data, size, MOST, &found), STREAM_FRAME_KNOWN);
    assert_int_equal(found, whole);
}

static void assert_result(enum framing framing, const uint8_t *data, size_t size,
                          enum stream_frame_result result)
{
    size_t found;
    assert_int_equal(stream_frame_look(framing, data, size, MOST, &found), result);
}

TEST(a_length_of_fixed_size_is_known_when_all_of_it_is_there)
{
    static const uint8_t bytes[] = {0, 1, 2, 3};
    for (size_t size = 0; size < 4; size++)
        assert_result(FRAMING_LENGTH32, bytes, size, STREAM_FRAME_MORE);
    assert_known(FRAMING_LENGTH32, bytes, 4, 4 + 0x010203);
    assert_result(FRAMING_LENGTH16, bytes, 1, STREAM_FRAME_MORE);
    assert_known(FRAMING_LENGTH16, bytes, 2, 2 + 1);
}

TEST(a_varint_is_known_when_it_ends)
{
    static const uint8_t one[] = {5};
    static const uint8_t two[] = {0x80, 0x02, 0xff};
    static const uint8_t longest[] = {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    assert_result(FRAMING_DELIMITED, one, 0, STREAM_FRAME_MORE);
    assert_known(FRAMING_DELIMITED, one, 1, 6);
    assert_result(FRAMING_DELIMITED, two, 1, STREAM_FRAME_MORE);
    assert_known(FRAMING_DELIMITED, two, 3, 2 + 256);
    for (size_t size = 0; size < 10; size++)
        assert_result(FRAMING_DELIMITED, longest, size, STREAM_FRAME_MORE);
    assert_known(FRAMING_DELIMITED, longest, 10, 11);
}

TEST(more_bits_than_a_length_has_are_malformed)
{
    uint8_t bytes[12];
    memset(bytes, 0xff, sizeof bytes);
    assert_result(FRAMING_DELIMITED, bytes, 9, STREAM_FRAME_MORE);
    assert_result(FRAMING_DELIMITED, bytes, 10, STREAM_FRAME_MALFORMED);
    bytes[9] = 2; /* sets the 65th bit of the length */
    assert_result(FRAMING_DELIMITED, bytes, 10, STREAM_FRAME_MALFORMED);
    bytes[9] = 1;
    assert_result(FRAMING_DELIMITED, bytes, 10, STREAM_FRAME_TOO_LARGE);
}

TEST(a_message_may_be_as_long_as_the_limit_and_no_longer)
{
    static const uint8_t at_limit[] = {0, 1, 0x11, 0x70};
    static const uint8_t above[] = {0, 1, 0x11, 0x71};
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff};
    assert_known(FRAMING_LENGTH32, at_limit, 4, 4 + MOST);
    assert_result(FRAMING_LENGTH32, above, 4, STREAM_FRAME_TOO_LARGE);
    assert_result(FRAMING_LENGTH32, huge, 4, STREAM_FRAME_TOO_LARGE);
}

TEST(a_little_endian_length_is_read_from_its_end)
{
    static const uint8_t bytes[] = {1, 2, 0, 0};
    static const uint8_t above[] = {0x71, 0x11, 1, 0};
    for (size_t size = 0; size < 4; size++)
        assert_result(FRAMING_LENGTH32_LE, bytes, size, STREAM_FRAME_MORE);
    assert_known(FRAMING_LENGTH32_LE, bytes, 4, 4 + 0x0201);
    assert_result(FRAMING_LENGTH32_LE, above, 4, STREAM_FRAME_TOO_LARGE);
    assert_result(FRAMING_LENGTH16_LE, bytes, 1, STREAM_FRAME_MORE);
    assert_known(FRAMING_LENGTH16_LE, bytes, 2, 2 + 0x0201);
    assert_false(stream_frame_is_control(FRAMING_LENGTH32_LE, (const uint8_t[8]){0}));
}

TEST(a_control_frame_is_known_by_its_two_lengths)
{
    static const uint8_t message[] = {0, 0, 0, 5, 'a'};
    static const uint8_t control[] = {0, 0, 0, 0, 0, 0, 2, 0};
    static const uint8_t least[] = {0, 0, 0, 0, 0, 0, 0, 4};
    static const uint8_t longer[] = {0, 0, 0, 0, 0, 0, 2, 1};
    static const uint8_t shorter[] = {0, 0, 0, 0, 0, 0, 0, 3};
    static const uint8_t huge[] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};
    assert_known(FRAMING_FRAME_STREAMS, message, 5, 9);
    assert_false(stream_frame_is_control(FRAMING_FRAME_STREAMS, message));
    for (size_t size = 0; size < 8; size++)
        assert_result(FRAMING_FRAME_STREAMS, control, size, STREAM_FRAME_MORE);
    assert_known(FRAMING_FRAME_STREAMS, control, 8, 8 + 512);
    assert_known(FRAMING_FRAME_STREAMS, least, 8, 12);
    assert_true(stream_frame_is_control(FRAMING_FRAME_STREAMS, control));
    assert_result(FRAMING_FRAME_STREAMS, longer, 8, STREAM_FRAME_MALFORMED);
    assert_result(FRAMING_FRAME_STREAMS, shorter, 8, STREAM_FRAME_MALFORMED);
    assert_result(FRAMING_FRAME_STREAMS, huge, 8, STREAM_FRAME_MALFORMED);
    assert_false(stream_frame_is_control(FRAMING_LENGTH32, control));
    assert_known(FRAMING_LENGTH32, control, 4, 4);
}

TEST(a_length_in_ciscos_header_is_known_when_the_header_is_there_and_of_a_known_type)
{
    uint8_t bytes[12] = {0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1, 2};
    for (size_t size = 0; size < 12; size++)
        assert_result(FRAMING_CISCO_MDT, bytes, size, STREAM_FRAME_MORE);
    assert_known(FRAMING_CISCO_MDT, bytes, 12, 12 + 0x0102);
    bytes[1] = 2; /* message type of a heartbeat */
    assert_known(FRAMING_CISCO_MDT, bytes, 12, 12 + 0x0102);
    bytes[9] = 2; /* the length is 131,330 bytes */
    assert_result(FRAMING_CISCO_MDT, bytes, 12, STREAM_FRAME_TOO_LARGE);
    bytes[1] = 3;
    assert_result(FRAMING_CISCO_MDT, bytes, 12, STREAM_FRAME_MALFORMED);
}

TEST(only_framings_with_lengths_are_for_streams)
{
    assert_true(stream_frame_can(FRAMING_LENGTH16));
    assert_true(stream_frame_can(FRAMING_LENGTH32));
    assert_true(stream_frame_can(FRAMING_DELIMITED));
    assert_true(stream_frame_can(FRAMING_FRAME_STREAMS));
    assert_false(stream_frame_can(FRAMING_DATAGRAM));
    assert_true(stream_frame_can(FRAMING_CISCO_MDT));
    assert_true(stream_frame_can(FRAMING_LENGTH16_LE));
    assert_true(stream_frame_can(FRAMING_LENGTH32_LE));
    assert_false(stream_frame_can(FRAMING_UDP_NOTIF));
}
