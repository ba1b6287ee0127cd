/*
 * When a receiving thread pauses so that more datagrams gather: only at high rates, for a limited
 * time, and never longer than its buffers allow.
 */

#include "collector/platform/clock.h"
#include "collector/receive/coalescing.h"
#include "tests/support/test.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

#define LARGE_BUFFER ((uint64_t)64 << 20)
#define SIZE         117 /* bytes of a datagram */

static struct coalescing of_socket(int64_t most_ns, uint64_t buffer)
{
    struct coalescing coalescing;
    coalescing_init(&coalescing, 0);
    coalescing_add_socket(&coalescing, most_ns, buffer);
    return coalescing;
}

static int64_t allowed_ns; /* how late records may be in the present test */

static int64_t rounds(struct coalescing *coalescing, int64_t *now_ns, int64_t every_ns,
                      uint64_t each)
{
    int64_t rest = 0;
    for (int i = 0; i < 10; i++) {
        *now_ns += every_ns;
        coalescing_note(coalescing, each, each * SIZE);
        rest = coalescing_delay(coalescing, allowed_ns, *now_ns);
    }
    return rest;
}

static int64_t rest_at(struct coalescing coalescing, uint64_t datagrams_a_ms)
{
    int64_t now = 0;
    return rounds(&coalescing, &now, MS, datagrams_a_ms);
}

TEST(at_a_high_rate_a_thread_pauses_as_long_as_allowed)
{
    assert_int_equal(rest_at(of_socket(500 * US, LARGE_BUFFER), 100), 500 * US);
    assert_int_equal(rest_at(of_socket(200 * US, LARGE_BUFFER), 100), 200 * US);
}

TEST(at_a_low_rate_there_is_no_pause)
{
    assert_int_equal(rest_at(of_socket(500 * US, LARGE_BUFFER), 1), 0);
}

TEST(a_pause_that_would_gather_too_few_is_not_taken)
{
    /*
     * In half a millisecond come first one datagram less than a pause needs, and then exactly
     * enough.
     */
    assert_int_equal(rest_at(of_socket(500 * US, LARGE_BUFFER), 2 * COALESCING_LEAST - 2), 0);
    assert_int_equal(rest_at(of_socket(500 * US, LARGE_BUFFER), 2 * COALESCING_LEAST), 500 * US);
    /* A pause of at most 100 us would gather too few datagrams, so there is no pause. */
    assert_int_equal(rest_at(of_socket(100 * US, LARGE_BUFFER), 2 * COALESCING_LEAST), 0);
}

TEST(without_permission_there_is_no_pause)
{
    assert_int_equal(rest_at(of_socket(0, LARGE_BUFFER), 1000), 0);
}

TEST(the_shortest_limit_of_several_sockets_counts)
{
    struct coalescing coalescing = of_socket(500 * US, LARGE_BUFFER);
    coalescing_add_socket(&coalescing, 100 * US, LARGE_BUFFER);
    coalescing_add_socket(&coalescing, 300 * US, LARGE_BUFFER);
    assert_int_equal(rest_at(coalescing, 100), 100 * US);
}

TEST(forgotten_sockets_do_not_count)
{
    struct coalescing coalescing = of_socket(500 * US, LARGE_BUFFER);
    coalescing_add_socket(&coalescing, 100 * US, LARGE_BUFFER);
    coalescing_forget_sockets(&coalescing);
    assert_int_equal(rest_at(coalescing, 100), 0);
    coalescing_add_socket(&coalescing, 500 * US, LARGE_BUFFER);
    assert_int_equal(rest_at(coalescing, 100), 500 * US);
}

TEST(a_pause_ends_before_the_smallest_buffer_is_full)
{
    const uint64_t buffer = 64 * 1024;
    struct coalescing coalescing = of_socket(500 * US, LARGE_BUFFER);
    coalescing_add_socket(&coalescing, 500 * US, buffer);
    int64_t rest = rest_at(coalescing, 200); /* 200,000 datagrams a second */
    uint64_t arriving = (uint64_t)(rest / (5 * US)) * (SIZE + COALESCING_BUFFER_CHARGE);
    assert_true(rest > 0);
    assert_true(arriving <= buffer / COALESCING_BUFFER_PART);
}

TEST(a_small_buffer_allows_no_pause)
{
    assert_int_equal(rest_at(of_socket(500 * US, 4096), 1000), 0);
}

