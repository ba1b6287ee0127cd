/* Whether parts of a configuration use one file by two names. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PLACES_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PLACES_H

#include <stdbool.h>

struct config;
struct error;
struct sink_config;

/*
 * Whether no two of sinks, spills, dead letters, --control and captures use one file by two names,
 * as far as their files are there, or their folders. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_paths(const struct config *config, struct error *error);

/* Whether two sinks write to one place, by whatever names. */
bool pipeline_sinks_meet(const struct sink_config *a, const struct sink_config *b);

#endif
