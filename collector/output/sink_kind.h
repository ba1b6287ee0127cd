/* Chooses the writer of a sink by the kind of its destination. */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_KIND_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_KIND_H

struct sink_thread_options;
struct sink_writer;

/* Returns a writer, which the caller completes by sink_writer_init, or NULL if memory is short. */
struct sink_writer *sink_kind_create_writer(const struct sink_thread_options *options);

#endif
