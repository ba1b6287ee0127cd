/*
 * Tests a sink whose destination accepts all bytes: each record is written once, whole, and is
 * counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/base/random_number.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

/* --- writing and counting --------------------------------------------------------------------- */

TEST_WITH(what_is_pushed_is_written_at_once_and_counted, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "one", 1);
    fake_sink_wait_committed(fake, 1); /* is written without a close, a full buffer or a timer */
    fake_sink_push(fake, 0, "two", 2);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "one\ntwo\ntwo\n", 3);
    assert_int_equal(counter_read(&fake->counters->bytes), 12);
}

static void push_numbers(struct fake_sink *fake, unsigned count)
{
    uint64_t random = 1;
    for (unsigned i = 0; i < count; i++) {
        char payload[40];
        snprintf(payload, sizeof payload, "#%u", i % 7 + 1);
        fake_sink_push(fake, i % FAKE_QUEUES, payload, 1 + next_random(&random) % 50);
    }
}

static void assert_numbers(const struct fake_sink *fake, unsigned count)
{
    size_t expected[8] = {0};
    size_t found[8] = {0};
    uint64_t random = 1;
    uint64_t records = 0;
    for (unsigned i = 0; i < count; i++) {
        size_t of_batch = 1 + next_random(&random) % 50;
        records += of_batch;
        expected[i % 7 + 1] += of_batch * (i % 7 + 1);
    }
    for (size_t at = 0; at < fake->size; at += 3) {
        assert_true(fake->bytes[at] == '#' && fake->bytes[at + 2] == '\n');
        assert_in_range(fake->bytes[at + 1], '1', '7');
        found[fake->bytes[at + 1] - '0']++;
    }
    size_t lines = 0;
    for (size_t i = 1; i <= 7; i++) {
        assert_int_equal(found[i], expected[i]);
        lines += found[i];
    }
    assert_int_equal(counter_read(&fake->counters->lines), lines);
    assert_int_equal(counter_read(&fake->counters->written), records);
    assert_int_equal(counter_read(&fake->counters->bytes), fake->size);
}

TEST_WITH(everything_from_all_queues_is_written_once, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    push_numbers(fake, 2000);
    fake_sink_finish(fake);
    assert_numbers(fake, 2000);
}

TEST_WITH(a_destination_that_takes_pieces_gets_every_byte, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->random_pieces = 7;
    fake_sink_start(fake);
    push_numbers(fake, 1000);
    fake_sink_finish(fake);
    assert_numbers(fake, 1000);
}

TEST_WITH(the_order_of_one_queue_is_kept, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    for (int i = 0; i < 1000; i++) {
        char payload[40];
        snprintf(payload, sizeof payload, "%d.%07d", i % FAKE_QUEUES, i / FAKE_QUEUES);
        fake_sink_push(fake, (size_t)i % FAKE_QUEUES, payload, 1);
    }
    fake_sink_finish(fake);
    int next[FAKE_QUEUES] = {0};
    assert_int_equal(fake->size, 1000 * 10);
    for (size_t at = 0; at < fake->size; at += 10) {
        int queue = fake->bytes[at] - '0';
        assert_in_range(queue, 0, FAKE_QUEUES - 1);
        assert_int_equal(strtol(fake->bytes + at + 2, NULL, 10), next[queue]++);
    }
}

TEST_WITH(a_sink_that_lags_writes_large_blocks, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    for (int i = 0; i < FAKE_CAPACITY; i++)
        fake_sink_push(fake, 0, "*999", 50); /* 3.2 MB in all */
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
    assert_int_equal(fake->size, FAKE_CAPACITY * 50 * 1000);
    assert_in_range(atomic_load(&fake->writes), 2, fake->size / 60000);
}

TEST_WITH(more_records_than_the_sink_can_note_are_no_trouble, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    for (int i = 0; i < 20; i++)
        fake_sink_push(fake, 0, "x", 500); /* 20 kB, so the buffer is far from full */
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 10000);
    assert_int_equal(fake->size, 20000);
}

static bool somebody_looks_on(const struct destination *destination)
{
    (void)destination;
    return true;
}

TEST_WITH(where_somebody_looks_on_each_record_is_written_by_itself_and_whole, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->stream.is_watched = somebody_looks_on;
    fake->settings.flush_interval = UINT64_C(3600000000000);
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    for (int i = 0; i < 20; i++)
        fake_sink_push(fake, (size_t)i % FAKE_QUEUES, "#3", 10); /* each record has three lines */
    atomic_store(&fake->gate_shut, false);
    fake_sink_wait_committed(fake, 200);
    assert_int_equal(counter_read(&fake->counters->written), 200);
    assert_int_equal(counter_read(&fake->counters->lines), 600);
    assert_int_equal(atomic_load(&fake->writes), 200);
    fake_sink_finish(fake);
}

/*
 * The "\r" at the end is kept, because a line of CSV ends in "\r\n". All other control characters
 * are replaced.
 */
