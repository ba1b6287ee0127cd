/* Makes the state of each listener, at start or during a reload. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_SOURCES_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

struct config;
struct error;
struct listener_config;
struct pipeline;
struct rate_limit;
struct schema_list;
struct source;

/*
 * Makes the source of the listener at `index` of a configuration, or reuses the source of a removed
 * listener. Takes ownership of the list in any case. Returns NULL with `error` filled on failure.
 */
struct source *pipeline_add_source(struct pipeline *pipeline, const struct config *whole,
                                   size_t index, struct schema_list *list, struct error *error);

/* Copies settings from the configuration; called while no thread uses the source. */
void pipeline_set_source(struct pipeline *pipeline, struct source *source,
                         const struct listener_config *config);

/* Returns true if a sink writes whole datagrams; listeners must keep them then. */
bool pipeline_wants_packets(const struct config *config);

/* Sets whether the listener keeps whole datagrams, and undecoded datagrams, for the sinks. */
void pipeline_set_keeps(struct source *source, const struct config *whole);

/*
 * Makes the configured rate limit and stores it in *limit (NULL: no limit). Returns 0, or -1 with
 * `error` filled.
 */
int pipeline_make_rate_limit(const struct listener_config *config, struct rate_limit **limit,
                             struct error *error);

#endif
