/*
 * What local clients may ask for, over the control socket: the ledger, the senders, the health, to
 * watch what passes; and what they may order.
 *
 * A client sends requests, a line each, and gets JSON, a line each:
 *
 *     ledger      the ledger now, as `--ledger json` prints it
 *     report      {"report":"..."}: the text that SIGUSR1 prints
 *     senders     the busiest senders (collector/senders/sender_report.h)
 *     levels      how full buffers and queues are, and what deliveries say of their connections and
 *                 requests, as the status page gets it (collector/status/levels_json.h)
 *     health      whether all is well, as /healthz says it (collector/health/health.h)
 *     tap GLOB    from now on the lines of matching samples, as format=json writes them, at most
 *                 CONTROL_TAP_LINES a second, until the client leaves; once a second
 *                 {"left_out_records":N} where records passed that were not looked at, or not shown
 *
 *     reload      as SIGHUP, and then {"reload":"done"}, or {"refused":"..."} with the reason
 *     stop        as SIGTERM: {"stop":"begun"} at once
 *
 * and {"error":"..."} for anything else. The last two are orders: they are carried out only for the
 * collector's own user and the administrator, also where the client does not wait for the answer.
 * Clients are few, all memory is taken at the creation, and
 * nothing here waits for a client.
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

/* What the service has done for a client. Called from control_service_serve. */
struct control_program {
    /* Appends the ledger in the form in which the program prints it. */
    void (*write_report)(void *context, const struct ledger_snapshot *snapshot, struct output *out);

    /* Returns 0, or -1 with `error` filled: it was refused. */
    int (*reload)(void *context, struct error *error);
    void (*stop)(void *context);
    void *context;

    const struct health_watch *health; /* outlives the service */
    int64_t stall_timeout_ns;          /* a client that takes nothing for so long is given up */
};

/*
 * Opens the socket at `address`. The pipeline outlives the service; `program` is copied; `encoder`
 * writes the lines of a tap (see tap_view_create). Returns 0, or -1 with `error` filled.
 */
int control_service_create(struct control_service **out, const char *address,
                           struct pipeline *pipeline, const struct control_program *program,
                           const struct encoder_ops *encoder, struct error *error);

/* Ends all clients and removes the socket. NULL is allowed. */
/* Gives its socket to the user that the program is about to become. Returns 0, or -1 with `error`.
 */
int control_service_give(const struct control_service *service, const char *user,
                         struct error *error);

void control_service_destroy(struct control_service *service);

/* Bytes that a service takes. */
size_t control_service_memory(void);

/*
 * What to wait for before the next control_service_serve: fills `watched` and returns how many; and
 * at what time (monotonic nanoseconds, INT64_MAX: any) it is to be called if none of them comes.
 */
size_t control_service_watch(struct control_service *service,
                             struct control_watch watched[CONTROL_WATCHED_MAX], int64_t now_ns,
                             int64_t *due_ns);

/* Does all that can be done now. */
void control_service_serve(struct control_service *service, int64_t now_ns);

#endif
