/*
 * Tests how a sink writes the blocks of a set of files: each block whole or not at all, and in
 * order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/destination_files.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

#define MOST_BLOCKS 4
#define LOG_SIZE    ((size_t)8 * 1024 * 1024)

/*
 * A file set that notes each call as text in `log`. The digit is the number of the block:
 * "0<bytes>" written, "x0" write failed, "-0" refused, "t0" handed over to another file, "r"
 * rotated, "R" all rotated, "." finished. "!" after "r" or "R" means that blocks had records. The
 * first byte of a record selects its file. The files use the blocks in turn.
 */
static struct {
    struct destination destination;
    struct destination_shape shape;
    size_t failures;     /* number of writes that fail next */
    bool fails_for_ever; /* afterwards all writes fail */
    char refused;        /* blocks that begin with this byte are refused */
    char owner[MOST_BLOCKS];
    size_t next;
    char later; /* a record with this first byte has a later time than those before it */
    char wanted;
    _Atomic bool due;
    _Atomic size_t ticks;
    char *log;
    size_t used;
} set;

static void note(const char *what, size_t number, const void *bytes, size_t size)
{
    if (set.used + size + 20 > LOG_SIZE)
        abort();
    set.used += (size_t)sprintf(set.log + set.used, "%s", what);
    if (number != SIZE_MAX)
        set.used += (size_t)sprintf(set.log + set.used, "%zu", number);
    if (bytes != NULL)
        set.used += (size_t)sprintf(set.log + set.used, "<%.*s>", (int)size, (const char *)bytes);
}

static struct file_set_route route(struct destination *destination, const struct listener *listener,
                                   const struct record *record)
{
    (void)destination;
    (void)listener;
    set.wanted = (char)record->data[0];
    bool later = set.later != '\0' && set.wanted == set.later;
    for (size_t i = 0; i < set.shape.blocks; i++)
        if (set.owner[i] == set.wanted)
            return (struct file_set_route){i, false, later};
    size_t block = set.next++ % set.shape.blocks;
    bool taken = set.owner[block] != '\0';
    if (!taken)
        set.owner[block] = set.wanted;
    return (struct file_set_route){block, taken, later};
}

static void take_over(struct destination *destination, size_t block)
{
    (void)destination;
    note("t", block, NULL, 0);
    set.owner[block] = set.wanted;
}

static enum write_result write_block(struct destination *destination, size_t block,
                                     const void *bytes, size_t size, struct error *error)
{
    (void)destination;
    if (set.refused != '\0' && *(const char *)bytes == set.refused) {
        note("-", block, NULL, 0);
        return WRITE_CLOSED;
    }
    if (set.failures == 0 && !set.fails_for_ever) {
        note("", block, bytes, size);
        return WRITE_OK;
    }
    set.failures -= set.failures != 0;
    note("x", block, NULL, 0);
    error_set(error, EXIT_CODE_IO, "the set fails");
    return WRITE_FAILED;
}

static int64_t due(const struct destination *destination)
{
    (void)destination;
    return atomic_load(&set.due) ? 0 : INT64_MAX;
}

static bool tick(struct destination *destination)
{
    (void)destination;
    atomic_store(&set.due, false);
    atomic_fetch_add(&set.ticks, 1);
    return true;
}

static void rotate(struct destination *destination, bool all, bool empty)
{
    (void)destination;
    note(all ? "R" : "r", SIZE_MAX, NULL, 0);
    note(empty ? "" : "!", SIZE_MAX, NULL, 0);
}

static void finish(struct destination *destination)
{
    (void)destination;
    note(".", SIZE_MAX, NULL, 0);
}

static void destroy(struct destination *destination)
{
    (void)destination;
}

static const struct file_set_ops many_blocks = {route, take_over, write_block, due,
                                                tick,  rotate,    finish};
static const struct file_set_ops one_block = {
    .write = write_block, .due = due, .tick = tick, .rotate = rotate, .finish = finish};

static bool shape(const struct destination_options *options, struct destination_shape *shape)
{
    (void)options;
    *shape = set.shape;
    return true;
}

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    (void)options;
    (void)error;
    set.destination.file_set = set.shape.blocks == 1 ? &one_block : &many_blocks;
    set.destination.destroy = destroy;
    *out = &set.destination;
    return 0;
}

