#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/framing/frames.h"
#include "tests/support/test.h"

/*
 * Returns the messages of a payload as text: each in brackets, then a word that says how the
 * payload ended. The payload is in a block of its exact size, so that the address sanitizer detects
 * a read past it.
 */
static const char *walk(enum framing framing, size_t header, const void *bytes, size_t size)
{
    static char text[512];
    static const char *const ends[] = {[FRAME_END] = "end",
                                       [FRAME_CONTROL] = "control",
                                       [FRAME_NONE] = "none",
                                       [FRAME_MALFORMED] = "malformed"};
    uint8_t *payload = malloc(size == 0 ? 1 : size);
    assert_non_null(payload);
    memcpy(payload, bytes, size);
    struct frames frames;
    struct frame frame;
    enum frame_result result;
    size_t used = 0;
    frames_begin(&frames, framing, header, payload, size);
    while ((result = frames_next(&frames, &frame)) == FRAME_MESSAGE) {
        assert_in_range(frame.size, 0, size);
        used += (size_t)snprintf(text + used, sizeof text - used, "[%.*s]", (int)frame.size,
                                 (const char *)frame.data);
        assert_true(used < sizeof text);
    }
    snprintf(text + used, sizeof text - used, "%s", ends[result]);
    free(payload);
    return text;
}

#define assert_walk(framing, header, literal, expected)                                            \
    assert_string_equal(walk((framing), (header), (literal), sizeof(literal) - 1), (expected))

/* --- datagram --------------------------------------------------------------------------------- */

TEST(a_datagram_is_one_message_of_any_size)
{
    assert_walk(FRAMING_DATAGRAM, 0, "abc", "[abc]end");
    assert_walk(FRAMING_DATAGRAM, 0, "", "[]end");
}

TEST(a_header_is_skipped_and_must_be_there)
{
    assert_walk(FRAMING_DATAGRAM, 2, "##abc", "[abc]end");
    assert_walk(FRAMING_DATAGRAM, 2, "##", "[]end");
    assert_walk(FRAMING_DATAGRAM, 2, "#", "malformed");
    assert_walk(FRAMING_DATAGRAM, 65507, "", "malformed");
    assert_walk(FRAMING_DELIMITED, 2, "##\3abc", "[abc]end");
    assert_walk(FRAMING_DELIMITED, 2, "#", "malformed");
    assert_walk(FRAMING_CISCO_MDT, 1, "#\0\1\0\1\0\1\0\0\0\0\0\3abc", "[abc]end");
    assert_walk(FRAMING_CISCO_MDT, 14, "\0\1\0\1\0\1\0\0\0\0\0\0", "malformed");
}

static const char *fault(enum framing framing, size_t header, const char *bytes, size_t size)
{
    static char text[DECODE_FAILURE_TEXT_SIZE];
    struct frames frames;
    struct frame frame;
    frames_begin(&frames, framing, header, (const uint8_t *)bytes, size);
    while (frames_next(&frames, &frame) == FRAME_MESSAGE)
        continue;
    const struct decode_failure failure = {.cause = frames.cause, .offset = frames.at};
    return decode_failure_text(&failure, text);
}

#define assert_fault(framing, header, literal, expected)                                           \
    assert_string_equal(fault((framing), (header), (literal), sizeof(literal) - 1), (expected))

TEST(a_mistake_is_reported_with_its_position_and_cause)
{
    assert_fault(FRAMING_DATAGRAM, 2, "#", "at byte 1: the bytes end inside the header");
    assert_fault(FRAMING_DELIMITED, 2, "##", "at byte 2: no message is there");
    assert_fault(FRAMING_DELIMITED, 0, "\1a\2b", "at byte 2: the length does not fit the message");
    assert_fault(FRAMING_DELIMITED, 0, "\1a\xff", "at byte 2: the length does not fit the message");
    assert_fault(FRAMING_LENGTH16, 0, "\0\1a\0", "at byte 3: the length does not fit the message");
    assert_fault(FRAMING_LENGTH32, 1, "#\0\0\0\2b",
                 "at byte 1: the length does not fit the message");
    assert_fault(FRAMING_LENGTH32, 2, "##", "at byte 2: no message is there");
    assert_fault(FRAMING_CISCO_MDT, 1, "#\0\1", "at byte 1: the bytes end inside the header");
    assert_fault(FRAMING_CISCO_MDT, 0, "\0\3\0\1\0\1\0\0\0\0\0\0",
                 "at byte 0: the header is not that of a message");
    assert_fault(FRAMING_CISCO_MDT, 0, "\0\1\0\1\0\1\0\0\0\0\0\1",
                 "at byte 0: the length does not fit the message");
    assert_fault(FRAMING_DELIMITED, 0, "\1a", "");
}

