/*
 * Code that the sources with connections share: tcp:// and unix:, and fd: with such sockets. A
 * stream server serves them (stream_server.h).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_SOURCE_H

#include "collector/contract/source.h"

/* Operations of struct source_ops. */
void stream_source_complete(struct listener_config *listener);
int stream_source_check(const struct listener_config *listener, struct error *error);
int stream_source_probe(const struct listener_config *listener, struct error *error);
size_t stream_source_threads(const struct listener_config *listener);
size_t stream_source_longest(const struct listener_config *listener);
size_t stream_source_memory(const struct listener_config *listener);
int stream_source_create(void **producer, struct source *source, struct ingest_thread *ingests,
                         const struct source_host *host, struct error *error);
const char *stream_source_fixed_key(const struct listener_config *from,
                                    const struct listener_config *to);
void stream_source_announce(const struct source *source, const struct source_host *host);

/*
 * Returns the reason for which the framing does not suit a stream, or NULL. Each source's `refuse`
 * calls this.
 */
const char *stream_source_refuse(const struct listener_config *listener);

extern const struct producer_ops stream_source_producer;

/* The operations that these sources share. */
#define STREAM_SOURCE                                                                              \
    .waits = true, .complete = stream_source_complete, .announce = stream_source_announce,         \
    .fixed_key = stream_source_fixed_key, .producer = &stream_source_producer,                     \
    .threads = stream_source_threads, .longest = stream_source_longest,                            \
    .memory = stream_source_memory, .create = stream_source_create,                                \
    .own_thread = "its connections are served by threads of their own"

#endif
