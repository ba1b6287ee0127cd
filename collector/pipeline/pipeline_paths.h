/* Finds parts of a configuration that use the same file by different names. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PATHS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PATHS_H

#include <stdbool.h>

struct config;
struct error;
struct sink_config;

/*
 * Checks that sinks, spills, dead letters and --control use different files, and that none of these
 * is a file that the configuration reads: captures, schemas, configuration files, and the files
 * that keys name. Finds a file under different names only if its folder exists. Returns 0, or -1
 * with `error` filled.
 */
int pipeline_check_paths(const struct config *config, struct error *error);

/* Returns true if two sinks write to the same file or destination, even under different names. */
bool pipeline_sinks_meet(const struct sink_config *a, const struct sink_config *b);

#endif