static const struct destination_ops fake_file_set_ops = {
    .scheme = "fake", .shape = shape, .create = create};

/* --- setting up the sink ---------------------------------------------------------------------- */

static struct fake_sink *make(void **state, size_t blocks, size_t block_size)
{
    struct fake_sink *fake = *state;
    char *log = calloc(1, LOG_SIZE);
    assert_non_null(log);
    memset(&set, 0, sizeof set);
    set.log = log;
    set.shape = (struct destination_shape){
        .blocks = blocks, .block_size = block_size, .chunks = blocks, .chunk_size = block_size};
    fake->options.destination = &fake_file_set_ops;
    fake->settings.flush_interval = UINT64_C(3600) * 1000000000;
    return fake;
}

static int tear_down(void **state)
{
    int result = fake_sink_tear_down(state);
    free(set.log);
    return result;
}

static void assert_log(struct fake_sink *fake, const char *expected)
{
    fake_sink_finish(fake);
    assert_string_equal(set.log, expected);
}

static void assert_counts(const struct fake_sink *fake, uint64_t written, uint64_t failed)
{
    assert_int_equal(counter_read(&fake->counters->written), written);
    assert_int_equal(counter_read(&fake->counters->lines), written);
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_IO_ERROR]), failed);
}

/* --- one block at a time ---------------------------------------------------------------------- */

TEST_WITH(what_comes_is_collected_and_written_at_the_end, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 1, 1000);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "b", 2);
    fake_sink_wait_idle(fake);
    assert_int_equal(fake_sink_committed(fake), 0);
    assert_int_equal(atomic_load(&fake->counters->in_flight), 3);
    assert_log(fake, "0<a\nb\nb\n>.");
    assert_counts(fake, 3, 0);
    assert_int_equal(counter_read(&fake->counters->bytes), 6);
}

TEST_WITH(without_an_interval_a_block_is_written_when_the_queues_are_empty, fake_sink_set_up,
          tear_down)
{
    struct fake_sink *fake = make(state, 1, 1000);
    fake->settings.flush_interval = 0;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_wait_committed(fake, 1);
    fake_sink_push(fake, 0, "b", 1);
    assert_log(fake, "0<a\n>0<b\n>.");
}

TEST_WITH(with_a_short_one_when_it_is_over, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 1, 1000);
    fake->settings.flush_interval = 1000000;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_wait_committed(fake, 1);
    assert_log(fake, "0<a\n>.");
}

TEST_WITH(the_record_that_does_not_fit_begins_the_next_block, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 1, 8);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "aa", 3);      /* 9 bytes in all */
    fake_sink_push(fake, 0, "bbbbbbb", 1); /* fills a block exactly */
    fake_sink_push(fake, 0, "c", 1);
    assert_log(fake, "0<aa\naa\n>0<aa\n>0<bbbbbbb\n>0<c\n>.");
    assert_counts(fake, 5, 0);
}

TEST_WITH(a_record_larger_than_a_block_is_one_by_itself, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 1, 8);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "*20", 1);
    fake_sink_push(fake, 0, "b", 1);
    assert_log(fake, "0<a\n>0<********************\n>0<b\n>.");
}

TEST_WITH(what_leaves_no_line_or_is_too_large_is_counted_as_that, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 1, 1000);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "!", 1);
    fake_sink_push(fake, 0, "-", 2);
    fake_sink_push(fake, 0, "b", 1);
    assert_log(fake, "0<a\nb\n>.");
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_TOO_LARGE]), 1);
    assert_int_equal(counter_read(&fake->counters->filtered), 2);
    assert_counts(fake, 2, 0);
}

/* --- writes that fail ------------------------------------------------------------------------- */

TEST_WITH(a_block_that_was_not_written_is_tried_again_whole, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 1, 1000);
    set.failures = 3;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 2);
    assert_log(fake, "x0x0x00<a\na\n>.");
    assert_counts(fake, 2, 0);
    assert_int_equal(counter_read(&fake->counters->write_errors), 3);
    assert_int_equal(counter_read(&fake->counters->bytes), 4);
}

