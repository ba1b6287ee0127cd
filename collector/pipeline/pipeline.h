/*
 * Everything between the listeners and the sinks, and the order in which it starts and stops.
 *
 * Lifecycle: create (everything is opened; nothing runs), start, (reopen, reload, snapshot, state)
 * while it runs, stop, finish, destroy. It comes to an end by itself when its listeners are all
 * captures and all have ended. One thread, the main one, calls all of these; `notify` wakes it from
 * other threads that the state may have changed.
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
    uint64_t reserved;           /* bytes of the budget that parts outside the pipeline take */

    /* Called from any thread: look at pipeline_state. */
    void (*notify)(void *context);
    void *notify_context;

    /* For tests that need a slow receiver or sink: called before each receive, each write. */
    void (*before_receive)(void *context);
    void (*before_write)(void *context);
    void *hook_context;
};

enum pipeline_state {
    PIPELINE_RUNNING,
    PIPELINE_COMPLETE, /* there is reason to stop: max_datagrams came, a socket failed, no sink is
                          left, or one has ended with on_epipe=stop */
    PIPELINE_FINISHED, /* all threads have done all they will do */
};

/*
 * Whether the configuration could run, as far as that can be said without opening anything but
 * schemas and captures, and of those only regular files: a pipe's bytes are for the run itself.
 * `reserved` as in struct pipeline_options. Returns 0, or -1 with `error` filled.
 */
int pipeline_check(const struct config *config, uint64_t reserved, struct error *error);

/*
 * Whether the files of sinks and dead letters, and the socket of --control, can be had: with the
 * rights of this process, and those that are opened after the start with those of --user. Nothing
 * is made. Apart from pipeline_check, since a service of Windows runs as an account of its own,
 * whose rights nobody has who installs it. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_outputs(const struct config *config, struct error *error);

/*
 * Tries the far end of each sink, one after the other, each for config->check_timeout_ns at most,
 * and logs what came of it. Returns EXIT_CODE_OK where all were reached, EXIT_CODE_CONFIG where one
 * refuses what is set, else EXIT_CODE_NOT_REACHED. After both of the checks above.
 */
enum exit_code pipeline_probe_sinks(const struct config *config);

/*
 * Opens captures, binds sockets, opens destinations, and takes all memory. Returns 0, or -1 with
 * `error` filled; then nothing stays open.
 */
int pipeline_create(struct pipeline **out, const struct pipeline_options *options,
                    struct error *error);

/* Starts the threads. Returns 0, or -1 with `error` filled: then destroy it. */
int pipeline_start(struct pipeline *pipeline, struct error *error);

/*
 * It also sees to what a reload has left to be done, which is why it is to be asked when `notify`
 * was called, and at pipeline_due_ns (monotonic; INT64_MAX: nothing is due).
 */
enum pipeline_state pipeline_state(struct pipeline *pipeline);
int64_t pipeline_due_ns(const struct pipeline *pipeline);

/* The address that a listener (its index in the configuration) is bound to; zero for a capture. */
struct address pipeline_address(const struct pipeline *pipeline, size_t listener);

/* How the budget is divided now, with what is of options->reserved; until the next reload. */
const struct memory_plan *pipeline_plan(const struct pipeline *pipeline);

/* What the ledger calls a listener (its index in the configuration); until the next reload. */
const char *pipeline_listener_name(const struct pipeline *pipeline, size_t listener);

/* All listeners are captures. */
bool pipeline_is_offline(const struct pipeline *pipeline);

/*
 * Sinks that have a name open it anew, and so do dead letters: files that rotate are completed, and
 * commands are started anew.
 */
void pipeline_reopen(struct pipeline *pipeline);

/*
 * What a refused reload does: plain files and dead letters that were moved away are opened anew.
 * Files that rotate are not cut, and commands are not started anew.
 */
void pipeline_reopen_moved(struct pipeline *pipeline);

/*
 * Makes the schemas of all listeners anew, as the configuration says, and puts them in the place of
 * the old ones: all, or, where one of them cannot be made, none. Batches on their way keep the
 * schemas that they have. That may take as long as reading files takes; nobody but the caller waits
 * for it. Where there are new schemas, it reopens as pipeline_reopen does. Returns 0, or -1 with
 * `error` filled.
 */
int pipeline_reload(struct pipeline *pipeline, struct error *error);

/*
 * Takes over another configuration: listeners and sinks are added, taken away and changed, those
 * that it leaves alone miss nothing, and the schemas of all are made anew: all of it or, where
 * something of it cannot be had, nothing. Those sinks that stay, and dead letters, are then
 * reopened as pipeline_reopen does. What does not run between two options (threads, memory
 * that is shared, where control listens) cannot be changed, and is refused. `config`, which was
 * allocated, is the pipeline's in any case. Returns 0, or -1 with `error` filled.
 */
int pipeline_apply_config(struct pipeline *pipeline, struct config *config, struct error *error);

/*
 * The name of a listener or sink whose thread neither waits, for datagrams, frames, records, room
 * in a queue or a destination, nor has come round since this was last asked: it is stuck. NULL:
 * none is. Captures and dead letters are not looked at: their threads only read and write.
 */
const char *pipeline_stuck(struct pipeline *pipeline);

/*
 * What passes to the sinks, NULL where the configuration has no `control`; and who sends it, NULL
 * where it has neither that nor `metrics`.
 */
struct tap *pipeline_tap(struct pipeline *pipeline);
struct sender_report *pipeline_senders(struct pipeline *pipeline);

/* The ledger now, the kernel's drops freshly read; NULL where memory is short. */
struct ledger_snapshot *pipeline_snapshot(struct pipeline *pipeline);

/* The same with the kernel's drops as they were last read: nobody is asked, or waited for. */
struct ledger_snapshot *pipeline_glance(const struct pipeline *pipeline);

/*
 * Begins to stop: sockets are drained, rings and sinks flushed; what is left at `deadline_ns`
 * (monotonic; INT64_MAX: none) is given up. Calling it again brings the deadline forward.
 */
void pipeline_stop(struct pipeline *pipeline, int64_t deadline_ns);

/* Any time: connections that are open, of all listeners. After the stop their number only falls. */
size_t pipeline_connections(const struct pipeline *pipeline);

/*
 * Instead of pipeline_finish, where a thread hangs: the last ledger as far as it is known, marked
 * as incomplete. NULL where memory is short; freed with ledger_snapshot_free.
 */
struct ledger_snapshot *pipeline_known(const struct pipeline *pipeline);

/*
 * Waits for all threads and closes all. Returns the final ledger (valid until the pipeline is
 * destroyed), or NULL where memory is short.
 */
struct ledger_snapshot *pipeline_finish(struct pipeline *pipeline);

/*
 * Some time after the deadline: the name of the listener or sink whose thread has not come back
 * from the operating system, or NULL. That is a file on a disk or in a network that does not
 * answer; whatever else may keep a reader or writer waiting ends with the deadline.
 */
const char *pipeline_hanging(const struct pipeline *pipeline);

/* The exit code of a pipeline that has finished: damaged captures, failed sockets and sinks. */
enum exit_code pipeline_exit_code(const struct pipeline *pipeline,
                                  const struct ledger_snapshot *final);

/* Frees it, after the finish, or after a create or start that failed. NULL is allowed. */
void pipeline_destroy(struct pipeline *pipeline);

#endif
