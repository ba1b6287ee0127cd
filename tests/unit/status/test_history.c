/* Tests the history: counts for each second and minute, in constant memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/status/history.h"
#include "tests/support/test.h"

#define SECOND    1000
#define TEXT_SIZE ((size_t)4 * 1024 * 1024)
#define MANY      40 /* more listeners and sinks than can have a series */

static const struct history_size least = {HISTORY_LISTENERS, HISTORY_SINKS};

struct fixture {
    struct history *history;
    struct listener_totals listeners[MANY];
    struct sink_totals sinks[MANY];
    struct thread_totals threads[2];
    struct ledger_snapshot ledger;
    struct sink_level levels[1];
    struct pipeline_levels all;
    char *text;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    fixture->history = status_history_create(least);
    fixture->text = malloc(TEXT_SIZE);
    assert_non_null(fixture->history);
    assert_non_null(fixture->text);
    for (size_t i = 0; i < MANY; i++) {
        fixture->listeners[i].index = i;
        fixture->sinks[i] = (struct sink_totals){.index = i, .name = "stdout:"};
    }
    fixture->ledger = (struct ledger_snapshot){.listener_count = 1,
                                               .sink_count = 1,
                                               .thread_count = 2,
                                               .listeners = fixture->listeners,
                                               .sinks = fixture->sinks,
                                               .threads = fixture->threads};
    fixture->levels[0] = (struct sink_level){.name = "stdout:"};
    fixture->all = (struct pipeline_levels){.sink_count = 1, .sinks = fixture->levels};
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    status_history_destroy(fixture->history);
    free(fixture->text);
    free(fixture);
    return 0;
}

static void note(struct fixture *fixture, int64_t at_ms)
{
    status_history_note(fixture->history, &fixture->ledger, &fixture->all, at_ms);
}

static const char *written(struct fixture *fixture, enum history_ring ring, size_t most)
{
    struct output out = {.data = fixture->text, .capacity = TEXT_SIZE - 1};
    status_history_write(fixture->history, ring, most, &out);
    assert_false(out.overflow);
    fixture->text[out.used] = '\0';
    return fixture->text;
}

#define NOTHING_OF_SINKS "\"sinks\":[{\"index\":null},{\"index\":0}]}"

TEST_WITH(each_second_has_what_was_counted_in_it, set_up, tear_down)
{
    struct fixture *fixture = *state;
    struct listener_totals *listener = &fixture->listeners[0];
    listener->received = 5;
    note(fixture, SECOND);
    listener->received = 12;
    listener->reasons[REASON_MALFORMED] = 1;
    note(fixture, 2 * SECOND);
    note(fixture, 3 * SECOND);
    assert_string_equal(
        written(fixture, HISTORY_OF_SECONDS, HISTORY_SECONDS),
        "{\"from\":0,\"at\":[1000,2000,3000],\"decode\":{},"
        "\"listeners\":[{\"index\":null,\"received\":[5,7,0],\"reasons\":{\"malformed\":[0,1,0]}},"
        "{\"index\":0,\"received\":[5,7,0],\"reasons\":{\"malformed\":[0,1,0]}}]"
        "," NOTHING_OF_SINKS);
    assert_string_equal(written(fixture, HISTORY_OF_SECONDS, 1),
                        "{\"from\":2000,\"at\":[3000],\"decode\":{},"
                        "\"listeners\":[{\"index\":null},{\"index\":0}]," NOTHING_OF_SINKS);
}

TEST_WITH(a_minute_has_the_sum_of_its_seconds_and_the_highest_of_its_levels, set_up, tear_down)
{
    struct fixture *fixture = *state;
    for (int second = 1; second <= 61; second++) {
        fixture->sinks[0].written += 10;
        fixture->levels[0].queue.fill = second == 30 ? 0.9 : 0.2;
        note(fixture, second * SECOND);
    }
    assert_string_equal(written(fixture, HISTORY_OF_MINUTES, HISTORY_MINUTES),
                        "{\"from\":0,\"at\":[60000,61000],\"decode\":{},"
                        "\"listeners\":[{\"index\":null},{\"index\":0}],"
                        "\"sinks\":[{\"index\":null,\"written\":[600,10],\"queue_fill\":[900,200]},"
                        "{\"index\":0,\"written\":[600,10],\"queue_fill\":[900,200]}]}");
}

TEST_WITH(a_count_that_is_taken_back_is_below_zero, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->sinks[0].bytes = 100;
    note(fixture, SECOND);
    fixture->sinks[0].bytes = 90;
    note(fixture, 2 * SECOND);
    assert_non_null(
        strstr(written(fixture, HISTORY_OF_SECONDS, 2), "{\"index\":0,\"bytes\":[100,-10]}"));
}

TEST_WITH(what_lies_in_a_spill_is_a_level, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->sinks[0].spilled = 7;
    fixture->sinks[0].in_flight = 3;
    note(fixture, SECOND);
    fixture->sinks[0].spilled = 4;
    note(fixture, 2 * SECOND);
    assert_non_null(strstr(written(fixture, HISTORY_OF_SECONDS, 2),
                           "{\"index\":0,\"spilled\":[7,4],\"in_flight\":[3,3]}"));
}

