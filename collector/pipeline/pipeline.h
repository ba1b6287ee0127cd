/*
 * The pipeline: everything between the listeners and the sinks. Starts it, changes it while it
 * runs, and stops it.
 *
 * Lifecycle: create (everything is opened; nothing runs), start, (reopen, reload, snapshot, state)
 * while it runs, stop, finish, destroy. A pipeline whose listeners are all captures ends by itself
 * when the last capture has been read. Only the main thread calls these functions; other threads
 * call `notify` when the state may have changed.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/ledger/ledger.h"
#include "collector/pipeline/memory_plan.h"
#include "collector/queue/tap.h"
#include "collector/senders/sender_report.h"

struct pipeline;

struct pipeline_options {
    const struct config *config; /* outlives the pipeline */
    uint64_t reserved;           /* bytes of the budget for parts outside the pipeline */

    /* Called from any thread when pipeline_state may have changed. */
    void (*notify)(void *context);
    void *notify_context;

    /* For tests that need a slow receiver or sink: called before each receive and each write. */
    void (*before_receive)(void *context);
    void (*before_write)(void *context);
    void *hook_context;
};

enum pipeline_state {
    PIPELINE_RUNNING,
    PIPELINE_COMPLETE, /* the pipeline should be stopped: max_datagrams have arrived, a socket
                          failed, no sink is left, or a sink with on_epipe=stop has ended */
    PIPELINE_FINISHED, /* all threads have finished their work */
};

/*
 * Plans the memory of a start with this configuration. Reads the senders' keys. `reserved` is as in
 * struct pipeline_options. Returns 0, or -1 with `error` filled.
 */
int pipeline_plan_memory(const struct config *config, uint64_t reserved, struct memory_plan *plan,
                         struct error *error);

/*
 * Checks whether the configuration can run. Reads schemas, keys and captures. Does not read a
 * schema or a capture from a pipe, because the run could not read the same bytes again. `reserved`
 * is as in struct pipeline_options. Returns 0, or -1 with `error` filled.
 */
int pipeline_check(const struct config *config, uint64_t reserved, struct error *error);

/*
 * Checks whether all schemas of the configuration can be made, without logging their warnings.
 * Returns 0, or -1 with `error` filled; the error begins with the place of the wrong key, if that
 * key is in a file.
 */
int pipeline_check_schemas(const struct config *config, struct error *error);

/*
 * Checks whether the files of sinks and dead letters, and the socket of --control, can be opened.
 * Uses the rights of this process, but the rights of --user for files that are opened after the
 * start. Creates nothing. Separate from pipeline_check because a Windows service runs under an
 * account whose rights its installer does not have. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_outputs(const struct config *config, struct error *error);

/*
 * Connects to the far end of each sink, one after the other, for at most
 * config->request.check_timeout_ns each, and logs the results. Returns EXIT_CODE_OK if all were
 * reached, EXIT_CODE_CONFIG if a far end rejects the settings, else EXIT_CODE_NOT_REACHED. Call it
 * after pipeline_check and pipeline_check_outputs.
 */
enum exit_code pipeline_probe_sinks(const struct config *config);

/*
 * Opens captures, binds sockets, opens destinations, and allocates all memory. Returns 0, or -1
 * with `error` filled after it has closed everything.
 */
int pipeline_create(struct pipeline **out, const struct pipeline_options *options,
                    struct error *error);

/*
 * Starts the threads. Returns 0, or -1 with `error` filled; the caller then destroys the pipeline.
 */
int pipeline_start(struct pipeline *pipeline, struct error *error);

/*
 * Returns the state. First does the work that a reload left for later, such as freeing removed
 * sinks. Call it after each `notify` and at pipeline_due_ns (monotonic; INT64_MAX: nothing is due).
 */
enum pipeline_state pipeline_state(struct pipeline *pipeline);
int64_t pipeline_due_ns(const struct pipeline *pipeline);

/*
 * Returns the address that a listener (its index in the configuration) is bound to; all zero for a
 * capture.
 */
struct address pipeline_address(const struct pipeline *pipeline, size_t listener);

/* Returns how the budget is divided, including options->reserved. Valid until the next reload. */
const struct memory_plan *pipeline_plan(const struct pipeline *pipeline);

/*
 * Returns a listener's name in the ledger, by its index in the configuration; valid until the next
 * reload.
 */
const char *pipeline_listener_name(const struct pipeline *pipeline, size_t listener);

