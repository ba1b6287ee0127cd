#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/framing/frame_streams.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

enum { ACCEPT = 1, START, STOP, READY, FINISH };

#define DNSTAP "protobuf:dnstap.Dnstap"

static size_t put(uint8_t *to, uint32_t type, const char *const *types)
{
    size_t at = 12;
    put_network_u32(to, 0);
    put_network_u32(to + 8, type);
    for (; types != NULL && *types != NULL; types++) {
        put_network_u32(to + at, 1);
        put_network_u32(to + at + 4, (uint32_t)strlen(*types));
        memcpy(to + at + 8, *types, strlen(*types));
        at += 8 + strlen(*types);
    }
    put_network_u32(to + 4, (uint32_t)(at - 8));
    return at;
}

static struct frame_streams_answer answer;

/*
 * Passes the bytes in a block of their exact size, so that the address sanitizer detects a read
 * past them.
 */
static enum frame_streams_result take_bytes(enum frame_streams_state *state, const char *wanted,
                                            const uint8_t *bytes, size_t size)
{
    const struct text text = {wanted, strlen(wanted)};
    uint8_t *data = malloc(size == 0 ? 1 : size);
    assert_non_null(data);
    memcpy(data, bytes, size);
    enum frame_streams_result result = frame_streams_control(state, &text, data, size, &answer);
    free(data);
    return result;
}

static enum frame_streams_result take(enum frame_streams_state *state, const char *wanted,
                                      uint32_t type, const char *const *types)
{
    uint8_t bytes[2048];
    return take_bytes(state, wanted, bytes, put(bytes, type, types));
}

static const char *const dnstap[] = {DNSTAP, NULL};
static const char *const other[] = {"text:syslog", NULL};
static const char *const several[] = {"text:syslog", "protobuf:a.B", DNSTAP, NULL};

static void assert_answer(uint32_t type, const char *const *types)
{
    uint8_t expected[512];
    assert_int_equal(answer.size, put(expected, type, types));
    assert_memory_equal(answer.bytes, expected, answer.size);
}

TEST(a_one_way_stream_starts_and_stops_without_an_answer)
{
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    assert_false(frame_streams_is_started(state));
    assert_int_equal(take(&state, "", START, dnstap), FRAME_STREAMS_TAKEN);
    assert_true(frame_streams_is_started(state));
    assert_int_equal(answer.size, 0);
    assert_int_equal(take(&state, "", STOP, NULL), FRAME_STREAMS_TAKEN);
    assert_false(frame_streams_is_started(state));
    assert_int_equal(answer.size, 0);
}

TEST(a_two_way_stream_is_accepted_and_finished)
{
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, "", READY, dnstap), FRAME_STREAMS_TAKEN);
    assert_answer(ACCEPT, dnstap);
    assert_false(frame_streams_is_started(state));
    assert_int_equal(take(&state, "", START, dnstap), FRAME_STREAMS_TAKEN);
    assert_int_equal(answer.size, 0);
    assert_true(frame_streams_is_started(state));
    assert_int_equal(take(&state, "", STOP, NULL), FRAME_STREAMS_TAKEN);
    assert_answer(FINISH, NULL);
}

TEST(of_several_content_types_the_wanted_one_is_accepted)
{
    static const char *const first_of_protobuf[] = {"protobuf:a.B", NULL};
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, "", READY, several), FRAME_STREAMS_TAKEN);
    assert_answer(ACCEPT, first_of_protobuf);
    state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, DNSTAP, READY, several), FRAME_STREAMS_TAKEN);
    assert_answer(ACCEPT, dnstap);
}

TEST(another_content_type_is_refused)
{
    static const char *const longer[] = {DNSTAP "x", NULL};
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, "", START, other), FRAME_STREAMS_OTHER_TYPE);
    assert_int_equal(take(&state, "", READY, other), FRAME_STREAMS_OTHER_TYPE);
    assert_int_equal(take(&state, DNSTAP, START, longer), FRAME_STREAMS_OTHER_TYPE);
    assert_int_equal(take(&state, DNSTAP "x", START, dnstap), FRAME_STREAMS_OTHER_TYPE);
    assert_int_equal(take(&state, "text:syslog", START, other), FRAME_STREAMS_TAKEN);
}

TEST(a_stream_that_names_no_content_type_is_taken)
{
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, DNSTAP, READY, NULL), FRAME_STREAMS_TAKEN);
    assert_answer(ACCEPT, dnstap);
    assert_int_equal(take(&state, DNSTAP, START, NULL), FRAME_STREAMS_TAKEN);
    state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, "", READY, NULL), FRAME_STREAMS_TAKEN);
    assert_answer(ACCEPT, NULL);
}

