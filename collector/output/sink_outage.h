/*
 * Logs an outage of a sink's destination: one line when the outage begins, lines at growing
 * intervals while it lasts (log_trouble.h), and one line when it ends, with the outcomes of the
 * records since its beginning. Only the sink's thread, except where a function says otherwise.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_SINK_OUTAGE_H
#define SLUICE_COLLECTOR_OUTPUT_SINK_OUTAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log_trouble.h"
#include "collector/output/sink_thread.h"

/* Numbers of records of the sink that were not written since its start. */
struct outage_losses {
    uint64_t refused[REFUSAL_COUNT];
    uint64_t evicted, unknown;
    uint64_t failed[FAILURE_COUNT];
};

struct mutex;

struct sink_outage {
    struct log_trouble trouble;
    struct log_budget budget;    /* shared with the sink's other troubles */
    struct outage_losses before; /* the losses when this outage began. If earlier outages were not
                                  * logged, when the first of them began */
    int64_t noted_ns;            /* when sink_outage_note was last called with a reason
                                  * (monotonic) */
    bool has_reason;             /* `reason` is not empty */
    _Atomic bool is_open;        /* there is an outage */
    _Atomic uint64_t refused[REFUSAL_COUNT]; /* records refused by the sink's queues since its
                                                start */
    struct mutex *lock;                      /* guards the members below */
    char reason[SINK_REASON_SIZE]; /* the reason of the last failure; "" if the last write was
                                      accepted */
    int64_t reason_since_ns;       /* since when there is a reason (monotonic) */
    struct sink_past past;
};

/* Initialises a zeroed outage. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL). */
int sink_outage_init(struct sink_outage *outage, struct error *error);
void sink_outage_destroy(struct sink_outage *outage);

/*
 * Returns true if the caller must describe this failure: there was no outage, a log line is due, or
 * the reason that other threads see is a second old. Otherwise the caller need not make a text for
 * the failure.
 */
bool sink_outage_wants(const struct sink_outage *outage, int64_t now_ns);

/*
 * Notes a failure. `what` is the reason in the words of the system or the far end. Returns true if
 * the caller must call sink_outage_log. `counters` are those of the sink.
 */
bool sink_outage_note(struct sink_outage *outage, const struct sink_counters *counters,
                      const char *what);

/*
 * Sets the reason of a failure for other threads to read, and logs nothing. For failures after
 * which the records are not tried again. "" ends the reason.
 */
void sink_outage_set_reason(struct sink_outage *outage, const char *what);

/*
 * Logs the failure that was noted. `what` is as in sink_outage_note. `is_silent` means that nothing
 * has failed, but there is no answer. `waiting` says where records wait ("" or "; records wait
 * ...").
 */
void sink_outage_log(const struct sink_outage *outage, const char *name,
                     const struct sink_counters *counters, const char *what, bool is_silent,
                     const char *waiting);

/* Any thread: returns true if there is an outage. */
bool sink_outage_is_open(const struct sink_outage *outage);

/*
 * Logs the end of an outage and `how` it ended ("writing again"). Does nothing if there is no
 * outage.
 */
void sink_outage_end(struct sink_outage *outage, const char *name,
                     const struct sink_counters *counters, const char *how);

/* Logs the records that an outage has cost, because the sink ends during the outage. */
void sink_outage_leave(const struct sink_outage *outage, const char *name,
                       const struct sink_counters *counters);

/*
 * Returns when the outage must be noted again for its next log line (monotonic), or 0 if there is
 * no outage.
 */
int64_t sink_outage_due(const struct sink_outage *outage);

/* Any thread: copies the reason of the last failure, or "" if the last write was accepted. */
void sink_outage_copy_reason(const struct sink_outage *outage, char reason[SINK_REASON_SIZE]);

/* Any thread: copies the last outage that is over. */
void sink_outage_copy_past(const struct sink_outage *outage, struct sink_past *past);

/* Any thread: adds records that the sink's queues refused. */
void sink_outage_add_refused(struct sink_outage *outage, enum record_refusal reason,
                             uint64_t records);

#endif
