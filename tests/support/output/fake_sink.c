#include "tests/support/output/fake_sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/base/random_number.h"
#include "tests/support/platform/patience.h"
#include "tests/support/record/batches_out.h"
#include "tests/support/test.h"

/*
 * There is only one fake at a time, because a destination gets only its path, which does not
 * identify a fake.
 */
static struct fake_sink fake;
static struct destination fake_destination;
static const char *own_thread;
static _Thread_local char here; /* its address identifies the thread */
static bool own_thread_known;

static void note_thread(void)
{
    if (!own_thread_known)
        own_thread = &here;
    own_thread_known = true;
    fake.strangers += own_thread != &here;
}

/* --- the destination -------------------------------------------------------------------------- */

static void destroy_destination(struct destination *destination)
{
    destination->stream = NULL;
}

static int create_destination(const struct destination_options *options, struct destination **out,
                              struct error *error)
{
    if (strcmp(options->path, "fake") != 0) {
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot create %s", options->path);
        return -1;
    }
    fake_destination.stream = &fake.stream;
    fake_destination.destroy = destroy_destination;
    own_thread_known = false;
    *out = &fake_destination;
    return 0;
}

static size_t accept(const void *bytes, size_t size, size_t most)
{
    size_t taken = most == 0 || most > size ? size : most;
    if (taken > FAKE_ROOM - fake.size)
        abort();
    memcpy(fake.bytes + fake.size, bytes, taken);
    fake.size += taken;
    return taken;
}

static enum write_result write_fake(struct destination *destination, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    (void)destination;
    note_thread();
    fake.strangers += size == 0; /* a write has at least one byte */
    size_t call = atomic_fetch_add(&fake.writes, 1);
    struct fake_write step = {WRITE_OK, 0};
    if (fake.reopen_mends && fake.reopens != 0)
        step.most = 0;
    else if (call < fake.script_length)
        step = fake.script[call];
    else if (fake.repeat_last)
        step = fake.script[fake.script_length - 1];
    else if (fake.random_pieces != 0)
        step.most = next_random(&fake.random_pieces) % 300 + 1;
    if (step.result == WRITE_OK)
        *written = accept(bytes, size, step.most);
    else if (step.result == WRITE_FAILED)
        error_set(error, EXIT_CODE_IO, "the fake fails");
    return step.result;
}

static wait_handle handle_of_fake(const struct destination *destination)
{
    (void)destination;
    note_thread();
    return fake.handle;
}

static bool roll_back(struct destination *destination, size_t size)
{
    (void)destination;
    note_thread();
    fake.taken_back = size;
    fake.roll_backs++;
    if (fake.cannot_roll_back || size > fake.size)
        return false;
    fake.size -= size;
    return true;
}

static bool at_beginning(const struct destination *destination)
{
    (void)destination;
    note_thread();
    return !fake.holds_already && fake.size == fake.opened_at;
}

static int reopen_fake(struct destination *destination, struct error *error)
{
    (void)destination;
    note_thread();
    fake.reopens++;
    fake.reopened_at = fake.size;
    if (!fake.reopen_fails) {
        fake.opened_at = fake.size;
        fake.holds_already = fake.reopen_holds;
        return 0;
    }
    error_set(error, EXIT_CODE_CANNOT_CREATE, "the fake does not open");
    return -1;
}

static const struct stream_ops fake_stream_ops = {
    .write = write_fake,
    .handle = handle_of_fake,
    .roll_back = roll_back,
    .at_beginning = at_beginning,
    .reopen = reopen_fake,
};

static const struct destination_ops fake_destination_ops = {
    .scheme = "fake",
    .place_is = PLACE_OWN_TEXT,
    .create = create_destination,
};

/* --- the encoder ------------------------------------------------------------------------------ */

static const struct encoder_ops fake_encoder_ops;

static struct encoder *create_encoder(const struct encoder_options *options)
{
    (void)options;
    struct encoder *encoder = malloc(sizeof *encoder);
    if (encoder != NULL)
        encoder->ops = &fake_encoder_ops;
    return encoder;
}

static void destroy_encoder(struct encoder *encoder)
{
    free(encoder);
}

static void put_many(struct output *out, char c, size_t count)
{
    char *at = output_reserve(out, count);
    if (at != NULL)
        memset(at, c, count);
    output_char(out, '\n');
}

