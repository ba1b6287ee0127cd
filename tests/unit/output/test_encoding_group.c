/* Who encodes a batch of several sinks that write the same, and for how long its lines are kept. */
#include <string.h>

#include "collector/output/encoding_group.h"
#include "tests/support/output/line_encoder.h"
#include "tests/support/test.h"

#define SINKS   3
#define BATCHES 64

/* Sinks that write the same. */
struct sinks {
    struct encoding_groups *groups;
    struct encoding_member *members[SINKS];
    struct encoder *encoders[SINKS];
    struct batch_pool *pool;
};

static const struct encoder_options options;

static int make_sinks(void **state)
{
    static struct sinks sinks;
    line_encoder_reset();
    sinks.groups = encoding_groups_create();
    sinks.pool = batch_pool_create(BATCHES, 1);
    assert_non_null(sinks.groups);
    assert_non_null(sinks.pool);
    for (size_t i = 0; i < SINKS; i++) {
        sinks.members[i] = encoding_group_join(sinks.groups, &line_encoder, &options);
        sinks.encoders[i] = line_encoder_create();
        assert_non_null(sinks.members[i]);
    }
    *state = &sinks;
    return 0;
}

static int end_sinks(void **state)
{
    struct sinks *sinks = *state;
    for (size_t i = 0; i < SINKS; i++) {
        encoding_group_leave(sinks->members[i]);
        line_encoder.destroy(sinks->encoders[i]);
    }
    encoding_groups_destroy(sinks->groups);
    batch_pool_destroy(sinks->pool);
    return 0;
}

static enum encoding_result take(struct sinks *sinks, size_t sink, const struct batch *batch,
                                 const struct encoded_batch **lines)
{
    return encoding_group_take(sinks->members[sink], sinks->encoders[sink], batch, lines);
}

/* Takes it and gives it back. */
static enum encoding_result pass(struct sinks *sinks, size_t sink, const struct batch *batch)
{
    const struct encoded_batch *lines;
    enum encoding_result result = take(sinks, sink, batch, &lines);
    if (result == ENCODING_TAKEN)
        encoding_group_release(sinks->members[sink], lines);
    return result;
}

static void assert_lines(const struct encoded_batch *lines, const char *expected, size_t records)
{
    assert_int_equal(lines->size, strlen(expected));
    assert_memory_equal(lines->text, expected, lines->size);
    assert_int_equal(lines->count, records);
}

/* --- once ------------------------------------------------------------------------------------- */

TEST_WITH(a_batch_is_encoded_once_for_all, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    struct batch *batch = line_batch_make(sinks->pool, "one", 1);
    line_batch_add(batch, "-", 1);
    line_batch_add(batch, "three", 1);
    for (size_t i = 0; i < SINKS; i++) {
        const struct encoded_batch *lines;
        assert_int_equal(take(sinks, i, batch, &lines), ENCODING_TAKEN);
        assert_lines(lines, "one\nthree\n", 3);
        assert_null(lines->rest);
        const struct record *record = batch->first;
        for (size_t k = 0; k < 3; k++, record = record->next)
            assert_ptr_equal(lines->records[k].record, record);
        assert_int_equal(lines->records[0].end, 4);
        assert_int_equal(lines->records[1].end, 4);
        assert_int_equal(lines->records[1].counts.lines, 0);
        assert_int_equal(lines->records[2].counts.samples, 1);
        encoding_group_release(sinks->members[i], lines);
    }
    assert_int_equal(line_encoder_calls(), 3);
    batch_release(batch);
}

TEST_WITH(the_same_memory_with_other_records_is_another_batch, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    const struct batch *before = NULL;
    for (char payload[] = "a"; payload[0] <= 'e'; payload[0]++) {
        const char expected[] = {payload[0], '\n', 0};
        struct batch *batch = line_batch_make(sinks->pool, payload, 1);
        const struct encoded_batch *lines;
        assert_true(before == NULL || before == batch);
        assert_int_equal(take(sinks, 0, batch, &lines), ENCODING_TAKEN);
        assert_lines(lines, expected, 1);
        encoding_group_release(sinks->members[0], lines);
        before = batch;
        batch_release(batch);
    }
}

