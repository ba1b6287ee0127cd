#include "collector/output/sink_kind.h"

#include "collector/output/delivery_writer.h"
#include "collector/output/file_set_writer.h"
#include "collector/output/relay_writer.h"
#include "collector/output/sink_options.h"
#include "collector/output/sink_thread_state.h"
#include "collector/output/stream_writer.h"
#include "collector/series/series_guard.h"

bool sink_thread_memory(const struct sink_thread_options *options, size_t *bytes)
{
    struct destination_shape shape;
    if (!sink_options_shape(options, &shape))
        return false;
    size_t record_size = sink_options_record_size(options);
    *bytes = sizeof(struct sink_thread) + shape.memory +
             encoder_memory(options->settings->encoder) +
             series_guard_memory(&options->settings->encoding.limits);
    if (options->destination->takes == TAKES_DATAGRAMS)
        *bytes += relay_writer_memory();
    else if (options->destination->takes == TAKES_BLOCKS)
        *bytes += delivery_writer_memory(&options->settings->delivery, record_size);
    else
        *bytes += shape.blocks == 0 ? stream_writer_memory(record_size)
                                    : file_set_writer_memory(&shape, record_size);
    return true;
}

struct sink_writer *sink_kind_create_writer(const struct sink_thread_options *options)
{
    struct destination_shape shape;
    if (!sink_options_shape(options, &shape))
        return NULL;
    if (options->destination->takes == TAKES_DATAGRAMS)
        return relay_writer_create();
    size_t record_size = sink_options_record_size(options);
    if (options->destination->takes == TAKES_BLOCKS)
        return delivery_writer_create(options, record_size);
    return shape.blocks == 0 ? stream_writer_create(record_size)
                             : file_set_writer_create(&shape, record_size);
}