/* For each state, `allowed` has a bit for each control frame that is accepted. */
TEST(control_frames_are_refused_out_of_order)
{
    static const unsigned allowed[] = {
        [FRAME_STREAMS_BEGUN] = 1 << READY | 1 << START,
        [FRAME_STREAMS_ACCEPTED] = 1 << START,
        [FRAME_STREAMS_STARTED] = 1 << STOP,
        [FRAME_STREAMS_STARTED_TWO_WAY] = 1 << STOP,
        [FRAME_STREAMS_STOPPED] = 0,
    };
    for (int before = FRAME_STREAMS_BEGUN; before <= FRAME_STREAMS_STOPPED; before++) {
        for (uint32_t type = 0; type < 8; type++) {
            enum frame_streams_state state = (enum frame_streams_state)before;
            bool taken = take(&state, "", type, NULL) == FRAME_STREAMS_TAKEN;
            assert_int_equal(taken, (allowed[before] >> type & 1) != 0);
            if (!taken)
                assert_int_equal(state, before);
        }
    }
}

TEST(content_types_are_refused_in_other_control_frames)
{
    static const char *const two[] = {DNSTAP, DNSTAP, NULL};
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, "", START, two), FRAME_STREAMS_MALFORMED);
    assert_int_equal(take(&state, "", START, dnstap), FRAME_STREAMS_TAKEN);
    assert_int_equal(take(&state, "", STOP, dnstap), FRAME_STREAMS_MALFORMED);
}

TEST(a_content_type_may_have_256_bytes_and_no_more)
{
    char type[FRAME_STREAMS_TYPE_MOST + 2] = "protobuf:";
    const char *const types[] = {type, NULL};
    memset(type + 9, 'x', FRAME_STREAMS_TYPE_MOST + 1 - 9);
    enum frame_streams_state state = FRAME_STREAMS_BEGUN;
    assert_int_equal(take(&state, "", READY, types), FRAME_STREAMS_MALFORMED);
    type[FRAME_STREAMS_TYPE_MOST] = '\0';
    assert_int_equal(take(&state, "", READY, types), FRAME_STREAMS_TAKEN);
    assert_int_equal(answer.size, FRAME_STREAMS_ANSWER_MOST);
    assert_answer(ACCEPT, types);
}

TEST(every_truncation_is_malformed)
{
    uint8_t bytes[256];
    size_t whole = put(bytes, READY, several);
    for (size_t size = 0; size < whole; size++) {
        enum frame_streams_state state = FRAME_STREAMS_BEGUN;
        assert_int_equal(take_bytes(&state, "", bytes, size), FRAME_STREAMS_MALFORMED);
        if (size >= 8)
            put_network_u32(bytes + 4, (uint32_t)(size - 8));
        bool at_a_field = size == 12 || size == 12 + 19 || size == 12 + 19 + 20;
        enum frame_streams_result result = take_bytes(&state, "", bytes, size);
        assert_int_equal(result == FRAME_STREAMS_MALFORMED, !at_a_field);
        put(bytes, READY, several);
    }
}

TEST(lengths_at_their_limits_are_malformed)
{
    uint8_t bytes[256];
    for (int field = 0; field < 2; field++) {
        for (uint32_t length = UINT32_MAX; length > UINT32_MAX - 24; length--) {
            enum frame_streams_state state = FRAME_STREAMS_BEGUN;
            size_t size = put(bytes, START, dnstap);
            put_network_u32(bytes + (field == 0 ? 16 : 4), length);
            assert_int_equal(take_bytes(&state, "", bytes, size), FRAME_STREAMS_MALFORMED);
        }
    }
}

TEST(random_bytes_are_taken_or_refused)
{
    uint64_t random = 6;
    for (int i = 0; i < 50000; i++) {
        uint8_t bytes[128];
        enum frame_streams_state state = (enum frame_streams_state)next_below(&random, 5);
        size_t size = put(bytes, 1 + (uint32_t)next_below(&random, 5),
                          next_below(&random, 2) == 0 ? dnstap : several);
        for (uint64_t changes = next_below(&random, 4); changes != 0; changes--)
            bytes[next_below(&random, size)] = (uint8_t)next_below(&random, 40);
        if (take_bytes(&state, "", bytes, size) == FRAME_STREAMS_TAKEN)
            assert_in_range(answer.size, 0, FRAME_STREAMS_ANSWER_MOST);
    }
}
