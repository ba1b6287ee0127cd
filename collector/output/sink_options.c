#include "collector/output/sink_options.h"

struct destination_options sink_options_of_destination(const struct sink_thread_options *options)
{
    return (struct destination_options){
        .name = options->name,
        .scheme = options->destination->scheme,
        .path = options->path,
        .settings = options->settings,
        .reserve = options->reserve,
        .written = options->written,
        .block_size = sink_options_block_room(sink_options_record_size(options)),
        .stall_timeout_ns = options->stall_timeout_ns,
    };
}

bool sink_options_shape(const struct sink_thread_options *options, struct destination_shape *shape)
{
    struct destination_options of_destination = sink_options_of_destination(options);
    *shape = (struct destination_shape){0};
    return options->destination->shape == NULL ||
           options->destination->shape(&of_destination, shape);
}

int sink_options_refuse_absent(const struct destination_ops *destination, struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "%s: this program was built without this destination (%s)",
              destination->scheme, destination->absent);
    return -1;
}

int sink_thread_check(const struct sink_thread_options *options, struct error *error)
{
    const struct destination_ops *destination = options->destination;
    struct destination_options to = sink_options_of_destination(options);
    if (destination->absent != NULL)
        return sink_options_refuse_absent(destination, error);
    return destination->check == NULL ? 0 : destination->check(&to, error);
}

void sink_thread_probe(const struct sink_thread_options *options, int64_t timeout_ns,
                       struct error *said)
{
    struct destination_options to = sink_options_of_destination(options);
    options->destination->probe(&to, timeout_ns, said);
}

bool sink_thread_opens_later(const struct sink_thread_options *options)
{
    struct destination_shape shape;
    /* If memory is short, returns true, as if the destination opened files while it writes. */
    return !sink_options_shape(options, &shape) || shape.blocks != 0;
}