struct other {
    struct sinks *sinks;
    const struct batch *batch, *later;
    enum encoding_result result;
};

/* While the first sink encodes: the second one comes, and goes on to a later batch. */
static void come_meanwhile(void *context)
{
    struct other *other = context;
    line_encoder_set_hook(NULL, NULL);
    other->result = pass(other->sinks, 1, other->batch);
    encoding_group_prepare(other->sinks->members[1], other->sinks->encoders[1], other->later);
}

TEST_WITH(a_batch_in_another_sinks_hands_is_not_waited_for, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    struct batch *batch = line_batch_make(sinks->pool, "now", 1);
    struct batch *later = line_batch_make(sinks->pool, "later", 1);
    struct other other = {sinks, batch, later, ENCODING_NONE};
    line_encoder_set_hook(come_meanwhile, &other);
    assert_int_equal(pass(sinks, 0, batch), ENCODING_TAKEN);
    assert_int_equal(other.result, ENCODING_BUSY);
    assert_int_equal(pass(sinks, 1, batch), ENCODING_TAKEN);
    assert_int_equal(pass(sinks, 0, later), ENCODING_TAKEN);
    assert_int_equal(line_encoder_calls(), 2);
    batch_release(batch);
    batch_release(later);
}

/* --- by itself -------------------------------------------------------------------------------- */

TEST_WITH(who_is_alone_encodes_by_itself, make_sinks, end_sinks)
{
    static const struct encoder_options other = {.view = VIEW_MESSAGE};
    struct sinks *sinks = *state;
    struct encoding_member *alone = encoding_group_join(sinks->groups, &line_encoder, &other);
    struct batch *batch = line_batch_make(sinks->pool, "x", 1);
    const struct encoded_batch *lines;
    assert_int_equal(encoding_group_take(alone, sinks->encoders[0], batch, &lines), ENCODING_NONE);
    struct encoding_member *friend = encoding_group_join(sinks->groups, &line_encoder, &other);
    assert_int_equal(encoding_group_take(alone, sinks->encoders[0], batch, &lines), ENCODING_TAKEN);
    encoding_group_release(alone, lines);
    encoding_group_leave(friend);
    assert_int_equal(encoding_group_take(alone, sinks->encoders[0], batch, &lines), ENCODING_NONE);
    encoding_group_leave(alone);
    batch_release(batch);
}

TEST_WITH(large_batches_are_encoded_by_each, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    struct batch *batch = batch_acquire(sinks->pool, true);
    assert_int_equal(pass(sinks, 0, batch), ENCODING_NONE);
    batch_release(batch);
}

TEST_WITH(of_what_has_no_room_each_encodes_the_rest, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    static char line[20000];
    const struct encoded_batch *lines;
    memset(line, 'l', sizeof line - 1);
    struct batch *batch = line_batch_make(sinks->pool, line, 3);
    const struct record *rest = batch->last;
    line_batch_add(batch, "!", 1); /* fits no room at all */
    rest = rest->next;
    line_batch_add(batch, "x", 1);
    assert_int_equal(take(sinks, 0, batch, &lines), ENCODING_TAKEN);
    assert_int_equal(lines->count, 3);
    assert_int_equal(lines->size, 3 * sizeof line);
    assert_ptr_equal(lines->rest, rest);
    encoding_group_release(sinks->members[0], lines);
    batch_release(batch);
}

TEST_WITH(no_more_records_are_kept_than_there_is_room_for, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    const struct encoded_batch *lines;
    struct batch *batch = line_batch_make(sinks->pool, "-", 300);
    /* More than a batch of this size has in earnest, whose records have messages. */
    static struct record more[ENCODED_RECORDS];
    for (size_t i = 0; i < ENCODED_RECORDS; i++) {
        more[i] = *batch->first;
        batch_append(batch, &more[i]);
    }
    assert_int_equal(take(sinks, 0, batch, &lines), ENCODING_TAKEN);
    assert_int_equal(lines->count, ENCODED_RECORDS);
    assert_ptr_equal(lines->rest, &more[ENCODED_RECORDS - 300]);
    encoding_group_release(sinks->members[0], lines);
    batch_release(batch);
}

