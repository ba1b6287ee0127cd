/*
 * Tests that a sink that waits, for whatever reason, counts as alive, and that one that is stuck in
 * its own code does not.
 */

#include "tests/support/output/fake_sink.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/wait_end.h"
#include "tests/support/test.h"

/* Waits in the encoder while `encoding_shut` is true. */
static struct encoder_ops slow_encoder;
static const struct encoder_ops *usual_encoder;
static _Atomic bool encoding_shut;
static _Atomic bool encoding_held;

static struct encoded encode_slowly(struct encoder *encoder, const struct listener *listener,
                                    const struct record *record, struct output *out)
{
    int64_t until = patience_until();
    while (atomic_load(&encoding_shut) && patience(until))
        atomic_store(&encoding_held, true);
    return usual_encoder->encode(encoder, listener, record, out);
}

/* Waits until two calls in a row return `alive`. */
static void await_alive(struct fake_sink *fake, bool alive)
{
    int64_t until = patience_until();
    for (int times = 0; times < 2;) {
        times = sink_thread_is_alive(fake->sink) == alive ? times + 1 : 0;
        if (!patience(until))
            fail_msg("the sink is not %s", alive ? "alive" : "stuck");
    }
}

TEST_WITH(a_sink_with_nothing_to_do_is_alive, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "one", 1);
    fake_sink_wait_committed(fake, 1);
    fake_sink_wait_idle(fake);
    await_alive(fake, true);
    fake_sink_finish(fake);
}

TEST_WITH(a_sink_that_is_held_in_a_write_is_alive, fake_sink_set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    int64_t until = patience_until();
    fake_sink_start(fake);
    atomic_store(&fake->gate_shut, true);
    fake_sink_push(fake, 0, "one", 1);
    while (!atomic_load(&fake->at_gate))
        assert_true(patience(until));
    for (int i = 0; i < 3; i++)
        assert_true(sink_thread_is_alive(fake->sink));
    atomic_store(&fake->gate_shut, false);
    fake_sink_finish(fake);
}

TEST_WITH(a_sink_that_waits_for_its_reader_is_alive, fake_sink_set_up, fake_sink_tear_down)
{
    static const struct fake_write script[] = {{WRITE_WOULD_BLOCK, 0}};
    struct fake_sink *fake = *state;
    struct wait_end *end = wait_end_open(END_OF_PIPE);
    wait_end_fill(end);
    fake->handle = wait_end_handle(end);
    fake->script = script;
    fake->script_length = 1;
    fake->repeat_last = true;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "one", 1);
    fake_sink_wait_writes(fake, 1);
    await_alive(fake, true);
    sink_thread_stop(fake->sink, 0);
    fake_sink_finish(fake);
    wait_end_close(end);
}

TEST_WITH(a_sink_that_is_stuck_while_it_encodes_is_not_until_it_goes_on, fake_sink_set_up,
          fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    int64_t until = patience_until();
    usual_encoder = fake->settings.encoder;
    slow_encoder = *usual_encoder;
    slow_encoder.encode = encode_slowly;
    fake->settings.encoder = &slow_encoder;
    atomic_store(&encoding_shut, true);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "one", 1);
    while (!atomic_load(&encoding_held))
        assert_true(patience(until));
    await_alive(fake, false);
    atomic_store(&encoding_shut, false);
    fake_sink_wait_committed(fake, 1);
    fake_sink_wait_idle(fake);
    await_alive(fake, true);
    fake_sink_finish(fake);
}
