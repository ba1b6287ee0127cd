/* Computes the needs of a configuration, and checks whether it can run, without a pipeline. */
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

/* Returns a sink's options as its own configuration sets them. */
struct sink_thread_options pipeline_sink_options(const struct sink_config *config);

/*
 * Returns pipeline_sink_options with the values that depend on the whole configuration: room for
 * the longest record, and the disk space to keep free.
 */
struct sink_thread_options pipeline_sink_of(const struct config *config,
                                            const struct sink_config *sink);

/* Returns the bytes of a large batch, which has room for the longest message. */
size_t pipeline_large_batch(const struct config *config);

/*
 * Computes the needs that the memory plan divides. Threads that share a notifier also share a
 * fan-out. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int pipeline_count_needs(const struct config *config, const struct notifier_backend *notifier,
                         uint64_t reserved, struct memory_needs *needs, struct error *error);

/* Checks rules that involve several URLs or options. Returns 0, or -1 with `error` filled. */
int pipeline_check_config(const struct config *config, struct error *error);

/*
 * Makes the schemas of all listeners; equal lists are made once and shared. Checks that every sink
 * can write records of these schemas. Returns one list per listener, each with a reference for the
 * caller, in an array that the caller frees; or NULL with `error` filled.
 */
struct schema_list **pipeline_make_schemas(const struct config *config, struct error *error);

/* Calls `prepare` of each kind of source. Returns 0, or -1 with `error` filled. */
int pipeline_prepare_sources(const struct config *config, struct error *error);

#endif
