/*
 * Tests a sink that relays datagrams. Each gets its own outcome, and a datagram that waits is not
 * lost.
 */
#include <stdio.h>
#include <string.h>

#include "collector/contract/destination_relay.h"
#include "collector/output/relay_writer.h"
#include "collector/platform/clock.h"
#include "tests/support/log/heard.h"
#include "tests/support/output/fake_sink.h"
#include "tests/support/test.h"

#define MOST 4096

/*
 * A relay that behaves as these fields say. Only the sink's thread uses them, except where marked.
 */
static struct {
    struct destination destination;
    _Atomic size_t full;      /* number of sends that find no room next; used by any thread */
    _Atomic bool first_fails; /* the next send fails; used by any thread */
    _Atomic size_t sends;
    size_t per_send; /* datagrams that one call sends before there is no room; 0 means no limit */
    size_t at;       /* number of datagrams that were sent */
    /* Outcome of each datagram: "." sent, "l" too long, "s" without a source, "f" failed. */
    const char *fates;
    size_t count;
    char got[MOST];
    size_t used;
} relay;

static enum relay_outcome fate_of(size_t number)
{
    char fate = relay.fates != NULL && number < strlen(relay.fates) ? relay.fates[number] : '.';
    return fate == 'l'   ? RELAY_TOO_LARGE
           : fate == 's' ? RELAY_NO_SOURCE
           : fate == 'f' ? RELAY_FAILED
                         : RELAY_SENT;
}

static bool send_some(struct destination *destination, struct relay_datagram *datagrams,
                      size_t count, struct error *error)
{
    (void)destination;
    atomic_fetch_add(&relay.sends, 1);
    size_t before = relay.at;
    for (; relay.at < count; relay.at++) {
        struct relay_datagram *datagram = &datagrams[relay.at];
        bool enough = relay.per_send != 0 && relay.at - before == relay.per_send;
        if (enough || atomic_load(&relay.full) != 0) {
            if (!enough)
                atomic_fetch_sub(&relay.full, 1);
            return false;
        }
        datagram->outcome = fate_of(relay.count++);
        if (atomic_exchange(&relay.first_fails, false))
            datagram->outcome = RELAY_FAILED;
        datagram->sent = datagram->outcome == RELAY_SENT;
        error_set(error, EXIT_CODE_IO, "the relay refuses");
        if (datagram->outcome == RELAY_SENT && relay.used + datagram->size < MOST) {
            memcpy(relay.got + relay.used, datagram->data, datagram->size);
            relay.used += datagram->size;
        }
    }
    relay.at = 0;
    return true;
}

static void cancel(struct destination *destination, struct relay_datagram *datagrams, size_t count)
{
    (void)destination;
    for (; relay.at < count; relay.at++)
        datagrams[relay.at].outcome = RELAY_FAILED;
    relay.at = 0;
}

static void destroy(struct destination *destination)
{
    (void)destination;
}

static const struct relay_ops relay_ops = {.send = send_some, .cancel = cancel};

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    (void)options;
    (void)error;
    relay.destination = (struct destination){.relay = &relay_ops, .destroy = destroy};
    *out = &relay.destination;
    return 0;
}

static const struct destination_ops relay_destination = {
    .scheme = "relay", .takes = TAKES_DATAGRAMS, .create = create};

static int set_up(void **state)
{
    int result = fake_sink_set_up(state);
    struct fake_sink *fake = *state;
    memset(&relay, 0, sizeof relay);
    fake->options.destination = &relay_destination;
    return result;
}

static void push_letters(struct fake_sink *fake, const char *letters)
{
    for (; *letters != '\0'; letters++) {
        const char text[] = {*letters, '\0'};
        fake_sink_push(fake, 0, text, 1);
    }
}

static uint64_t failed(const struct fake_sink *fake, enum record_failure reason)
{
    return counter_read(&fake->counters->failed[reason]);
}

TEST_WITH(datagrams_are_passed_on_in_their_order, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    push_letters(fake, "abcdefghij");
    fake_sink_finish(fake);
    assert_int_equal(relay.used, 20);
    assert_memory_equal(relay.got, "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", 20);
    assert_int_equal(counter_read(&fake->counters->written), 10);
    assert_int_equal(counter_read(&fake->counters->lines), 10);
    assert_int_equal(counter_read(&fake->counters->bytes), 20);
}

TEST_WITH(what_the_system_has_no_room_for_is_sent_later_and_once, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    relay.per_send = 3;
    atomic_store(&relay.full, 5);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "x", 100);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 100);
    assert_int_equal(relay.used, 200);
    assert_in_range(atomic_load(&relay.sends), 100 / 3, 1000);
}