TEST_WITH(what_cannot_be_written_until_the_deadline_fails, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 2, 1000);
    set.fails_for_ever = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 2);
    fake_sink_push(fake, 0, "b", 3);
    fake_sink_wait_idle(fake);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    assert_counts(fake, 0, 5);
    /* The file set is finished at the end even if writes failed. */
    assert_int_equal(set.log[set.used - 1], '.');
    assert_int_equal(counter_read(&fake->counters->bytes), 0);
}

TEST_WITH(a_large_record_that_cannot_be_written_fails_by_itself, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 2, 8);
    set.fails_for_ever = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "*20", 1);
    int64_t until = patience_until();
    while (counter_read(&fake->counters->write_errors) == 0)
        assert_true(patience(until));
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    assert_counts(fake, 0, 1);
}

TEST_WITH(a_reopen_is_not_kept_waiting_by_a_block_that_cannot_be_written, fake_sink_set_up,
          tear_down)
{
    struct fake_sink *fake = make(state, 2, 1000);
    fake_sink_start(fake);
    set.failures = 2;
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "@", 1); /* this record requests a rotation before it is written */
    assert_log(fake, "x0R!x00<a\n>1<@\n>.");
    assert_counts(fake, 2, 0);
}

/* --- several blocks --------------------------------------------------------------------------- */

TEST_WITH(each_file_has_its_block, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 3, 1000);
    fake_sink_start(fake);
    for (int i = 0; i < 3; i++) {
        fake_sink_push(fake, 0, "a1", 1);
        fake_sink_push(fake, 0, "b2", 1);
        fake_sink_push(fake, 0, "c3", 1);
    }
    assert_log(fake, "0<a1\na1\na1\n>1<b2\nb2\nb2\n>2<c3\nc3\nc3\n>.");
    assert_counts(fake, 9, 0);
}

TEST_WITH(a_block_is_written_before_another_file_takes_it_over, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 2, 1000);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "c", 1);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "a", 1);
    assert_log(fake, "0<a\n>t01<b\nb\n>t10<c\n>1<a\n>.");
    assert_counts(fake, 5, 0);
}

TEST_WITH(a_full_block_is_written_and_the_others_go_on, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 2, 8);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "aaa", 3);
    fake_sink_push(fake, 0, "a12345678", 1);
    fake_sink_push(fake, 0, "b", 1);
    assert_log(fake, "1<aaa\naaa\n>1<aaa\n>1<a12345678\n>0<b\nb\n>.");
    assert_counts(fake, 6, 0);
}

TEST_WITH(one_file_that_is_refused_loses_its_records_and_the_others_go_on, fake_sink_set_up,
          tear_down)
{
    struct fake_sink *fake = make(state, 2, 8);
    set.refused = 'a';
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 2);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "a12345678", 1); /* larger than a block */
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "a", 1);
    assert_log(fake, "-0-01<b\nb\n>-0.");
    assert_counts(fake, 2, 4);
    assert_int_equal(counter_read(&fake->counters->write_errors), 0);
}

TEST_WITH(before_a_record_of_a_later_time_all_that_came_before_it_is_written, fake_sink_set_up,
          tear_down)
{
    struct fake_sink *fake = make(state, 3, 8);
    set.later = 'z';
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "z23456", 2); /* larger than a block */
    assert_log(fake, "0<a\n>1<b\n>2<z23456\n>2<z23456\n>.");
}

TEST_WITH(before_it_takes_a_block_over_too, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 2, 1000);
    set.later = 'z';
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_push(fake, 0, "z", 1);
    assert_log(fake, "0<a\n>1<b\n>t00<z\n>.");
    assert_counts(fake, 3, 0);
}

/* Makes a sink whose blocks share `chunks` chunks of 4 bytes. A block holds at most 16 bytes. */
static struct fake_sink *make_sharing(void **state, size_t blocks, size_t chunks)
{
    struct fake_sink *fake = make(state, blocks, 16);
    set.shape.chunks = chunks;
    set.shape.chunk_size = 4;
    return fake;
}

