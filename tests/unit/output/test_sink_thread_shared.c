/* A sink that writes what another one has encoded: the same bytes and the same counts. */
#include <stdlib.h>
#include <string.h>

#include "collector/output/encoding_group.h"
#include "collector/platform/thread.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/output/line_encoder.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

/* The fake sink, and the test in the place of another one that writes the same. */
struct pair {
    struct fake_sink *fake;
    struct encoding_groups *groups;
    struct encoding_member *other;
    struct encoder *encoder; /* the other's */
};

static struct pair pair;

static int make_pair(void **state)
{
    void *fake;
    line_encoder_reset();
    fake_sink_set_up(&fake);
    pair.fake = fake;
    pair.groups = encoding_groups_create();
    pair.encoder = line_encoder_create();
    pair.fake->options.encoder = &line_encoder;
    pair.fake->options.encodings = pair.groups;
    pair.other = encoding_group_join(pair.groups, &line_encoder, &pair.fake->options.encoding);
    assert_non_null(pair.other);
    *state = &pair;
    return 0;
}

static int end_pair(void **state)
{
    (void)state;
    fake_sink_tear_down(NULL);
    encoding_group_leave(pair.other);
    encoding_groups_destroy(pair.groups);
    line_encoder.destroy(pair.encoder);
    return 0;
}

/* Records for the sink that are counted as queued; more may be added before the offer. */
static struct batch *make(struct fake_sink *fake, const char *payload, size_t count)
{
    struct batch *batch = line_batch_make(fake->pool, payload, count);
    atomic_fetch_add(&fake->counters->in_flight, (int64_t)count);
    fake->queued += count;
    return batch;
}

static void add(struct fake_sink *fake, struct batch *batch, const char *payload, size_t count)
{
    line_batch_add(batch, payload, count);
    atomic_fetch_add(&fake->counters->in_flight, (int64_t)count);
    fake->queued += count;
}

/* The other sink is first with it. */
static void encode_first(const struct batch *batch)
{
    const struct encoded_batch *lines;
    assert_int_equal(encoding_group_take(pair.other, pair.encoder, batch, &lines), ENCODING_TAKEN);
    encoding_group_release(pair.other, lines);
}

static void assert_wrote(const struct fake_sink *fake, const char *text)
{
    assert_int_equal(fake->size, strlen(text));
    assert_memory_equal(fake->bytes, text, fake->size);
}

TEST_WITH(what_another_sink_has_encoded_is_written, make_pair, end_pair)
{
    struct fake_sink *fake = pair.fake;
    (void)state;
    fake_sink_start(fake);
    struct batch *batch = make(fake, "a", 2);
    add(fake, batch, "-", 1);
    add(fake, batch, "bc", 1);
    encode_first(batch);
    fake_sink_offer(fake, 0, batch);
    fake_sink_finish(fake);
    assert_wrote(fake, "a\na\nbc\n");
    assert_int_equal(line_encoder_calls(), 4);
    assert_int_equal(counter_read(&fake->counters->written), 3);
    assert_int_equal(counter_read(&fake->counters->filtered), 1);
    assert_int_equal(counter_read(&fake->counters->lines), 3);
    assert_int_equal(counter_read(&fake->counters->samples), 3);
}

TEST_WITH(what_no_sink_can_keep_for_others_fails_for_each, make_pair, end_pair)
{
    struct fake_sink *fake = pair.fake;
    (void)state;
    fake_sink_start(fake);
    struct batch *batch = make(fake, "a", 1);
    add(fake, batch, "!", 1);
    add(fake, batch, "b", 1);
    fake_sink_offer(fake, 0, batch);
    fake_sink_finish(fake);
    assert_wrote(fake, "a\nb\n");
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_TOO_LARGE]), 1);
}

