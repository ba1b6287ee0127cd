/*
 * What reaches the main thread from outside: the operator's wishes, and news from other threads.
 *
 * One per process, created before any thread so that all inherit its signal mask. The main thread
 * waits; control_notify may be called from any thread. Windows, which has no such signals, reports
 * Ctrl-C and Ctrl-Break, and each counts; the closing of the console and the system's going
 * down, after which the process is left about 4 s; and what `sluice ctl` asks for
 * (collector/platform/control_send.h). CMake picks the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CONTROL_H
#define SLUICE_COLLECTOR_PLATFORM_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

struct control;

enum control_event {
    CONTROL_TIMEOUT,
    CONTROL_NOTICE, /* somebody called control_notify */
    CONTROL_STOP,   /* SIGTERM, SIGINT; Ctrl-C and the console's other events */
    CONTROL_LEDGER, /* SIGUSR1 */
    CONTROL_REOPEN, /* SIGHUP */
    CONTROL_READY,  /* a handle that is watched has something, or has gone */
    CONTROL_FAILED, /* the system did not wait, and this paused for a millisecond instead */
};

/* A handle to watch for what is named; that it has gone is reported in any case. */
struct control_watch {
    wait_handle handle;
    bool want_read;
    bool want_write;
};

/* Handles that can be watched at a time. */
#define CONTROL_WATCHED_MAX 16

/*
 * Also makes a write to a closed pipe, or past a file's limit, an error rather than a signal.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int control_create(struct control **out, struct error *error);
void control_destroy(struct control *control);

/* What does not work of it, a line for the log that lives as long as it does; NULL: all works. */
const char *control_doubt(const struct control *control);

/* The number by which `sluice ctl`, and kill(1) where there is one, find this process. */
unsigned long control_process_id(void);

void control_notify(struct control *control);

/*
 * Waits for the next event, of these `count` (at most CONTROL_WATCHED_MAX) handles too, for at most
 * `timeout_ms` milliseconds (negative: for ever). Signals and notices are reported first.
 */
enum control_event control_wait(struct control *control, const struct control_watch *watched,
                                size_t count, int timeout_ms);

#endif