TEST_WITH(while_there_is_memory_each_file_collects_a_full_block, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make_sharing(state, 2, 8);
    fake_sink_start(fake);
    for (int i = 0; i < 4; i++) {
        fake_sink_push(fake, 0, "a23", 1);
        fake_sink_push(fake, 0, "b23", 1);
    }
    assert_log(fake, "0<a23\na23\na23\na23\n>1<b23\nb23\nb23\nb23\n>.");
    assert_counts(fake, 8, 0);
}

TEST_WITH(if_memory_is_short_the_file_with_the_most_is_written, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make_sharing(state, 4, 4);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a23", 1);
    fake_sink_push(fake, 0, "b23", 2);
    fake_sink_push(fake, 0, "c", 1);
    fake_sink_push(fake, 0, "c", 1); /* takes the last free chunk */
    fake_sink_push(fake, 0, "d", 1);
    assert_log(fake, "1<b23\nb23\n>0<a23\n>2<c\nc\n>3<d\n>.");
    assert_counts(fake, 6, 0);
}

TEST_WITH(more_files_than_full_blocks_still_collect_several_records_each, fake_sink_set_up,
          tear_down)
{
    struct fake_sink *fake = make_sharing(state, 4, 4); /* memory for one full block only */
    fake_sink_start(fake);
    for (int i = 0; i < 2; i++) {
        fake_sink_push(fake, 0, "a", 1);
        fake_sink_push(fake, 0, "b", 1);
        fake_sink_push(fake, 0, "c", 1);
        fake_sink_push(fake, 0, "d", 1);
    }
    assert_log(fake, "0<a\na\n>1<b\nb\n>2<c\nc\n>3<d\nd\n>.");
    assert_counts(fake, 8, 0);
}

TEST_WITH(a_record_that_needs_the_chunks_of_its_own_block_gets_them, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make_sharing(state, 2, 4);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a234567", 1);
    fake_sink_push(fake, 0, "b23", 1);
    fake_sink_push(fake, 0, "a23456", 1);
    fake_sink_push(fake, 0, "a234567890abcdef", 1); /* larger than a block */
    assert_log(fake, "0<a234567\n>0<a23456\n>0<a234567890abcdef\n>1<b23\n>.");
    assert_counts(fake, 4, 0);
}

TEST_WITH(writes_that_fail_while_memory_is_short_are_tried_again_in_order, fake_sink_set_up,
          tear_down)
{
    struct fake_sink *fake = make_sharing(state, 4, 4);
    set.failures = 2;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a23", 3);
    fake_sink_push(fake, 0, "b23", 1);
    fake_sink_push(fake, 0, "c23", 1);
    fake_sink_push(fake, 0, "a23", 1);
    assert_log(fake, "x0x00<a23\na23\na23\n>1<b23\n>2<c23\n>0<a23\n>.");
    assert_counts(fake, 6, 0);
}

/* --- rotation --------------------------------------------------------------------------------- */

TEST_WITH(what_was_taken_before_a_reopen_is_written_first, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 2, 1000);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "@", 1);
    fake_sink_push(fake, 0, "b", 1);
    assert_log(fake, "0<a\n>1<@\n>Rt00<b\n>.");
}

TEST_WITH(what_is_due_is_rotated_with_all_blocks_empty, fake_sink_set_up, tear_down)
{
    struct fake_sink *fake = make(state, 2, 1000);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "a", 1);
    fake_sink_push(fake, 0, "b", 1);
    fake_sink_wait_idle(fake);
    atomic_store(&set.due, true);
    fake_sink_push(fake, 0, "a", 1); /* wakes the sink */
    int64_t until = patience_until();
    while (atomic_load(&set.ticks) == 0)
        assert_true(patience(until));
    fake_sink_wait_committed(fake, 2);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 3);
    const char *rotated = strchr(set.log, 'r');
    assert_non_null(rotated);
    assert_null(strchr(rotated + 1, 'r'));
    assert_memory_equal(set.log, "0<a\n", 4);
    assert_true(strstr(set.log, "1<b\n>") < rotated);
}