TEST(the_first_datagram_after_a_silence_causes_no_pause)
{
    struct coalescing coalescing = of_socket(500 * US, LARGE_BUFFER);
    int64_t now = 0;
    assert_int_equal(rounds(&coalescing, &now, MS, 100), 500 * US);
    now += 1000 * MS;
    coalescing_note(&coalescing, 1, SIZE);
    assert_int_equal(coalescing_delay(&coalescing, 0, now), 0);
}

TEST(a_rate_is_known_after_enough_time)
{
    struct coalescing coalescing = of_socket(500 * US, LARGE_BUFFER);
    coalescing_note(&coalescing, 64, 64 * SIZE);
    assert_int_equal(coalescing_delay(&coalescing, 0, 10 * US), 0);
}

/*
 * Returns the pause of a socket at this rate. `late_ns` is how late the sinks allow records to be,
 * and `most_ns` how long the socket may pause.
 */
static int64_t late_pause_at(int64_t most_ns, int64_t late_ns, uint64_t buffer,
                             uint64_t datagrams_a_ms)
{
    allowed_ns = late_ns;
    int64_t pause = rest_at(of_socket(most_ns, buffer), datagrams_a_ms);
    allowed_ns = 0;
    return pause;
}

TEST(if_records_may_be_late_pauses_are_longer_and_two_datagrams_suffice)
{
    assert_int_equal(late_pause_at(5 * MS, 50 * MS, LARGE_BUFFER, 1), 5 * MS);
    assert_int_equal(late_pause_at(5 * MS, 1 * MS, LARGE_BUFFER, 2), 1 * MS);
    assert_int_equal(late_pause_at(5 * MS, 1 * MS, LARGE_BUFFER, 1), 0);
    assert_int_equal(late_pause_at(2 * MS, 50 * MS, LARGE_BUFFER, 1), 2 * MS);
    assert_int_equal(late_pause_at(0, 50 * MS, LARGE_BUFFER, 1), 0);
}

TEST(a_long_pause_gathers_no_more_than_enough)
{
    assert_int_equal(late_pause_at(5 * MS, 50 * MS, LARGE_BUFFER, COALESCING_ENOUGH / 4), 4 * MS);
    assert_int_equal(late_pause_at(5 * MS, 50 * MS, LARGE_BUFFER, 1000), 500 * US);
}

/*
 * After a quiet period, the fastest possible datagrams must fit in half of the buffer during a
 * pause.
 */
TEST(a_burst_after_a_quiet_time_finds_room)
{
    const uint64_t buffer = (uint64_t)4 << 20;
    int64_t pause = late_pause_at(10 * MS, 50 * MS, buffer, 1);
    uint64_t arriving = (uint64_t)(pause / COALESCING_FASTEST_NS);
    assert_true(pause > 2 * MS);
    assert_true(arriving * COALESCING_BUFFER_CHARGE <= buffer / 2);
    assert_int_equal(late_pause_at(10 * MS, 50 * MS, 4096, 8), 0);
}

/*
 * The buffer of a stream needs no extra memory for each datagram, and a fast sender waits when it
 * is full. So a stream may pause longer.
 */
TEST(a_stream_may_pause_longer_than_datagrams_with_an_equal_buffer)
{
    const uint64_t buffer = 64 * 1024;
    struct coalescing datagrams = of_socket(5 * MS, buffer);
    struct coalescing stream = of_socket(5 * MS, buffer);
    coalescing_set_stream(&stream);
    allowed_ns = 50 * MS;
    int64_t rest = rest_at(stream, 20);
    assert_int_equal(rest, 5 * MS);
    assert_true(rest_at(datagrams, 20) <= 500 * US);
    /* During a pause, at most 1/COALESCING_BUFFER_PART of the buffer fills. */
    rest = rest_at(stream, 100);
    assert_in_range(rest, MS, buffer / COALESCING_BUFFER_PART * MS / (100 * SIZE));
    allowed_ns = 0;
}

TEST(a_pause_lasts_as_long_as_requested)
{
    struct pause *pause = pause_create();
    if (pause == NULL)
        skip(); /* the system has no pauses that are so short */
    for (int i = 0; i < 3; i++) {
        int64_t before = clock_monotonic_ns();
        pause_wait(pause, 300 * US);
        assert_true(clock_monotonic_ns() - before >= 300 * US);
    }
    pause_destroy(pause);
    pause_destroy(NULL);
}