/* --- who is behind ---------------------------------------------------------------------------- */

TEST_WITH(a_sink_that_stands_still_takes_no_room_from_the_others, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    struct batch *batches[BATCHES];
    for (size_t i = 0; i < BATCHES; i++) {
        batches[i] = line_batch_make(sinks->pool, "x", 1);
        assert_int_equal(pass(sinks, 0, batches[i]), ENCODING_TAKEN);
        assert_int_equal(pass(sinks, 1, batches[i]), ENCODING_TAKEN);
    }
    assert_int_equal(line_encoder_calls(), BATCHES);
    /* It goes on: what is long gone it encodes by itself, and what is still there it takes. */
    for (size_t i = 0; i < BATCHES; i++)
        assert_int_equal(pass(sinks, 2, batches[i]),
                         i < BATCHES - ENCODED_MOST ? ENCODING_NONE : ENCODING_TAKEN);
    assert_int_equal(line_encoder_calls(), BATCHES);
    for (size_t i = 0; i < BATCHES; i++)
        batch_release(batches[i]);
}

TEST_WITH(lines_that_are_in_use_are_not_replaced, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    const struct encoded_batch *lines[ENCODED_MOST];
    struct batch *batches[ENCODED_MOST + 1];
    for (size_t i = 0; i <= ENCODED_MOST; i++) {
        char payload[] = {(char)('a' + i), 0};
        batches[i] = line_batch_make(sinks->pool, payload, 1);
        enum encoding_result wanted = i < ENCODED_MOST ? ENCODING_TAKEN : ENCODING_NONE;
        assert_int_equal(take(sinks, 0, batches[i], &lines[i < ENCODED_MOST ? i : 0]), wanted);
    }
    for (size_t i = 0; i < ENCODED_MOST; i++) {
        const char expected[] = {(char)('a' + i), '\n', 0};
        assert_lines(lines[i], expected, 1);
        encoding_group_release(sinks->members[0], lines[i]);
    }
    assert_int_equal(pass(sinks, 0, batches[ENCODED_MOST]), ENCODING_TAKEN);
    for (size_t i = 0; i <= ENCODED_MOST; i++)
        batch_release(batches[i]);
}

/* --- coming and going ------------------------------------------------------------------------- */

/* While the first sink encodes: the others leave, and take room with them. */
static void leave_meanwhile(void *context)
{
    struct sinks *sinks = context;
    line_encoder_set_hook(NULL, NULL);
    for (size_t i = 1; i < SINKS; i++) {
        encoding_group_leave(sinks->members[i]);
        sinks->members[i] = NULL;
    }
}

TEST_WITH(what_is_encoded_meanwhile_outlives_those_who_leave, make_sinks, end_sinks)
{
    struct sinks *sinks = *state;
    struct batch *batches[3];
    const struct encoded_batch *lines[3];
    for (size_t i = 0; i < 3; i++)
        batches[i] = line_batch_make(sinks->pool, "kept", 1);
    assert_int_equal(take(sinks, 0, batches[0], &lines[0]), ENCODING_TAKEN);
    assert_int_equal(pass(sinks, 0, batches[1]), ENCODING_TAKEN);
    line_encoder_set_hook(leave_meanwhile, sinks);
    assert_int_equal(take(sinks, 0, batches[2], &lines[2]), ENCODING_TAKEN);
    assert_lines(lines[0], "kept\n", 1);
    assert_lines(lines[2], "kept\n", 1);
    encoding_group_release(sinks->members[0], lines[0]);
    encoding_group_release(sinks->members[0], lines[2]);
    for (size_t i = 0; i < 3; i++)
        batch_release(batches[i]);
}

TEST(memory_grows_with_those_who_share)
{
    assert_int_equal(encoding_group_memory(0), 0);
    assert_true(encoding_group_memory(1) < sizeof(struct encoded_batch));
    assert_true(encoding_group_memory(2) >= 2 * ENCODED_EACH * sizeof(struct encoded_batch));
    assert_true(encoding_group_memory(100) < (ENCODED_MOST + 1) * sizeof(struct encoded_batch));
}
