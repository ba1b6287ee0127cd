/*
 * Tests a sink whose destination reports how much its reader has read. A record counts as written
 * when it was read. After a reader ends, the next one gets no partial record. No record is written
 * twice or left uncounted.
 */
#include <string.h>

#include "collector/contract/destination_stream.h"
#include "collector/platform/clock.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/wait_end.h"
#include "tests/support/test.h"

#define UNREAD_MAX 2048 /* maximum number of records that are accepted and unread */

static struct {
    struct fake_sink *fake;
    const struct stream_ops *inner;
    int64_t next_ns;
    size_t begun; /* `size` of the fake when the present reader began */
    bool awaited, ended_unreported;
    size_t lost;
    size_t most_unread;
    size_t renewals;
    bool comes_if_asked; /* restart_reader starts a reader if one is awaited */

    /* Any thread uses the following fields. */
    _Atomic size_t room;     /* bytes that may be unread */
    _Atomic size_t may_read; /* bytes that the present reader may read */
    _Atomic size_t accepted; /* bytes that were accepted in total, for all readers */
    _Atomic bool dies;
    _Atomic bool another; /* when a reader has ended, another one starts */
    _Atomic size_t deaths;
} reader;

static uint64_t failed(enum record_failure reason)
{
    return counter_read(&reader.fake->counters->failed[reason]);
}

static size_t given(void)
{
    return reader.fake->size - reader.begun;
}

static size_t unread(void)
{
    size_t read = atomic_load(&reader.may_read);
    return read < given() ? given() - read : 0;
}

static void end_reader(void)
{
    reader.lost = unread();
    reader.awaited = true;
    reader.ended_unreported = true;
    atomic_fetch_add(&reader.deaths, 1);
}

static enum write_result write_some(struct destination *destination, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    size_t room = atomic_load(&reader.room);
    if (reader.awaited || unread() >= room)
        return WRITE_WOULD_BLOCK;
    if (size > room - unread())
        size = room - unread();
    enum write_result result = reader.inner->write(destination, bytes, size, written, error);
    if (unread() > reader.most_unread)
        reader.most_unread = unread();
    atomic_store(&reader.accepted, reader.fake->size);
    return result;
}

static int64_t due(const struct destination *destination)
{
    (void)destination;
    return reader.next_ns;
}

static void tick(struct destination *destination)
{
    (void)destination;
    reader.next_ns = clock_monotonic_ns() + 1000000;
    if (reader.awaited && !reader.ended_unreported && atomic_load(&reader.another)) {
        reader.awaited = false;
        reader.begun = reader.fake->size;
        atomic_store(&reader.may_read, SIZE_MAX);
    } else if (!reader.awaited && atomic_exchange(&reader.dies, false)) {
        end_reader();
    }
}

static enum reader_state progress(struct destination *destination, size_t *left)
{
    (void)destination;
    *left = 0;
    if (reader.ended_unreported) {
        reader.ended_unreported = false;
        *left = reader.lost;
        return READER_ENDED;
    }
    if (reader.awaited)
        return READER_AWAITED;
    *left = unread();
    return READER_READS;
}

static bool at_beginning(const struct destination *destination)
{
    (void)destination;
    return reader.awaited || given() == 0;
}

static void restart_reader(struct destination *destination, bool more)
{
    (void)destination;
    reader.renewals++;
    if (reader.awaited && reader.comes_if_asked)
        atomic_store(&reader.another, true);
    if (more && !reader.awaited && unread() != 0) {
        atomic_store(&reader.another, true);
        end_reader();
    }
}

static bool finish(struct destination *destination, bool now)
{
    atomic_store(&reader.another, false);
    if (clock_monotonic_ns() >= reader.next_ns)
        tick(destination);
    if (!reader.awaited && (now || unread() == 0))
        end_reader();
    return reader.awaited;
}

static void start(struct fake_sink *fake, size_t room)
{
    static struct stream_ops inner;
    memset(&reader, 0, sizeof reader);
    reader.fake = fake;
    inner = fake->stream;
    reader.inner = &inner;
    atomic_store(&reader.room, room);
    fake->stream.write = write_some;
    fake->stream.roll_back = NULL;
    fake->stream.reopen = NULL;
    fake->stream.at_beginning = at_beginning;
    fake->stream.due = due;
    fake->stream.tick = tick;
    fake->stream.progress = progress;
    fake->stream.restart = restart_reader;
    fake->stream.finish = finish;
    fake_sink_start(fake);
}

static void wait_accepted(size_t bytes)
{
    int64_t until = patience_until();
    while (atomic_load(&reader.accepted) < bytes)
        assert_true(patience(until));
}

static void wait_deaths(size_t count)
{
    int64_t until = patience_until();
    while (atomic_load(&reader.deaths) < count)
        assert_true(patience(until));
}