TEST_WITH(where_somebody_looks_on_no_control_character_is_written_but_ends_of_lines,
          fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->stream.is_watched = somebody_looks_on;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a\x1b[m\tb\x7f\xc2\x9b\xc3\x9b\r", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "a?[m?b???\xc3\x9b\r\n", 1);
}

TEST_WITH(without_a_terminal_control_characters_are_written_as_they_are, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a\x1b[m\xc2\x9b", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "a\x1b[m\xc2\x9b\n", 1);
}

/* --- records without a line, and very long lines ---------------------------------------------- */

TEST_WITH(a_record_without_a_line_is_filtered, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "-", 5);
    fake_sink_wait_committed(fake, 5);
    assert_int_equal(atomic_load(&fake->writes), 0);
    fake_sink_push(fake, 0, "x", 1);
    fake_sink_push(fake, 0, "-", 1);
    fake_sink_push(fake, 0, "y", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "x\ny\n", 2);
    assert_int_equal(counter_read(&fake->counters->filtered), 6);
}

TEST_WITH(values_without_a_form_are_counted_when_they_are_written, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    static const struct fake_write gone[] = {{WRITE_OK, 0}, {WRITE_CLOSED, 0}};
    fake->script = gone;
    fake->script_length = 2;
    fake->repeat_last = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "~", 3);
    fake_sink_wait_committed(fake, 3);
    fake_sink_push(fake, 0, "~", 1);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 3);
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_READER_GONE]), 1);
    assert_int_equal(counter_read(&fake->counters->json_fallback), 6);
}

TEST_WITH(only_a_record_that_fits_no_buffer_fails, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "x", 1);
    fake_sink_push(fake, 0, "!", 3);
    fake_sink_push(fake, 0, "y", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "x\ny\n", 2);
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_TOO_LARGE]), 3);
}

TEST_WITH(a_record_of_a_mebibyte_fits_at_any_time, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "first", 1);
    fake_sink_push(fake, 0, "*65520", 1); /* with one more byte the block would be written */
    fake_sink_push(fake, 0, "*1048575", 1);
    fake_sink_push(fake, 0, "last", 1);
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 4);
    assert_int_equal(fake->size, 6 + 65521 + 1048576 + 5);
}

/* --- reopening -------------------------------------------------------------------------------- */

TEST_WITH(an_idle_sink_reopens_at_once, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "old", 1);
    fake_sink_wait_committed(fake, 1);
    sink_thread_reopen(fake->sink);
    fake_sink_push(fake, 0, "new", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "old\nnew\n", 2);
    assert_int_equal(fake->reopens, 1);
    assert_true(fake->reopened_at == 4 || fake->reopened_at == 8);
}

TEST_WITH(a_busy_sink_reopens_between_two_records, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->random_pieces = 3;
    atomic_store(&fake->gate_shut, true);
    fake_sink_start(fake);
    for (int i = 0; i < FAKE_CAPACITY; i++)
        fake_sink_push(fake, 0, "*999", 60);
    sink_thread_reopen(fake->sink);
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at % 1000, 0);
    assert_in_range(fake->reopened_at, 0, fake->size / 2);
    assert_int_equal(fake->size, FAKE_CAPACITY * 60 * 1000);
}

TEST_WITH(what_was_taken_before_a_reopening_goes_to_the_old_file, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_create(fake);
    struct error error;
    fake_sink_push(fake, 0, "@", 1);
    fake_sink_push(fake, 0, "new", 1);
    assert_int_equal(sink_thread_start(fake->sink, &error), 0);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "@\nnew\n", 2);
    assert_int_equal(fake->reopens, 1);
    assert_int_equal(fake->reopened_at, 2);
}

TEST_WITH(a_reopening_that_fails_goes_on_with_the_old_file, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->reopen_fails = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "old", 1);
    sink_thread_reopen(fake->sink);
    fake_sink_push(fake, 0, "new", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "old\nnew\n", 2);
    assert_int_equal(fake->reopens, 1);
}

TEST_WITH(a_destination_without_a_name_is_not_reopened, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->stream.reopen = NULL;
    fake_sink_start(fake);
    sink_thread_reopen(fake->sink);
    fake_sink_push(fake, 0, "x", 1);
    sink_thread_reopen(fake->sink);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "x\n", 1);
    assert_int_equal(fake->reopens, 0);
}

/* --- sleeping and waking ---------------------------------------------------------------------- */

/*
 * The first push wakes the sink. The second push comes at a random time while the sink falls
 * asleep. If the sink missed it, the test would not end.
 */
