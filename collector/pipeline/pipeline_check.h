/* What a configuration means and needs, and whether it can be had: without a pipeline. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_CHECK_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "collector/output/sink_thread.h"

struct config;
struct error;
struct memory_needs;
struct notifier_backend;
struct schema_list;
struct sink_config;

/* What a sink is by its configuration alone. */
struct sink_thread_options pipeline_sink_options(const struct sink_config *config);

/*
 * The same with room for records of messages as long as the configuration has them: these are
 * written in a few times the bytes that they came in.
 */
struct sink_thread_options pipeline_sink_of(const struct config *config,
                                            const struct sink_config *sink);

/* Bytes that large batches need for the longest messages. */
size_t pipeline_large_batch(const struct config *config);

/*
 * Threads that share a notifier have one fan_out; others have each their own. Returns 0, or -1 with
 * `error` filled (EXIT_CODE_INTERNAL).
 */
int pipeline_count_needs(const struct config *config, const struct notifier_backend *notifier,
                         uint64_t reserved, struct memory_needs *needs, struct error *error);

/* What no URL alone can show. Returns 0, or -1 with `error` filled. */
int pipeline_check_config(const struct config *config, struct error *error);

/*
 * Makes the schemas of all listeners, of equal ones once, and checks that every sink can show them
 * as its keys say. Returns as many lists as there are listeners, in memory to be freed, a reference
 * in each, or NULL with `error` filled.
 */
struct schema_list **pipeline_make_schemas(const struct config *config, struct error *error);

/* Has the sources prepare for all listeners. Returns 0, or -1 with `error` filled. */
int pipeline_prepare_sources(const struct config *config, struct error *error);

#endif