static void read_and_die(size_t bytes)
{
    atomic_store(&reader.may_read, bytes);
    atomic_store(&reader.dies, true);
    wait_deaths(1);
}

static void read_all(void)
{
    atomic_store(&reader.may_read, SIZE_MAX);
}

/* --- reading ---------------------------------------------------------------------------------- */

TEST_WITH(a_record_is_written_once_its_last_byte_is_read, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 100);
    fake_sink_push(fake, 0, "abc", 3);
    wait_accepted(12);
    assert_int_equal(fake_sink_committed(fake), 0);
    atomic_store(&reader.may_read, 7);
    fake_sink_wait_committed(fake, 1);
    atomic_store(&reader.may_read, 8);
    fake_sink_wait_committed(fake, 2);
    assert_int_equal(atomic_load(&fake->counters->in_flight) >= 1, 1);
    atomic_store(&reader.may_read, 12);
    fake_sink_wait_committed(fake, 3);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\nabc\n", 3);
}

TEST_WITH(records_that_are_unread_are_bounded, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, SIZE_MAX);
    for (int i = 0; i < 50; i++)
        fake_sink_push(fake, (size_t)i % FAKE_QUEUES, "a", 100);
    wait_accepted((size_t)2 * UNREAD_MAX);
    assert_int_equal(fake_sink_committed(fake), 0);
    read_all();
    fake_sink_finish(fake);
    assert_int_equal(reader.most_unread, 2 * UNREAD_MAX);
    assert_int_equal(counter_read(&fake->counters->written), 5000);
    assert_int_equal(counter_read(&fake->counters->bytes), 10000);
}

/*
 * The sink's ring of unread records wraps many times, and the pushed sizes do not divide its size.
 */
TEST_WITH(a_reader_that_always_lags_reads_all, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    size_t bytes = 0;
    start(fake, 700);
    for (int i = 0; i < 300; i++) {
        fake_sink_push(fake, 0, "abcdef", 41);
        bytes += (size_t)41 * 7;
        wait_accepted(bytes < 600 ? bytes : bytes - 600);
        atomic_store(&reader.may_read, bytes - 300 + bytes % 300);
    }
    read_all();
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 300 * 41);
    assert_int_equal(fake->size, bytes);
}

/* --- the end of a reader ---------------------------------------------------------------------- */

/* The reader accepts ten bytes and reads five of them, so it ends in the middle of a record. */
TEST_WITH(what_was_unread_or_half_read_is_lost_and_the_next_begins_with_a_record, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 10);
    fake_sink_push(fake, 0, "abc", 3);
    fake_sink_push(fake, 0, "def", 2);
    wait_accepted(10);
    atomic_store(&reader.another, true);
    atomic_store(&reader.room, 0); /* the reader reads five bytes, and then ends */
    read_and_die(5);
    atomic_store(&reader.room, 10);
    fake_sink_wait_committed(fake, 5);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 2);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 3);
    assert_int_equal(counter_read(&fake->counters->lines), 3);
    assert_int_equal(fake->size, 18);
    assert_memory_equal(fake->bytes, "abc\nabc\nabdef\ndef\n", 18);
}

TEST_WITH(bytes_are_those_that_were_read, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 10);
    fake_sink_push(fake, 0, "abc", 5);
    wait_accepted(10);
    atomic_store(&reader.room, 0);
    read_and_die(5);
    fake_sink_wait_committed(fake, 3);
    assert_int_equal(counter_read(&fake->counters->bytes), 5);
    atomic_store(&reader.room, 10);
    atomic_store(&reader.another, true);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->bytes), 5 + 8);
    assert_int_equal(counter_read(&fake->counters->lines), 3);
}

TEST_WITH(a_reader_that_ends_at_the_end_of_a_record_loses_none, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 8);
    fake_sink_push(fake, 0, "abc", 5);
    wait_accepted(8);
    atomic_store(&reader.another, true);
    atomic_store(&reader.room, 0);
    read_and_die(8);
    atomic_store(&reader.room, 8);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\nabc\nabc\nabc\n", 5);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 0);
}

TEST_WITH(each_reader_is_given_the_head_first, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->head = "=head=\n";
    start(fake, 7 + 4 + 2);
    fake_sink_push(fake, 0, "abc", 4);
    wait_accepted(13);
    atomic_store(&reader.another, true);
    atomic_store(&reader.room, 0);
    read_and_die(9); /* 9 bytes are the head and half of a record */
    atomic_store(&reader.room, 13);
    fake_sink_wait_committed(fake, 4);
    fake_sink_finish(fake);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 2);
    assert_int_equal(counter_read(&fake->counters->written), 2);
    assert_int_equal(fake->size, 13 + 15);
    assert_memory_equal(fake->bytes, "=head=\nabc\nab=head=\nabc\nabc\n", 28);
    assert_int_equal(counter_read(&fake->counters->bytes), 9 + 15);
}

