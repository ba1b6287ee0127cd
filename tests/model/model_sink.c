/*
 * A model of a producer's fan-out and a sink's thread, which sleeps while its queues are empty.
 * Each record must be written or refused. The sink must wake up for the last record and for the
 * end. No batch may be used after its release.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/contract/destination_stream.h"
#include "collector/output/fan_out.h"
#include "collector/output/sink_thread.h"
#include "collector/platform/wakeup.h"
#include "collector/record/batch.h"
#include "tests/model/explorer.h"

static struct {
    struct batch_pool *pool;
    struct sink_counters *counters;
    struct offer_counters *offers;
    struct sink_thread *sink;
    struct fan_out *fan_out;
    struct wakeup *taken; /* signalled after a record was written */
    size_t offered, written;
} shared;

/* --- a destination that takes everything ------------------------------------------------------ */

static enum write_result take_bytes(struct destination *destination, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    (void)destination;
    (void)bytes;
    (void)error;
    *written = size;
    shared.written += size;
    wakeup_signal(shared.taken);
    return WRITE_OK;
}

static wait_handle no_handle(const struct destination *destination)
{
    (void)destination;
    return NO_HANDLE;
}

static void destroy_destination(struct destination *destination)
{
    (void)destination;
}

static struct destination destination;

static int create_destination(const struct destination_options *options, struct destination **out,
                              struct error *error)
{
    static const struct stream_ops stream = {.write = take_bytes, .handle = no_handle};
    (void)options;
    (void)error;
    destination.stream = &stream;
    destination.destroy = destroy_destination;
    *out = &destination;
    return 0;
}

static const struct destination_ops to_nowhere = {.scheme = "model", .create = create_destination};

/* --- an encoder of one byte a record ---------------------------------------------------------- */

static const struct encoder_ops of_one_byte;

static struct encoder *create_encoder(const struct encoder_options *options)
{
    static struct encoder encoder = {.ops = &of_one_byte};
    (void)options;
    return &encoder;
}

static void destroy_encoder(struct encoder *encoder)
{
    (void)encoder;
}

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)encoder;
    (void)listener;
    output_char(out, (char)record->data[0]);
    return (struct encoded){.lines = 1};
}

static const struct encoder_ops of_one_byte = {.name = "model",
                                               .binary = true,
                                               .create = create_encoder,
                                               .destroy = destroy_encoder,
                                               .encode = encode};

/* --- the model -------------------------------------------------------------------------------- */

static void set_up(void)
{
    struct error error;
    static const struct sink_settings settings = {.at_once = true, .encoder = &of_one_byte};
    const struct sink_thread_options options = {.name = "model:",
                                                .destination = &to_nowhere,
                                                .path = "",
                                                .settings = &settings,
                                                .record_size = 4096,
                                                .counters = shared.counters =
                                                    calloc(1, sizeof *shared.counters)};
    shared.offers = calloc(1, sizeof *shared.offers);
    shared.pool = batch_pool_create(1, 0);
    shared.offered = 0;
    shared.written = 0;
    if (sink_thread_create(&shared.sink, &options, &error) != 0 ||
        sink_thread_open(shared.sink, &error) != 0 || wakeup_create(&shared.taken, &error) != 0 ||
        fan_out_create(&shared.fan_out, 2, FAN_OUT_NEVER_WAITS, &error) != 0)
        abort();
    const struct fan_out_sink to = {.name = "model:",
                                    .sink = shared.sink,
                                    .queue = sink_thread_add_queue(shared.sink, 2, 1, false),
                                    .offers = shared.offers,
                                    .in_flight = &shared.counters->in_flight};
    if (fan_out_add_sink(shared.fan_out, &to, &error) != 0 ||
        sink_thread_start(shared.sink, &error) != 0)
        abort();
}

static void offer(void)
{
    struct batch *batch = batch_acquire(shared.pool, false);
    if (batch == NULL)
        return;
    struct record *record = arena_allocate(&batch->arena, sizeof *record);
    uint8_t *byte = arena_allocate(&batch->arena, 1);
    *byte = 'r';
    *record = (struct record){.data = byte, .size = 1};
    batch->first = record;
    batch->last = record;
    batch->count = 1;
    shared.offered++;
    fan_out_offer(shared.fan_out, batch);
}

/*
 * Fills the only batch again if it was released already. This must not race with a thread that
 * still reads the batch.
 */
static void fill_again(void)
{
    struct batch *batch = batch_acquire(shared.pool, false);
    if (batch == NULL)
        return;
    for (size_t i = 0; i < sizeof(struct record); i++)
        batch->arena.base[i] = 0;
    batch_release(batch);
}

/*
 * Waits until the record was written before it closes the fan-out, so that only the record wakes
 * the sleeping sink.
 */
static void produce(void)
{
    offer();
    fill_again();
    wakeup_wait(shared.taken, NO_HANDLE, false, -1);
    fan_out_close(shared.fan_out);
}

static void check(void)
{
    struct batch_pool_levels levels = batch_pool_levels(shared.pool);
    uint64_t refused = 0;
    for (size_t i = 0; i < REFUSAL_COUNT; i++)
        refused += counter_read(&shared.offers->refused[i]);
    uint64_t queued = counter_read(&shared.offers->queued);
    model_expect(counter_read(&shared.offers->offered) == shared.offered &&
                     shared.offered == queued + refused,
                 "what was offered does not balance");
    model_expect(queued == shared.written + counter_read(&shared.counters->evicted),
                 "what was queued does not balance");
    model_expect(atomic_load(&shared.counters->in_flight) == 0, "something is in flight");
    model_expect(levels.small_free == levels.small, "a batch is not back");
}

const struct model model_sink = {"sink that sleeps", set_up, {produce}, check};