/* Returns true if all listeners are captures. */
bool pipeline_is_offline(const struct pipeline *pipeline);

/*
 * Makes sinks and dead letters reopen their files by name: rotating files are completed, and
 * commands are restarted.
 */
void pipeline_reopen(struct pipeline *pipeline);

/*
 * Reopens plain files and dead letters that were moved away; called after a refused reload. Does
 * not complete rotating files or restart commands.
 */
void pipeline_reopen_moved(struct pipeline *pipeline);

/*
 * Reads the schemas of all listeners again and replaces the old schemas, or keeps all old ones if a
 * new schema cannot be made. Batches in flight keep their schemas. The other threads continue while
 * the files are read. On success the function also reopens files as pipeline_reopen does. Returns
 * 0, or -1 with `error` filled.
 */
int pipeline_reload(struct pipeline *pipeline, struct error *error);

/*
 * Switches to another configuration: adds, removes and changes listeners and sinks, and reads all
 * schemas again. If a part fails, nothing is changed. Parts that do not change lose no record. Kept
 * sinks and dead letters are then reopened as by pipeline_reopen. Refuses changes of options that
 * are fixed at start (threads, shared memory, the control address). Takes ownership of `config`,
 * which was allocated by malloc, in any case. Returns 0, or -1 with `error` filled.
 */
int pipeline_apply_config(struct pipeline *pipeline, struct config *config, struct error *error);

/*
 * Returns the name of a listener or sink whose thread is stuck, or NULL. A thread is stuck if it
 * has completed no round since the previous call, unless it waits for input, for room in a queue or
 * for a destination. Captures and dead letters are not checked: their threads only read and write.
 */
const char *pipeline_stuck(struct pipeline *pipeline);

/*
 * pipeline_tap returns the object that copies records to clients of --control, or NULL without
 * --control. pipeline_senders returns the report of the senders, or NULL if there is neither
 * --control nor --metrics.
 */
struct tap *pipeline_tap(struct pipeline *pipeline);
struct sender_report *pipeline_senders(struct pipeline *pipeline);

/*
 * Returns the present ledger. Waits up to 200 ms for each receiver to read the kernel's drops.
 * Returns NULL if memory is short.
 */
struct ledger_snapshot *pipeline_snapshot(struct pipeline *pipeline);

/* Like pipeline_snapshot, but does not wait: the kernel's drops are those that were read last. */
struct ledger_snapshot *pipeline_glance(const struct pipeline *pipeline);

/*
 * Begins to stop: sockets are drained, rings and sinks are flushed. Records that are left at
 * `deadline_ns` (monotonic; INT64_MAX: no deadline) are given up. A later call can only bring the
 * deadline forward.
 */
void pipeline_stop(struct pipeline *pipeline, int64_t deadline_ns);

/*
 * Returns the number of open connections of all listeners. It can be called at any time; after
 * pipeline_stop the number only decreases.
 */
size_t pipeline_connections(const struct pipeline *pipeline);

/*
 * Returns the number of files that the present and the ending sinks have completed. A change after
 * pipeline_stop shows that a sink still works.
 */
uint64_t pipeline_completed_files(const struct pipeline *pipeline);

/*
 * Replaces pipeline_finish if a thread hangs: returns the ledger as far as it is known, marked as
 * incomplete. NULL if memory is short; freed with ledger_snapshot_free.
 */
struct ledger_snapshot *pipeline_known(const struct pipeline *pipeline);

/*
 * Waits for all threads and closes everything. Returns the final ledger (valid until the pipeline
 * is destroyed), or NULL if memory is short.
 */
struct ledger_snapshot *pipeline_finish(struct pipeline *pipeline);

/*
 * Returns the name of a listener or sink whose thread still hangs in a system call some time after
 * the deadline, or NULL. Only a disk or a network file system that does not answer can cause that;
 * all other waits end at the deadline.
 */
const char *pipeline_hanging(const struct pipeline *pipeline);

/*
 * Returns the exit code of a finished pipeline. It reflects damaged captures, failed sockets and
 * failed sinks.
 */
enum exit_code pipeline_exit_code(const struct pipeline *pipeline,
                                  const struct ledger_snapshot *final);

/* Destroys a pipeline after pipeline_finish, or after a failed create or start. NULL is allowed. */
void pipeline_destroy(struct pipeline *pipeline);

#endif