TEST_WITH(a_head_that_was_half_read_comes_again, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->head = "=head=\n";
    start(fake, 100);
    fake_sink_push(fake, 0, "abc", 1);
    wait_accepted(11);
    atomic_store(&reader.another, true);
    read_and_die(3);
    fake_sink_push(fake, 0, "def", 1);
    fake_sink_finish(fake);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 1);
    assert_int_equal(fake->size, 22);
    assert_memory_equal(fake->bytes, "=head=\nabc\n=head=\ndef\n", 22);
}

/* All bytes are read, so only the handle shows that the reader has ended. */
TEST_WITH(a_reader_that_goes_while_there_is_nothing_to_read_does_not_end_the_sink, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    struct wait_end *end = wait_end_open(END_OF_PIPE);
    fake->handle = wait_end_handle(end);
    start(fake, 100);
    read_all();
    fake_sink_wait_idle(fake);
    atomic_store(&reader.another, true);
    atomic_store(&reader.dies, true);
    wait_end_is_left(end);
    wait_deaths(1);
    fake_sink_push(fake, 0, "abc", 1);
    fake_sink_wait_committed(fake, 1);
    assert_false(sink_thread_has_ended(fake->sink));
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "abc\n", 1);
    wait_end_close(end);
}

TEST_WITH(reopening_asks_for_another_reader, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 100);
    read_all();
    fake_sink_push(fake, 0, "@", 1);
    fake_sink_wait_committed(fake, 1);
    fake_sink_push(fake, 0, "abc", 1);
    fake_sink_finish(fake);
    fake_sink_assert_wrote(fake, "@\nabc\n", 2);
    assert_int_equal(reader.renewals, 1);
}

/* The reader has accepted only a part of the block. The next reader must be started anyway. */
TEST_WITH(a_reader_that_does_not_read_is_replaced_as_well, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 10);
    fake_sink_push(fake, 0, "abc", 5);
    wait_accepted(10);
    sink_thread_reopen(fake->sink);
    fake_sink_wait_committed(fake, 5);
    fake_sink_finish(fake);
    assert_int_equal(reader.renewals, 1);
    assert_int_equal(atomic_load(&reader.deaths), 2);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 3);
    assert_int_equal(counter_read(&fake->counters->written), 2);
    assert_int_equal(counter_read(&fake->counters->bytes), 8);
}

/* --- stopping the sink ------------------------------------------------------------------------ */

TEST_WITH(a_stop_waits_until_all_is_read, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 100);
    fake_sink_push(fake, 0, "abc", 3);
    wait_accepted(12);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + INT64_C(3600000000000));
    fake_sink_close(fake);
    atomic_store(&reader.may_read, 4);
    fake_sink_wait_committed(fake, 1);
    assert_false(sink_thread_has_finished(fake->sink));
    atomic_store(&reader.may_read, 12);
    fake_sink_join(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\nabc\n", 3);
}

TEST_WITH(a_stop_starts_a_reader_that_is_awaited, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 8);
    reader.comes_if_asked = true;
    fake_sink_push(fake, 0, "abc", 5);
    wait_accepted(8);
    atomic_store(&reader.room, 0);
    read_and_die(8);
    atomic_store(&reader.room, 8);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + INT64_C(3600000000000));
    fake_sink_close(fake);
    fake_sink_join(fake);
    fake_sink_assert_wrote(fake, "abc\nabc\nabc\nabc\nabc\n", 5);
    assert_int_equal(reader.renewals, 1);
}

TEST_WITH(what_is_unread_when_the_deadline_is_over_has_failed, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 10);
    fake_sink_push(fake, 0, "abc", 5);
    wait_accepted(10);
    atomic_store(&reader.room, 0);
    atomic_store(&reader.may_read, 5);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 1);
    assert_int_equal(failed(FAILED_STOP_TIMEOUT), 4);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 0);
    assert_int_equal(counter_read(&fake->counters->bytes), 5);
}

TEST_WITH(what_no_reader_was_there_for_failed_for_that, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 10);
    fake_sink_push(fake, 0, "abc", 2);
    wait_accepted(8);
    read_and_die(4);
    fake_sink_wait_committed(fake, 2);
    fake_sink_push(fake, 0, "abc", 5);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 1);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 6);
    assert_int_equal(failed(FAILED_STOP_TIMEOUT), 0);
}

TEST_WITH(a_reader_that_ends_during_the_stop_loses_what_it_has_not_read, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    start(fake, 100);
    fake_sink_push(fake, 0, "abc", 3);
    wait_accepted(12);
    sink_thread_stop(fake->sink, clock_monotonic_ns() + INT64_C(3600000000000));
    fake_sink_close(fake);
    read_and_die(8);
    fake_sink_join(fake);
    assert_int_equal(counter_read(&fake->counters->written), 2);
    assert_int_equal(failed(FAILED_COMMAND_ENDED), 1);
}
