#include <stdlib.h>
#include <string.h>

#include "collector/framing/otlp_udp.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

#define LINE "{\"format\":\"json\",\"version\":1}\n"

/*
 * Passes the bytes in a block of their exact size, so that the address sanitizer detects a read
 * past them.
 */
static enum otlp_udp_result read_bytes(const void *bytes, size_t size, struct otlp_udp_head *head)
{
    uint8_t *data = malloc(size == 0 ? 1 : size);
    assert_non_null(data);
    memcpy(data, bytes, size);
    enum otlp_udp_result result = otlp_udp_read(data, size, head);
    free(data);
    return result;
}

static enum otlp_udp_result read_text(const char *text)
{
    struct otlp_udp_head head;
    return read_bytes(text, strlen(text), &head);
}

static void assert_head(const char *text, enum otlp_udp_signal signal,
                        enum otlp_udp_sampling sampling, const char *body)
{
    struct otlp_udp_head head;
    assert_int_equal(read_bytes(text, strlen(text), &head), OTLP_UDP_OK);
    assert_int_equal(head.signal, signal);
    assert_int_equal(head.sampling, sampling);
    assert_string_equal(text + head.body, body);
}

TEST(a_prefix_says_what_follows)
{
    assert_head(LINE "T1SCgA=", OTLP_UDP_TRACES, SAMPLING_SAMPLED, "CgA=");
    assert_head(LINE "T1UCgA=", OTLP_UDP_TRACES, SAMPLING_UNSAMPLED, "CgA=");
    assert_head(LINE "M1CgA=", OTLP_UDP_METRICS, SAMPLING_NOT_GIVEN, "CgA=");
    assert_head(LINE "M1", OTLP_UDP_METRICS, SAMPLING_NOT_GIVEN, "");
}

TEST(an_unknown_prefix_has_no_signal)
{
    assert_head(LINE "L1CgA=", OTLP_UDP_NONE, SAMPLING_NOT_GIVEN, "L1CgA=");
    assert_head(LINE "T1XCgA=", OTLP_UDP_NONE, SAMPLING_NOT_GIVEN, "T1XCgA=");
    assert_head(LINE "T1", OTLP_UDP_NONE, SAMPLING_NOT_GIVEN, "T1");
    assert_head(LINE "M", OTLP_UDP_NONE, SAMPLING_NOT_GIVEN, "M");
    assert_head(LINE "{\"name\":\"segment\"}", OTLP_UDP_NONE, SAMPLING_NOT_GIVEN,
                "{\"name\":\"segment\"}");
    assert_head(LINE, OTLP_UDP_NONE, SAMPLING_NOT_GIVEN, "");
}

TEST(the_line_may_have_spaces_and_its_members_any_order)
{
    assert_head(" { \"format\" : \"json\" ,\t\"version\" : 1 } \r\nM1x", OTLP_UDP_METRICS,
                SAMPLING_NOT_GIVEN, "x");
    assert_head("{\"version\":1,\"format\":\"json\"}\nM1x", OTLP_UDP_METRICS, SAMPLING_NOT_GIVEN,
                "x");
}

TEST(a_line_that_says_anything_else_is_foreign)
{
    static const char *const lines[] = {
        "\n",
        "{}\n",
        "json\n",
        "{\"format\":\"json\"}\n",
        "{\"version\":1}\n",
        "{\"format\":\"json\",\"version\":2}\n",
        "{\"format\":\"json\",\"version\":10}\n",
        "{\"format\":\"json\",\"version\":1.0}\n",
        "{\"format\":\"json\",\"version\":\"1\"}\n",
        "{\"format\":\"xml\",\"version\":1}\n",
        "{\"format\":\"json\",\"version\":1,\"version\":1}\n",
        "{\"format\":\"json\",\"format\":\"json\"}\n",
        "{\"format\":\"json\",\"version\":1,}\n",
        "{\"format\":\"json\",\"version\":1}}\n",
        "{\"format\":\"json\",\"version\":1} M1\n",
        "{\"format\":\"json\"\"version\":1}\n",
        "{\"Format\":\"json\",\"version\":1}\n",
        "{\"format\":\"json\",\"version\":\n1}\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(read_text(lines[i]), OTLP_UDP_FOREIGN);
    struct otlp_udp_head head;
    assert_int_equal(read_bytes("{\"format\":\"json\",\"version\":1}\0\nM1", 34, &head),
                     OTLP_UDP_FOREIGN);
}

TEST(every_truncation_of_the_line_is_short)
{
    struct otlp_udp_head head;
    for (size_t size = 0; size < strlen(LINE); size++)
        assert_int_equal(read_bytes(LINE, size, &head), OTLP_UDP_SHORT);
    assert_int_equal(read_bytes(LINE, strlen(LINE), &head), OTLP_UDP_OK);
}

TEST(a_line_may_be_as_long_as_the_limit_and_no_longer)
{
    char text[OTLP_UDP_LINE_MOST + 8];
    struct otlp_udp_head head;
    memset(text, ' ', sizeof text);
    memcpy(text + OTLP_UDP_LINE_MOST - strlen(LINE), LINE "M1", strlen(LINE "M1"));
    assert_int_equal(read_bytes(text, sizeof text, &head), OTLP_UDP_OK);
    assert_int_equal(head.signal, OTLP_UDP_METRICS);
    memmove(text + 1, text, sizeof text - 1);
    assert_int_equal(read_bytes(text, sizeof text, &head), OTLP_UDP_FOREIGN);
    assert_int_equal(read_bytes(text, OTLP_UDP_LINE_MOST, &head), OTLP_UDP_FOREIGN);
    assert_int_equal(read_bytes(text, OTLP_UDP_LINE_MOST - 1, &head), OTLP_UDP_SHORT);
}

TEST(an_invalid_line_is_for_every_signal)
{
    static const uint8_t traces[] = LINE "T1SCgA=";
    static const uint8_t unknown[] = LINE "L1CgA=";
    static const uint8_t bad[] = "{\"format\":\"json\",\"version\":2}\nM1";
    assert_true(otlp_udp_is_for(OTLP_UDP_TRACES, traces, sizeof traces - 1));
    assert_false(otlp_udp_is_for(OTLP_UDP_METRICS, traces, sizeof traces - 1));
    assert_false(otlp_udp_is_for(OTLP_UDP_METRICS, unknown, sizeof unknown - 1));
    assert_false(otlp_udp_is_for(OTLP_UDP_TRACES, unknown, sizeof unknown - 1));
    assert_true(otlp_udp_is_for(OTLP_UDP_METRICS, bad, sizeof bad - 1));
    assert_true(otlp_udp_is_for(OTLP_UDP_TRACES, bad, sizeof bad - 1));
    assert_true(otlp_udp_is_for(OTLP_UDP_TRACES, NULL, 0));
}

TEST(random_bytes_and_single_changes_are_read_or_refused)
{
    static const char whole[] = LINE "T1SCgA=";
    uint64_t state = 3;
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[300];
        struct otlp_udp_head head;
        size_t size = next_below(&state, sizeof bytes + 1);
        for (size_t at = 0; at < size; at++)
            bytes[at] = (uint8_t)next_random(&state);
        if (i % 2 == 0) {
            size = sizeof whole - 1;
            memcpy(bytes, whole, size);
            bytes[next_below(&state, size)] = (uint8_t)next_random(&state);
        }
        if (read_bytes(bytes, size, &head) == OTLP_UDP_OK)
            assert_in_range(head.body, 1, size);
    }
}