/* --- delimited -------------------------------------------------------------------------------- */

TEST(delimited_messages_follow_each_other)
{
    assert_walk(FRAMING_DELIMITED, 0, "\3abc", "[abc]end");
    assert_walk(FRAMING_DELIMITED, 0, "\3abc\1d\2ef", "[abc][d][ef]end");
    assert_walk(FRAMING_DELIMITED, 0, "\0\1d\0", "[][d][]end");
}

TEST(a_length_may_be_a_longer_varint_than_needed)
{
    assert_walk(FRAMING_DELIMITED, 0, "\x83\0abc", "[abc]end");
    assert_walk(FRAMING_DELIMITED, 0, "\x83\x80\x80\x80\x80\x80\x80\x80\x80\0abc", "[abc]end");
    uint8_t bytes[2 + 300];
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "\xac\x02", 2); /* the length 300 as a varint */
    assert_string_equal(walk(FRAMING_DELIMITED, 0, bytes, sizeof bytes) + 301, "]end");
}

TEST(a_length_past_the_end_is_malformed)
{
    assert_walk(FRAMING_DELIMITED, 0, "\4abc", "malformed");
    assert_walk(FRAMING_DELIMITED, 0, "\1a\2b", "[a]malformed");
    assert_walk(FRAMING_DELIMITED, 0, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "malformed");
}