static size_t encode_lines(const struct record *record, struct output *out)
{
    const char *payload = (const char *)record->data;
    size_t number = record->size > 1 ? (size_t)strtoul(payload + 1, NULL, 10) : 0;
    switch (payload[0]) {
    case '-':
        return 0;
    case '!':
        while (!out->overflow)
            put_many(out, '!', 100000);
        return 1;
    case '*':
        put_many(out, '*', number);
        return 1;
    case '#':
        for (size_t i = 0; i < number; i++) {
            output_bytes(out, payload, record->size);
            output_char(out, '\n');
        }
        return number;
    case '@':
        sink_thread_reopen(fake.sink);
        output_bytes(out, "@\n", 2);
        return 1;
    default:
        output_bytes(out, payload, record->size);
        output_char(out, '\n');
        return 1;
    }
}

/*
 * Writes the lines of the record. Each line is one sample, except that a payload "#N" has no
 * samples. The line of a payload "~" also has two values that JSON cannot express.
 */
static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)encoder;
    (void)listener;
    note_thread();
    size_t lines = encode_lines(record, out);
    return (struct encoded){.lines = lines,
                            .samples = record->data[0] == '#' ? 0 : lines,
                            .json_fallbacks = record->data[0] == '~' ? 2 : 0};
}

static void begin_file(struct encoder *encoder, struct output *out)
{
    (void)encoder;
    if (fake.head != NULL)
        output_bytes(out, fake.head, strlen(fake.head));
}

static const struct encoder_ops fake_encoder_ops = {
    .name = "fake",
    .create = create_encoder,
    .destroy = destroy_encoder,
    .begin = begin_file,
    .encode = encode,
};

/* --- the sink --------------------------------------------------------------------------------- */

static void notice_end(void *context)
{
    (void)context;
    atomic_fetch_add(&fake.notices, 1);
}

static void wait_at_gate(void *context)
{
    (void)context;
    int64_t until = patience_until();
    while (atomic_load(&fake.gate_shut) && patience(until))
        atomic_store(&fake.at_gate, true);
    atomic_store(&fake.at_gate, false);
}

int fake_sink_set_up(void **state)
{
    memset(&fake, 0, sizeof fake);
    own_thread_known = false;
    fake.handle = NO_HANDLE;
    fake.bytes = malloc(FAKE_ROOM);
    fake.ledger = ledger_create();
    fake.pool = batch_pool_create((size_t)2 * FAKE_CAPACITY, 4);
    assert_non_null(fake.bytes);
    assert_non_null(fake.ledger);
    assert_non_null(fake.pool);
    assert_int_equal(ledger_add_sink(fake.ledger, "fake"), 0);
    fake.counters = ledger_sink_block(fake.ledger, 0);
    fake.stream = fake_stream_ops;
    fake.settings = (struct sink_settings){.encoder = &fake_encoder_ops};
    fake.options = (struct sink_thread_options){
        .name = "fake:",
        .destination = &fake_destination_ops,
        .path = "fake",
        .settings = &fake.settings,
        .counters = fake.counters,
        .ended = notice_end,
        .before_write = wait_at_gate,
    };
    *state = &fake;
    return 0;
}

int fake_sink_tear_down(void **state)
{
    (void)state;
    if (fake.sink != NULL) { /* a test that failed before its end left the sink running */
        atomic_store(&fake.gate_shut, false);
        sink_thread_stop(fake.sink, 0);
        fake_sink_close(&fake);
        sink_thread_join(fake.sink);
        sink_thread_destroy(fake.sink);
    }
    batch_pool_destroy(fake.pool);
    ledger_destroy(fake.ledger);
    free(fake.bytes);
    return 0;
}

void fake_sink_make_closed(struct fake_sink *made)
{
    struct error error;
    if (sink_thread_create(&made->sink, &made->options, &error) != 0)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < FAKE_QUEUES; i++) {
        made->queues[i] = sink_thread_add_queue(made->sink, FAKE_CAPACITY, 1, false);
        assert_non_null(made->queues[i]);
    }
}

void fake_sink_create(struct fake_sink *made)
{
    struct error error;
    fake_sink_make_closed(made);
    if (sink_thread_open(made->sink, &error) != 0)
        fail_msg("%s", error.text);
}

void fake_sink_start(struct fake_sink *made)
{
    struct error error;
    fake_sink_create(made);
    if (sink_thread_start(made->sink, &error) != 0)
        fail_msg("%s", error.text);
}