TEST_WITH(measures_of_all_threads_are_added_up, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->threads[0].decode_latency.ranges[3] = 2;
    fixture->threads[1].decode_latency.ranges[3] = 1;
    fixture->threads[1].decode_latency.ranges[HISTOGRAM_BOUNDS] = 1;
    note(fixture, SECOND);
    assert_non_null(strstr(written(fixture, HISTORY_OF_SECONDS, 1),
                           "\"decode\":{\"decode_latency\":{\"3\":[3],\"20\":[1]}},"));
}

static size_t count(const char *text, const char *wanted)
{
    size_t found = 0;
    for (; (text = strstr(text, wanted)) != NULL; text++)
        found++;
    return found;
}

TEST_WITH(the_rings_hold_five_minutes_and_an_hour_and_no_more, set_up, tear_down)
{
    struct fixture *fixture = *state;
    const int seconds = 2 * 3600;
    for (int second = 1; second <= seconds; second++) {
        fixture->listeners[0].received += 2;
        note(fixture, second * SECOND);
    }
    const char *text = written(fixture, HISTORY_OF_SECONDS, SIZE_MAX);
    assert_memory_equal(text, "{\"from\":6900000,\"at\":[6901000,", 30);
    char *end = strstr(text, "]");
    assert_non_null(end);
    *end = '\0';
    assert_int_equal(count(text, ","), HISTORY_SECONDS); /* one more comma follows "from" */
    text = written(fixture, HISTORY_OF_MINUTES, SIZE_MAX);
    assert_memory_equal(text, "{\"from\":3600000,\"at\":[3660000,", 30);
    assert_int_equal(count(text, "[120,"), 2); /* the series of all sinks, and that of this sink */
    assert_int_equal(count(text, ",120"), 2 * (HISTORY_MINUTES - 1));
}

TEST_WITH(a_note_that_is_late_has_all_that_was_counted_meanwhile, set_up, tear_down)
{
    struct fixture *fixture = *state;
    note(fixture, SECOND);
    fixture->listeners[0].received = 30;
    note(fixture, 4 * SECOND);
    assert_non_null(strstr(written(fixture, HISTORY_OF_SECONDS, 1),
                           "{\"from\":1000,\"at\":[4000],\"decode\":{},\"listeners\":["
                           "{\"index\":null,\"received\":[30]}"));
}

TEST_WITH(more_listeners_than_there_are_series_are_in_the_sum, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->ledger.listener_count = MANY;
    fixture->ledger.sink_count = MANY;
    for (size_t i = 0; i < MANY; i++) {
        fixture->listeners[i].received = 1;
        fixture->sinks[i].written = 1;
    }
    note(fixture, SECOND);
    const char *text = written(fixture, HISTORY_OF_SECONDS, 1);
    assert_non_null(strstr(text, "{\"index\":null,\"received\":[40]}"));
    assert_non_null(strstr(text, "{\"index\":null,\"written\":[40]}"));
    assert_int_equal(count(text, "\"received\":[1]"), HISTORY_LISTENERS);
    assert_int_equal(count(text, "\"written\":[1]"), HISTORY_SINKS);
}

TEST_WITH(one_that_is_retired_makes_room_and_the_next_begins_with_its_own_counts, set_up, tear_down)
{
    struct fixture *fixture = *state;
    fixture->ledger.sink_count = HISTORY_SINKS + 1;
    for (size_t i = 0; i <= HISTORY_SINKS; i++)
        fixture->sinks[i].written = 5;
    note(fixture, SECOND);
    fixture->sinks[1].retired = true;
    fixture->sinks[HISTORY_SINKS].written = 6;
    note(fixture, 2 * SECOND);
    const char *text = written(fixture, HISTORY_OF_SECONDS, 2);
    char own[64];
    assert_null(strstr(text, "{\"index\":1,"));
    /* A count from before the sink had a series is not in the series. */
    snprintf(own, sizeof own, "{\"index\":%d}", HISTORY_SINKS);
    assert_non_null(strstr(text, own));
    fixture->sinks[HISTORY_SINKS].written = 8;
    note(fixture, 3 * SECOND);
    snprintf(own, sizeof own, "{\"index\":%d,\"written\":[2]}", HISTORY_SINKS);
    assert_non_null(strstr(written(fixture, HISTORY_OF_SECONDS, 1), own));
}

TEST_WITH(it_takes_a_few_megabytes_whatever_is_noted, set_up, tear_down)
{
    (void)state;
    assert_true(status_history_memory(least) > 1024 * 1024);
    assert_true(status_history_memory(least) < 4 * 1024 * 1024);
}

static void assert_size(struct history_size size, size_t listeners, size_t sinks)
{
    assert_int_equal(size.listeners, listeners);
    assert_int_equal(size.sinks, sinks);
}

TEST(it_grows_with_listeners_and_sinks_up_to_what_it_may_take)
{
    assert_size(status_history_size(0, 0, 0), HISTORY_LISTENERS, HISTORY_SINKS);
    assert_size(status_history_size(17, 40, 0), 17, 40);
    assert_size(status_history_size(1000, 1000, 0), HISTORY_MOST, HISTORY_MOST);
    const struct history_size some = {20, 30};
    uint64_t memory = status_history_memory(some);
    assert_size(status_history_size(20, 30, memory), 20, 30);
    assert_size(status_history_size(20, 30, memory - 1), 20, 29);
    assert_size(status_history_size(20, 30, 1), HISTORY_LISTENERS, HISTORY_SINKS);
}
