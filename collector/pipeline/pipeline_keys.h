/*
 * Makes the tables of senders' keys (senders/sender_keys.h) for the listeners of sealed datagrams.
 * Listeners that read the same keys file share a table. Main thread.
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
 * Makes the table of each sealed listener in `tables`, by the listener's index, and opens state
 * files that are not open yet. The entry of any other listener is NULL. The caller releases the
 * tables. Keys that present or leaving listeners use keep their sessions. Returns 0, or -1 with
 * `error` filled and no table.
 */
int pipeline_make_keys(struct pipeline *pipeline, const struct config *config,
                       struct sender_keys **tables, struct error *error);

/*
 * Called for each new table when a reload is committed, while the receivers are paused. If the new
 * table has another state file, it does not know which datagrams were accepted until now; this
 * function makes its keys refuse these datagrams.
 */
void pipeline_follow_keys(const struct pipeline *pipeline, const struct sender_keys *keys);

/*
 * Sets the table of a source that no thread uses, and releases its old table. Takes ownership of
 * `keys`, which may be NULL.
 */
void pipeline_give_keys(struct source *source, struct sender_keys *keys);

/*
 * Starts the threads that write the state files, for files opened since the last call. Returns 0,
 * or -1 with `error` filled.
 */
int pipeline_start_states(const struct pipeline *pipeline, struct error *error);

/* Writes all state files for the last time, after the receivers have ended. May be called again. */
void pipeline_close_states(struct pipeline *pipeline);

#endif
