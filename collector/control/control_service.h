/*
 * Serves local clients over the control socket: the ledger, the senders, the health, a tap on the
 * records, and commands.
 *
 * A client sends requests, one line each, and gets JSON, one line each:
 *
 *     ledger      the ledger now, as `--ledger json` prints it
 *     report      {"report":"..."}: the text that SIGUSR1 prints
 *     senders     the busiest senders (collector/senders/sender_report.h)
 *     levels      how full buffers and queues are, and figures of deliveries' connections and
 *                 requests, as on the status page (collector/status/levels_json.h)
 *     health      the same report as /healthz (collector/health/health.h)
 *     tap GLOB    from now on the lines of matching samples, as format=json writes them, at most
 *                 CONTROL_TAP_LINES per second, until the client disconnects; once a second
 *                 {"left_out_records":N} if records were not examined, or not shown
 *
 *     reload      as SIGHUP, and then {"reload":"done"}, or {"refused":"..."} with the reason
 *     stop        as SIGTERM: {"stop":"begun"} at once
 *
 * and {"error":"..."} for anything else. The last two are commands: they are accepted only from the
 * collector's own user and the administrator, and are executed even if the client disconnects
 * before the answer. No function waits for a client. All memory is allocated by
 * control_service_create, except for answers larger than CONTROL_ANSWER_SIZE, until they are sent;
 * an answer larger than CONTROL_ANSWER_MOST becomes an error.
 *
 * There are CONTROL_CLIENTS slots. If all are used, a new client gets the slot of the one that has
 * been idle for the longest time (control_client_idles), or {"error":"too many clients"} if none
 * becomes idle within CONTROL_IDLE_NS.
 *
 * Lifecycle: create, then watch and serve in the main thread's loop, destroy before the pipeline.
 */
#ifndef SLUICE_COLLECTOR_CONTROL_CONTROL_SERVICE_H
#define SLUICE_COLLECTOR_CONTROL_CONTROL_SERVICE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/encoder.h"
#include "collector/platform/control.h"

#define CONTROL_CLIENTS   8
#define CONTROL_TAP_LINES 100

struct control_service;
struct health_watch;
struct ledger_snapshot;
struct output;
struct pipeline;

/* Callbacks for clients' requests. Called from control_service_serve. */
struct control_program {
    /* Appends the ledger in the format in which the program prints it. */
    void (*write_report)(void *context, const struct ledger_snapshot *snapshot, struct output *out);

    /* Returns 0, or -1 with `error` filled if the reload was refused. */
    int (*reload)(void *context, struct error *error);
    void (*stop)(void *context);
    void *context;

    const struct health_watch *health; /* outlives the service */
    int64_t stall_timeout_ns;          /* as in control_client_create */
};

/*
 * Opens the socket at `address`. The pipeline outlives the service; `program` is copied; `encoder`
 * writes the lines of a tap (see tap_view_create). Returns 0, or -1 with `error` filled.
 */
int control_service_create(struct control_service **out, const char *address,
                           struct pipeline *pipeline, const struct control_program *program,
                           const struct encoder_ops *encoder, struct error *error);

/*
 * Changes the socket's owner to the user that the program is about to become. Returns 0, or -1 with
 * `error` filled.
 */
int control_service_give(const struct control_service *service, const char *user,
                         struct error *error);

/* Ends all clients and removes the socket. NULL is allowed. */
void control_service_destroy(struct control_service *service);

/* Returns the size of a service's memory in bytes. */
size_t control_service_memory(void);

/*
 * Fills `watched` with the handles to wait for before the next control_service_serve, and returns
 * their number. *due_ns: when to call control_service_serve even without an event (monotonic;
 * INT64_MAX: never).
 */
size_t control_service_watch(struct control_service *service,
                             struct control_watch watched[CONTROL_WATCHED_MAX], int64_t now_ns,
                             int64_t *due_ns);

/* Serves all clients as far as possible without waiting. */
void control_service_serve(struct control_service *service, int64_t now_ns);

#endif