TEST_WITH(each_that_is_not_sent_fails_by_its_reason_and_no_other_does, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    relay.fates = ".l.sf..ff.";
    fake_sink_start(fake);
    push_letters(fake, "abcdefghij");
    fake_sink_finish(fake);
    assert_memory_equal(relay.got, "a\nc\nf\ng\nj\n", 10);
    assert_int_equal(counter_read(&fake->counters->written), 5);
    assert_int_equal(failed(fake, FAILED_TOO_LARGE), 1);
    assert_int_equal(failed(fake, FAILED_NO_SOURCE), 1);
    assert_int_equal(failed(fake, FAILED_SEND_ERROR), 3);
}

TEST_WITH(the_log_says_how_many_were_not_sent_where_there_are_any, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    heard_begin();
    fake_sink_start(fake);
    push_letters(fake, "ab");
    fake_sink_wait_committed(fake, 2);
    assert_int_equal(heard(""), 0);
    atomic_store(&relay.first_fails, true);
    fake_sink_push(fake, 0, "c", 5);
    fake_sink_finish(fake);
    heard_end();
    assert_int_equal(heard(""), 1);
    assert_int_equal(heard("1 of 5 datagrams were not sent: the relay refuses"), 1);
}

/* The datagrams need several groups, and each group uses the memory of an earlier one. */
TEST_WITH(more_than_fits_one_call_is_passed_on_all_the_same, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    for (int i = 0; i < 20; i++)
        fake_sink_push(fake, (size_t)i % FAKE_QUEUES, "y", 97);
    fake_sink_push(fake, 0, "*60000", 5);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 20 * 97 + 5);
    assert_int_equal(counter_read(&fake->counters->bytes), 20 * 97 * 2 + 5 * 60001);
}

TEST_WITH(what_no_datagram_can_hold_fails_as_too_large, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "*200000", 1);
    push_letters(fake, "ab");
    fake_sink_finish(fake);
    assert_int_equal(failed(fake, FAILED_TOO_LARGE), 1);
    assert_int_equal(counter_read(&fake->counters->written), 2);
}

TEST_WITH(a_deadline_gives_up_what_there_is_never_room_for, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    atomic_store(&relay.full, SIZE_MAX);
    fake_sink_start(fake);
    fake_sink_push(fake, 0, "x", 10);
    /* These datagrams come after the first ten, for which there is no room. */
    fake_sink_push(fake, 1, "y", 2 * RELAY_MOST);
    sink_thread_stop(fake->sink, clock_monotonic_ns());
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 0);
    assert_int_equal(failed(fake, FAILED_STOP_TIMEOUT), 10 + 2 * RELAY_MOST);
    assert_int_equal(failed(fake, FAILED_IO_ERROR), 0);
}

TEST_WITH(with_an_interval_datagrams_are_sent_when_it_is_over, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.flush_interval = 1000000;
    fake_sink_start(fake);
    push_letters(fake, "ab");
    fake_sink_wait_committed(fake, 2);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 2);
}

TEST_WITH(a_sink_of_datagrams_takes_more_memory_than_they_do, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    size_t bytes;
    assert_true(sink_thread_memory(&fake->options, &bytes));
    assert_true(bytes > relay_writer_memory());
}

/* --- undecoded datagrams ---------------------------------------------------------------------- */

static void push_raw(struct fake_sink *fake, const char *payload, size_t records, size_t raw)
{
    struct batch *batch = fake_sink_make(fake, payload, records + raw);
    struct record *record = batch->first;
    struct record **link = &batch->first;
    batch->last = NULL;
    for (size_t i = 0; i < records; i++) {
        batch->last = record;
        link = &record->next;
        record = record->next;
    }
    *link = NULL;
    batch->count = (uint32_t)records;
    while (record != NULL) {
        struct record *next = record->next;
        batch_append_raw(batch, record);
        record = next;
    }
    fake->queued -= raw; /* undecoded datagrams do not count as records */
    atomic_fetch_sub(&fake->counters->in_flight, (int64_t)raw);
    fake_sink_offer(fake, 0, batch);
}

TEST_WITH(undecoded_datagrams_are_passed_on_and_counted_by_themselves, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake->settings.relay.raw = true;
    relay.fates = ".....f.l";
    fake_sink_start(fake);
    push_raw(fake, "x", 4, 4);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 4);
    assert_int_equal(counter_read(&fake->counters->raw_sent), 2);
    assert_int_equal(counter_read(&fake->counters->raw_refused), 2);
    assert_int_equal(relay.used, 12);
}

TEST_WITH(undecoded_datagrams_go_only_to_sinks_that_take_them, set_up, fake_sink_tear_down)
{
    struct fake_sink *fake = *state;
    fake_sink_start(fake);
    push_raw(fake, "x", 4, 4);
    fake_sink_finish(fake);
    assert_int_equal(counter_read(&fake->counters->written), 4);
    assert_int_equal(counter_read(&fake->counters->raw_sent), 0);
    assert_int_equal(counter_read(&fake->counters->raw_refused), 0);
}
