/*
 * The keys of the senders of sealed datagrams (senders/sender_keys.h), which listeners share if
 * they read the same file. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_KEYS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct config;
struct error;
struct pipeline;
struct sender_keys;
struct source;

/*
 * Reads the keys files of all listeners, checks them, and sets *bytes to the memory of their keys.
 * Returns 0, or -1 with `error` filled.
 */
int pipeline_keys_memory(const struct config *config, uint64_t *bytes, struct error *error);

/*
 * Opens the state files that are not open yet, and makes the table of each listener that is sealed,
 * in `tables` by its index, for the caller to release; NULL for the others. Keys that the
 * pipeline's present or leaving listeners have keep their sessions. Returns 0, or -1 with `error`
 * filled and no table.
 */
int pipeline_make_keys(struct pipeline *pipeline, const struct config *config,
                       struct sender_keys **tables, struct error *error);

/*
 * Prepares a new table for the commit of a reload: if it has another state file, its keys refuse
 * the datagrams that the listeners accepted with these keys until now. Called while the receivers
 * are paused.
 */
void pipeline_follow_keys(const struct pipeline *pipeline, const struct sender_keys *keys);

/* Gives the table, which may be NULL, to a source that no thread uses. */
void pipeline_give_keys(struct source *source, struct sender_keys *keys);

/*
 * Starts the threads that write the state files; for files that were opened since the last call.
 * Returns 0, or -1 with `error` filled.
 */
int pipeline_start_states(const struct pipeline *pipeline, struct error *error);

/* Writes all state files for the last time, after the receivers have ended. May be called again. */
void pipeline_close_states(struct pipeline *pipeline);

#endif
