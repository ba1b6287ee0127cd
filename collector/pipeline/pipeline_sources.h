/* What the pipeline has for each listener, also where it is made while others run. */
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
 * Makes the source of the listener at `index` of a configuration, or takes up a retired one; the
 * list becomes its own in any case. Returns NULL with `error` filled.
 */
struct source *pipeline_add_source(struct pipeline *pipeline, const struct config *whole,
                                   size_t index, struct schema_list *list, struct error *error);

/* What of it follows from the configuration alone, while nobody uses it. */
void pipeline_set_source(struct pipeline *pipeline, struct source *source,
                         const struct listener_config *config);

/* Whether a sink writes datagrams whole, so that listeners are to keep them. */
bool pipeline_wants_packets(const struct config *config);

/* What the listener keeps for the configuration's sinks: datagrams whole, those not decoded. */
void pipeline_set_keeps(struct source *source, const struct config *whole);

/* Makes the limit that the configuration has. Returns 0 with *limit (NULL: none), or -1. */
int pipeline_make_rate_limit(const struct listener_config *config, struct rate_limit **limit,
                             struct error *error);

#endif