TEST_WITH(a_push_is_seen_at_every_moment_of_falling_asleep, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    uint64_t random = 99;
    fake_sink_start(fake);
    for (uint64_t round = 0; round < 1500; round++) {
        struct batch *first = fake_sink_make(fake, "x", 1);
        struct batch *second = fake_sink_make(fake, "y", 1);
        size_t writes = atomic_load(&fake->writes);
        int64_t until = patience_until();
        fake_sink_offer(fake, 0, first);
        for (unsigned spin = 1; atomic_load(&fake->writes) == writes; spin++)
            assert_true(spin % 1024 != 0 || patience(until));
        for (uint64_t spin = next_random(&random) % 1000; spin > 0; spin--)
            (void)sink_thread_has_ended(fake->sink);
        fake_sink_offer(fake, round % FAKE_QUEUES, second);
        fake_sink_wait_committed(fake, 2 * round + 2);
    }
    fake_sink_wait_idle(fake);
    assert_false(sink_thread_has_finished(fake->sink));
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 3000);
}

TEST_WITH(a_close_wakes_a_sleeping_sink, fake_sink_set_up, fake_sink_tear_down)
{
    for (int round = 0; round < 200; round++) {
        struct fake_sink *fake = *state;
        fake_sink_start(fake);
        fake_sink_finish(fake);
        assert_int_equal(fake->size, 0);
    }
}

/* --- creating and ending a sink --------------------------------------------------------------- */

TEST_WITH(a_destination_that_cannot_be_opened_says_why_each_time, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct error error;
    fake->options.path = "elsewhere";
    assert_int_equal(sink_thread_create(&fake->sink, &fake->options, &error), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sink_thread_open(fake->sink, &error), -1);
        assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
        assert_string_equal(error.text, "cannot create elsewhere");
    }
    sink_thread_destroy(fake->sink);
    fake->sink = NULL;
}

TEST_WITH(what_was_queued_before_the_opening_is_written, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct error error;
    fake_sink_make_closed(fake);
    fake_sink_push(fake, 0, "a", 3);
    assert_int_equal(sink_thread_open(fake->sink, &error), 0);
    assert_int_equal(sink_thread_open(fake->sink, &error), 0);
    assert_int_equal(sink_thread_start(fake->sink, &error), 0);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 3);
    assert_int_equal(atomic_load(&fake->counters->in_flight), 0);
}

TEST_WITH(records_that_a_destination_does_not_accept_in_time_fail, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_make_closed(fake);
    fake_sink_push(fake, 0, "a", 3);
    for (size_t i = 0; i < FAKE_QUEUES; i++)
        batch_queue_close(fake->queues[i]);
    sink_thread_give_up(fake->sink);
    assert_true(sink_thread_has_finished(fake->sink));
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_IO_ERROR]), 3);
    assert_int_equal(atomic_load(&fake->counters->in_flight), 0);
}

static struct encoder *create_no_encoder(const struct encoder_options *options)
{
    (void)options;
    return NULL;
}

TEST_WITH(an_encoder_without_memory_is_an_internal_error, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct error error;
    struct encoder_ops none = *fake->settings.encoder;
    none.create = create_no_encoder;
    fake->settings.encoder = &none;
    assert_int_equal(sink_thread_create(&fake->sink, &fake->options, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_INTERNAL);
}

TEST_WITH(a_sink_may_be_destroyed_instead_of_started, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_create(fake);
    sink_thread_destroy(fake->sink);
    fake->sink = NULL;
    sink_thread_destroy(NULL);
    size_t memory;
    assert_true(sink_thread_memory(&fake->options, &memory));
    assert_true(memory >= (size_t)1024 * 1024);
}

TEST_WITH(large_batches_are_counted_among_those_in_the_queues, fake_sink_set_up,
          fake_sink_tear_down)
{
    static const struct listener listener = {.index = 0, .name = "test"};
    struct fake_sink *fake = *state;
    fake_sink_create(fake);
    for (size_t i = 0; i < FAKE_QUEUES; i++) {
        struct batch *batch = batch_acquire(fake->pool, i != 0);
        assert_non_null(batch);
        batch->listener = &listener;
        assert_int_equal(batch_queue_ask(fake->queues[i], batch), QUEUE_TAKEN);
        batch_queue_push(fake->queues[i], batch);
    }
    struct queue_levels levels = sink_thread_queue_levels(fake->sink);
    assert_int_equal(levels.batches, FAKE_QUEUES);
    assert_int_equal(levels.batches_most, FAKE_QUEUES * FAKE_CAPACITY);
    assert_int_equal(levels.large, FAKE_QUEUES - 1);
    assert_int_equal(levels.large_most, FAKE_QUEUES * BATCH_QUEUE_LARGE);
    for (size_t i = 0; i < FAKE_QUEUES; i++)
        batch_release(batch_queue_pop(fake->queues[i]));
    sink_thread_destroy(fake->sink);
    fake->sink = NULL;
}

TEST_WITH(a_destination_that_this_program_lacks_is_refused, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    const struct destination_ops lacking = {.scheme = "far", .absent = "no library"};
    struct error error;
    fake->options.destination = &lacking;
    assert_int_equal(sink_thread_check(&fake->options, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "far: "));
    assert_non_null(strstr(error.text, "no library"));
}