struct batch *fake_sink_make_for_feed(struct fake_sink *made, const char *payload, size_t count)
{
    static const struct schema schema = {.name = "fake"};
    static const struct listener listener = {.index = 0, .name = "test"};
    int64_t until = patience_until();
    struct batch *batch;
    while ((batch = batch_acquire(made->pool, false)) == NULL)
        assert_true(patience(until));
    batch->listener = &listener;
    size_t size = strlen(payload);
    for (size_t i = 0; i < count; i++) {
        struct record *record = arena_allocate(&batch->arena, sizeof *record);
        char *data = arena_allocate(&batch->arena, size + 1);
        if (record == NULL || data == NULL)
            abort(); /* a batch has room for what tests put into one */
        memcpy(data, payload, size + 1);
        *record = (struct record){.listener = &listener,
                                  .schema = &schema,
                                  .data = (uint8_t *)data,
                                  .size = (uint32_t)size};
        batch_append(batch, record);
    }
    return batch;
}

struct batch *fake_sink_make(struct fake_sink *made, const char *payload, size_t count)
{
    struct batch *batch = fake_sink_make_for_feed(made, payload, count);
    /* Counts the records before the sink can finish them, as a receiver does. */
    atomic_fetch_add(&made->counters->in_flight, (int64_t)count);
    made->queued += count;
    return batch;
}

void fake_sink_offer(struct fake_sink *made, size_t queue, struct batch *batch)
{
    int64_t until = patience_until();
    while (batch_queue_ask(made->queues[queue], batch) != QUEUE_TAKEN)
        assert_true(patience(until));
    batch_queue_push(made->queues[queue], batch);
    sink_thread_notify(made->sink);
}

void fake_sink_push(struct fake_sink *made, size_t queue, const char *payload, size_t count)
{
    fake_sink_offer(made, queue, fake_sink_make(made, payload, count));
}

uint64_t fake_sink_committed(const struct fake_sink *made)
{
    const struct sink_counters *counters = made->counters;
    uint64_t sum = counter_read(&counters->written) + counter_read(&counters->filtered) +
                   counter_read(&counters->evicted) + counter_read(&counters->unknown);
    for (int i = 0; i < FAILURE_COUNT; i++)
        sum += counter_read(&made->counters->failed[i]);
    return sum;
}

void fake_sink_wait_committed(const struct fake_sink *made, uint64_t records)
{
    int64_t until = patience_until();
    while (fake_sink_committed(made) < records)
        if (!patience(until))
            fail_msg("%zu of %zu records committed", (size_t)fake_sink_committed(made),
                     (size_t)records);
}

void fake_sink_wait_writes(struct fake_sink *made, size_t writes)
{
    int64_t until = patience_until();
    while (atomic_load(&made->writes) < writes)
        assert_true(patience(until));
}

void fake_sink_wait_idle(const struct fake_sink *made)
{
    int64_t until = patience_until();
    while (!sink_thread_is_idle(made->sink))
        assert_true(patience(until));
}

/*
 * Waits until the sink's thread sleeps. A thread that is about to sleep also counts as idle, but
 * then checks for work once more. If the thread is idle and alive in three checks in a row, it
 * sleeps.
 */
void fake_sink_wait_asleep(const struct fake_sink *made)
{
    int64_t until = patience_until();
    for (int seen = 0; seen < 3;) {
        bool asleep = sink_thread_is_idle(made->sink) && sink_thread_is_alive(made->sink);
        seen = asleep ? seen + 1 : 0;
        if (!asleep)
            assert_true(patience(until));
    }
}

void fake_sink_close(struct fake_sink *made)
{
    for (size_t i = 0; i < FAKE_QUEUES; i++)
        batch_queue_close(made->queues[i]);
    sink_thread_notify(made->sink);
}

void fake_sink_join(struct fake_sink *made)
{
    int64_t until = patience_until();
    while (!sink_thread_has_finished(made->sink))
        assert_true(patience(until));
    sink_thread_join(made->sink);
    sink_thread_destroy(made->sink);
    made->sink = NULL;
    assert_int_equal(fake_sink_committed(made), made->queued);
    assert_int_equal(atomic_load(&made->counters->in_flight), 0);
    assert_int_equal(batches_out(made->pool), 0);
    assert_int_equal(made->strangers, 0);
    assert_true(atomic_load(&made->notices) >= 1);
}

void fake_sink_finish(struct fake_sink *made)
{
    fake_sink_close(made);
    fake_sink_join(made);
}

void fake_sink_assert_wrote(const struct fake_sink *made, const char *text, uint64_t records)
{
    size_t lines = 0;
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    if (made->size != strlen(text) || memcmp(made->bytes, text, made->size) != 0)
        fail_msg("wrote %.*s, not %s", (int)made->size, made->bytes, text);
    assert_int_equal(counter_read(&made->counters->lines), lines);
    assert_int_equal(counter_read(&made->counters->written), records);
}