/* More records than a block follows at a time, and more bytes, in pieces of all sizes. */
TEST_WITH(a_destination_that_takes_pieces_gets_every_line, make_pair, end_pair)
{
    struct fake_sink *fake = pair.fake;
    static const char *const payloads[] = {"one", "-", "three", "of seventeen long"};
    size_t lines = 0;
    (void)state;
    fake->random_pieces = 11;
    fake_sink_start(fake);
    for (size_t i = 0; i < 200; i++) {
        while (atomic_load(&fake->counters->in_flight) > 20000)
            fake_sink_wait_committed(fake, fake->queued - 20000);
        struct batch *batch = make(fake, payloads[i % 4], 100);
        add(fake, batch, payloads[(i + 1) % 4], 300);
        if (i % 3 != 0)
            encode_first(batch);
        lines += (i % 4 == 1 ? 0 : 100) + (i % 4 == 0 ? 0 : 300);
        fake_sink_offer(fake, i % FAKE_QUEUES, batch);
    }
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->lines), lines);
    assert_int_equal(counter_read(&fake->counters->bytes), fake->size);
    for (size_t at = 0; at < fake->size; lines--) {
        const char *end = memchr(fake->bytes + at, '\n', fake->size - at);
        assert_non_null(end);
        size_t size = (size_t)(end - fake->bytes) - at;
        size_t expected = fake->bytes[at] == 'o' && size == 3 ? 0 : fake->bytes[at] == 't' ? 2 : 3;
        assert_int_equal(size, strlen(payloads[expected]));
        assert_memory_equal(fake->bytes + at, payloads[expected], size);
        at += size + 1;
    }
    assert_int_equal(lines, 0);
}

TEST_WITH(lines_of_another_fail_with_the_reader, make_pair, end_pair)
{
    static const struct fake_write script[] = {{WRITE_OK, 3}, {WRITE_CLOSED, 0}};
    struct fake_sink *fake = pair.fake;
    (void)state;
    fake->script = script;
    fake->script_length = 2;
    fake_sink_start(fake);
    struct batch *batch = make(fake, "a", 4);
    struct batch *later = make(fake, "b", 4);
    encode_first(batch);
    encode_first(later);
    fake_sink_offer(fake, 0, batch);
    fake_sink_offer(fake, 0, later);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 1);
    assert_int_equal(counter_read(&fake->counters->failed[FAILED_READER_GONE]), 7);
}

/* --- another at work -------------------------------------------------------------------------- */

struct slow {
    _Atomic bool begun, go_on;
    const struct batch *batch;
};

/* Only the first one waits: the sink's own come later. */
static void wait_to_go_on(void *context)
{
    struct slow *slow = context;
    int64_t until = patience_until();
    if (atomic_exchange(&slow->begun, true))
        return;
    while (!atomic_load(&slow->go_on) && patience(until))
        ;
}

static void encode_slowly(void *context)
{
    encode_first(((struct slow *)context)->batch);
}

TEST_WITH(a_sink_does_not_wait_for_one_that_is_slow_to_encode, make_pair, end_pair)
{
    struct fake_sink *fake = pair.fake;
    static struct slow slow;
    struct thread *thread;
    struct error error;
    (void)state;
    fake_sink_start(fake);
    struct batch *batch = make(fake, "a", 1);
    struct batch *later = make(fake, "b", 1);
    batch_retain(batch); /* the other's */
    batch_retain(later);
    slow.batch = batch;
    line_encoder_set_hook(wait_to_go_on, &slow);
    assert_int_equal(thread_start(&thread, "slow", encode_slowly, &slow, &error), 0);
    int64_t until = patience_until();
    while (!atomic_load(&slow.begun))
        assert_true(patience(until));
    fake_sink_offer(fake, 0, batch);
    fake_sink_offer(fake, 0, later);
    fake_sink_wait_committed(fake, 2);
    atomic_store(&slow.go_on, true);
    thread_join(thread);
    size_t calls = line_encoder_calls();
    encode_first(later); /* the sink has done that for both */
    assert_int_equal(line_encoder_calls(), calls);
    batch_release(batch);
    batch_release(later);
    fake_sink_finish(fake);
    assert_wrote(fake, "a\nb\n");
}