TEST(a_length_that_does_not_end_is_malformed)
{
    assert_walk(FRAMING_DELIMITED, 0, "\x80", "malformed");
    assert_walk(FRAMING_DELIMITED, 0, "\1a\xff", "[a]malformed");
    assert_walk(FRAMING_DELIMITED, 0, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0", "malformed");
    assert_walk(FRAMING_DELIMITED, 0, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", "malformed");
}

TEST(an_empty_delimited_datagram_is_distinguished)
{
    assert_walk(FRAMING_DELIMITED, 0, "", "none");
    assert_walk(FRAMING_DELIMITED, 2, "##", "none");
}

/* --- length16, length32 ----------------------------------------------------------------------- */

TEST(messages_after_fixed_lengths_follow_each_other)
{
    assert_walk(FRAMING_LENGTH16, 0, "\0\3abc", "[abc]end");
    assert_walk(FRAMING_LENGTH16, 1, "#\0\3abc\0\0\0\1d", "[abc][][d]end");
    assert_walk(FRAMING_LENGTH32, 0, "\0\0\0\3abc", "[abc]end");
    assert_walk(FRAMING_LENGTH32, 1, "#\0\0\0\0\0\0\0\2de", "[][de]end");
}

TEST(the_least_significant_byte_of_a_little_endian_length_comes_first)
{
    uint8_t bytes[4 + 258] = {2, 1, 0, 0}; /* the length 258 */
    memset(bytes + 4, 'x', 258);
    assert_string_equal(walk(FRAMING_LENGTH32_LE, 0, bytes, sizeof bytes) + 259, "]end");
    bytes[2] = 2;
    bytes[3] = 1;
    assert_string_equal(walk(FRAMING_LENGTH16_LE, 2, bytes, sizeof bytes) + 259, "]end");
    assert_walk(FRAMING_LENGTH16_LE, 0, "\3\0abc\0\0\1\0d", "[abc][][d]end");
    assert_walk(FRAMING_LENGTH32_LE, 1, "#\0\0\0\0\2\0\0\0de", "[][de]end");
    assert_walk(FRAMING_LENGTH16_LE, 0, "\1\0a\2\0b", "[a]malformed");
    assert_walk(FRAMING_LENGTH32_LE, 0, "\0\0\0", "malformed");
    assert_walk(FRAMING_LENGTH32_LE, 0, "\0\0\0\1a", "malformed");
    assert_walk(FRAMING_LENGTH16_LE, 0, "", "none");
}

TEST(the_most_significant_byte_of_a_fixed_length_comes_first)
{
    uint8_t bytes[4 + 258] = {0, 0, 1, 2}; /* the length 258 */
    memset(bytes + 4, 'x', 258);
    assert_string_equal(walk(FRAMING_LENGTH32, 0, bytes, sizeof bytes) + 259, "]end");
    assert_string_equal(walk(FRAMING_LENGTH16, 2, bytes, sizeof bytes) + 259, "]end");
}

TEST(a_fixed_length_that_does_not_fit_is_malformed)
{
    assert_walk(FRAMING_LENGTH16, 0, "\0", "malformed");
    assert_walk(FRAMING_LENGTH16, 0, "\0\1a\0\2b", "[a]malformed");
    assert_walk(FRAMING_LENGTH16, 0, "\xff\xff", "malformed");
    assert_walk(FRAMING_LENGTH32, 0, "\0\0\0", "malformed");
    assert_walk(FRAMING_LENGTH32, 0, "\0\0\0\1a\0\0\0", "[a]malformed");
    assert_walk(FRAMING_LENGTH32, 0,
                "\xff\xff\xff\xff"
                "a",
                "malformed");
}

TEST(an_empty_datagram_with_fixed_lengths_is_distinguished)
{
    assert_walk(FRAMING_LENGTH16, 0, "", "none");
    assert_walk(FRAMING_LENGTH32, 2, "##", "none");
}

/* --- Cisco MDT -------------------------------------------------------------------------------- */

#define MDT(type, encapsulation, length) "\0" type "\0" encapsulation "\0\1\0\0\0\0\0" length

TEST(an_mdt_datagram_is_one_message_after_its_header)
{
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\1", "\1", "\3") "abc", "[abc]end");
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\1", "\1", "\0"), "[]end");
    /* Version and flags are ignored. */
    assert_walk(FRAMING_CISCO_MDT, 0, "\0\1\0\1\xff\xff\xff\xff\0\0\0\1x", "[x]end");
}

TEST(a_heartbeat_is_control)
{
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\2", "\1", "\0"), "control");
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\2", "\2", "\3") "abc", "control");
}

TEST(an_mdt_datagram_of_json_or_an_unknown_type_is_malformed)
{
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\1", "\2", "\2") "{}", "malformed");
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\1", "\0", "\3") "abc", "malformed");
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\3", "\1", "\3") "abc", "malformed");
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\0", "\1", "\3") "abc", "malformed");
    assert_walk(FRAMING_CISCO_MDT, 0, "\1\1\0\1\0\1\0\0\0\0\0\3abc", "malformed");
}

TEST(an_mdt_length_is_that_of_the_rest)
{
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\1", "\1", "\2") "abc", "malformed");
    assert_walk(FRAMING_CISCO_MDT, 0, MDT("\1", "\1", "\4") "abc", "malformed");
    assert_walk(FRAMING_CISCO_MDT, 0, "\0\1\0\1\0\1\0\0\x80\0\0\3abc", "malformed");
}

TEST(an_mdt_header_must_be_whole)
{
    static const char header[] = MDT("\2", "\1", "\0");
    for (size_t size = 0; size < 12; size++)
        assert_string_equal(walk(FRAMING_CISCO_MDT, 0, header, size), "malformed");
}

/* --- OTLP over UDP ---------------------------------------------------------------------------- */

#define OTLP_LINE "{\"format\":\"json\",\"version\":1}\n"

TEST(an_otlp_udp_datagram_is_one_message_in_base64)
{
    assert_walk(FRAMING_OTLP_UDP, 0, OTLP_LINE "T1SCgA=", "[CgA=]end");
    assert_walk(FRAMING_OTLP_UDP, 0, OTLP_LINE "M1", "[]end");
    struct frames frames;
    struct frame frame;
    static const uint8_t unsampled[] = OTLP_LINE "T1UCgA=";
    frames_begin(&frames, FRAMING_OTLP_UDP, 0, unsampled, sizeof unsampled - 1);
    assert_int_equal(frames_next(&frames, &frame), FRAME_MESSAGE);
    assert_true(frame.is_base64);
    assert_int_equal(frame.sampling, SAMPLING_UNSAMPLED);
}

TEST(an_otlp_udp_head_must_be_whole_and_known)
{
    assert_fault(FRAMING_OTLP_UDP, 0, "", "at byte 0: the bytes end inside the header");
    assert_fault(FRAMING_OTLP_UDP, 0, "{\"format\":\"json\"",
                 "at byte 0: the bytes end inside the header");
    assert_fault(FRAMING_OTLP_UDP, 0, "{\"format\":\"json\",\"version\":2}\nM1",
                 "at byte 0: the header is not that of a message");
    assert_fault(FRAMING_OTLP_UDP, 0, OTLP_LINE "L1",
                 "at byte 30: the header is not that of a message");
}
