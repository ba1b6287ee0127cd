#include "collector/config_tests/config_test_output.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/contract/destination_files.h"
#include "collector/contract/destination_relay.h"
#include "collector/contract/destination_stream.h"

struct kept_destination {
    struct destination destination;
    struct config_test_output *output;
};

static struct config_test_output *output_of(const struct destination *destination)
{
    return ((const struct kept_destination *)destination)->output;
}

static enum write_result output_append(struct destination *destination, const void *bytes,
                                       size_t size, struct error *error)
{
    struct growing_text *kept = &output_of(destination)->kept;
    growing_text_put(kept, bytes, size);
    if (!kept->failed)
        return WRITE_OK;
    error_no_memory(error);
    return WRITE_FAILED;
}

/* --- a stream --------------------------------------------------------------------------------- */

static enum write_result write_stream(struct destination *destination, const void *bytes,
                                      size_t size, size_t *written, struct error *error)
{
    RULE(size != 0, "a stream writes at least one byte");
    *written = size;
    return output_append(destination, bytes, size, error);
}

static wait_handle no_handle(const struct destination *destination)
{
    (void)destination;
    return NO_HANDLE;
}

static bool output_is_empty(const struct destination *destination)
{
    return output_of(destination)->kept.used == 0;
}

static const struct stream_ops stream_ops = {
    .write = write_stream,
    .handle = no_handle,
    .at_beginning = output_is_empty,
};

/* --- a file set ------------------------------------------------------------------------------- */

/*
 * The size of the only block in bytes. There is one block because the output of a test is one
 * file.
 */
#define BLOCK_SIZE ARRANGED_SIZE

static enum write_result output_write_block(struct destination *destination, size_t block,
                                            const void *bytes, size_t size, struct error *error)
{
    RULE(block == 0 && size != 0, "a file set of one block writes this block, not empty");
    return output_append(destination, bytes, size, error);
}

static int64_t never(const struct destination *destination)
{
    (void)destination;
    return INT64_MAX;
}

static bool nothing_is_due(struct destination *destination)
{
    (void)destination;
    return false;
}

static void nothing_to_rotate(struct destination *destination, bool all, bool empty)
{
    (void)destination;
    (void)all;
    (void)empty;
}

static void nothing_to_finish(struct destination *destination)
{
    (void)destination;
}

static const struct file_set_ops file_set_ops = {
    .write = output_write_block,
    .due = never,
    .tick = nothing_is_due,
    .rotate = nothing_to_rotate,
    .finish = nothing_to_finish,
};

static bool shape_file_set(const struct destination_options *options,
                           struct destination_shape *shape)
{
    (void)options;
    *shape = (struct destination_shape){.blocks = 1, .block_size = BLOCK_SIZE, .arranged = true};
    return true;
}

/* --- a relay ---------------------------------------------------------------------------------- */

static bool output_send_all(struct destination *destination, struct relay_datagram *datagrams,
                            size_t count, struct error *error)
{
    struct growing_text *kept = &output_of(destination)->kept;
    RULE(count >= 1 && count <= RELAY_MOST, "a relay sends 1 to RELAY_MOST datagrams at once");
    for (size_t i = 0; i < count; i++) {
        growing_text_put_hex(kept, datagrams[i].data, datagrams[i].size, SIZE_MAX);
        if (datagrams[i].size == 0)
            growing_text_put(kept, "\n", 1);
        datagrams[i].outcome = kept->failed ? RELAY_FAILED : RELAY_SENT;
        datagrams[i].sent = 1;
    }
    if (kept->failed)
        error_no_memory(error);
    return true;
}

static void output_give_up(struct destination *destination, struct relay_datagram *datagrams,
                           size_t count)
{
    (void)destination;
    for (size_t i = 0; i < count; i++)
        datagrams[i].outcome = RELAY_FAILED;
}

static const struct relay_ops relay_ops = {.send = output_send_all, .cancel = output_give_up};

/* --- making a destination --------------------------------------------------------------------- */

static void output_destroy(struct destination *destination)
{
    free(destination);
}

/*
 * Creates the destination. `options->path` points to the first member of the output, so it leads to
 * the output.
 */
static int create_as(const struct destination_options *options, const struct destination kind,
                     struct destination **out, struct error *error)
{
    struct kept_destination *made = malloc(sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->destination = kind;
    made->output = (struct config_test_output *)(uintptr_t)options->path;
    *out = &made->destination;
    return 0;
}

static int create_stream(const struct destination_options *options, struct destination **out,
                         struct error *error)
{
    const struct destination kind = {.stream = &stream_ops, .destroy = output_destroy};
    return create_as(options, kind, out, error);
}

static int create_file_set(const struct destination_options *options, struct destination **out,
                           struct error *error)
{
    const struct destination kind = {.file_set = &file_set_ops, .destroy = output_destroy};
    return create_as(options, kind, out, error);
}

static int create_relay(const struct destination_options *options, struct destination **out,
                        struct error *error)
{
    const struct destination kind = {.relay = &relay_ops, .destroy = output_destroy};
    return create_as(options, kind, out, error);
}

static const struct destination_ops kept_stream = {.scheme = "test", .create = create_stream};
static const struct destination_ops kept_file_set = {
    .scheme = "test", .shape = shape_file_set, .create = create_file_set};
static const struct destination_ops kept_relay = {
    .scheme = "test", .takes = TAKES_DATAGRAMS, .create = create_relay};

static const struct destination_ops *kind_for(const struct sink_config *sink)
{
    if (sink->destination->takes == TAKES_DATAGRAMS)
        return &kept_relay;
    return sink->settings.encoder->arrange != NULL ? &kept_file_set : &kept_stream;
}

void config_test_output_join(struct config_test_output *output, struct sink_config *sink)
{
    RULE(output->place[0] == '\0' && output->kept.used == 0,
         "an output is empty when it is joined");
    sink->destination = kind_for(sink);
    sink->path = output->place;
    sink->settings.flush_interval = 0;
    sink->overflow = OVERFLOW_AUTO; /* the test's input waits while the queue is full */
    sink->on_epipe = ON_EPIPE_END;
}
