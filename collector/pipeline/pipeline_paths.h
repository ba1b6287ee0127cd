/* Finds parts of a configuration that use the same file by different names. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_PATHS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_PATHS_H

#include <stdbool.h>

struct config;
struct error;
struct sink_config;

/*
 * Checks that sinks, spills, dead letters and --control all use different files, and do not write to
 * a file that the configuration reads: captures, its own files, schemas, and the values of all keys
 * that are files, as far as the files or folders exist. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_paths(const struct config *config, struct error *error);

/* Whether two sinks write to the same file or destination, even by different names. */
bool pipeline_sinks_meet(const struct sink_config *a, const struct sink_config *b);

#endif
