/*
 * Control of the process from outside: signals, notices, and the control socket.
 *
 * A port provides the events of the main thread (struct control), what `sluice ctl` needs to send one of
 * them (control_send) and to ask (control_ask), and the local socket that answers
 * (struct control_socket).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CONTROL_H
#define SLUICE_COLLECTOR_PLATFORM_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"
#include "collector/text/output.h"

/* --- events of the main thread ---------------------------------------------------------------- */

/*
 * What reaches the main thread from outside: the operator's wishes, and news from other threads.
 *
 * One per process, created before any thread so that all inherit its signal mask. The main thread
 * waits; control_notify may be called from any thread. Windows, which has no such signals, reports
 * Ctrl-C and Ctrl-Break, and each counts; the closing of the console and the system's going
 * down, after which the process is left about 4 s; and what `sluice ctl` asks for
 * (collector/platform/control.h).
 */

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

/* --- telling another process ------------------------------------------------------------------ */

/*
 * Telling a collector that runs on this machine what to do, as `sluice ctl` does: by a signal, or,
 * where there are none, by an event of that process (collector/platform/control.h).
 *
 * Any thread.
 */

/*
 * Has the control_wait of that process report CONTROL_STOP, CONTROL_REOPEN or CONTROL_LEDGER. Two
 * that it has not seen yet may be one. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_NOT_REACHED): there is no such process, it is no collector (such a signal would end
 * most others) or none that waits yet, or it takes no orders from us.
 */
int control_send(unsigned long process, enum control_event event, struct error *error);

/* --- the control socket ----------------------------------------------------------------------- */

/*
 * The local place where clients come to ask and to watch: a named endpoint of byte streams that
 * only the program's own user may open, and the system's administrator.
 *
 * Lifecycle: open, accept, read and write, close the connections, close. Nothing here waits. Main
 * thread.
 */

struct control_socket;
struct control_connection;

/* How an address is written: "unix:PATH" or, on Windows, "pipe:NAME", the pipe \\.\pipe\NAME. */
extern const char control_socket_syntax[];

/*
 * Opens it under its address. What a program that has ended left there is replaced. Of several
 * programs that open one address at the same time one gets it, and the others fail.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE): another program listens there, or
 * something else has that name.
 */
int control_socket_open(struct control_socket **out, const char *address, struct error *error);

/*
 * Gives it to the user that the program is about to become (user_become): only that user
 * and root can connect then. Returns 0, or -1 with `error` filled.
 */
int control_socket_give(const struct control_socket *given, const char *user, struct error *error);

/*
 * Whether it could be opened under its address, as far as its folder and the rights in it say;
 * that a program listens there is no hindrance. Makes nothing. Returns as above.
 */
int control_socket_check(const char *address, struct error *error);

/* Removes the name, unless somebody else has it by now. NULL is allowed. */
void control_socket_close(struct control_socket *socket);

/* Readable when somebody has come. */
wait_handle control_socket_handle(const struct control_socket *socket);

enum control_result {
    CONTROL_DONE,        /* somebody was accepted; at least one byte was moved */
    CONTROL_WOULD_BLOCK, /* not now: wait for the handle */
    CONTROL_OVER,        /* the other end has gone, or sends no more; of accept: not now, and the
                            handle does not report when */
};

enum control_result control_socket_accept(struct control_socket *socket,
                                          struct control_connection **out);

/*
 * Whether the other end is the user that this program runs as, or the system's administrator; the
 * socket's rights may have been widened so that others can connect, too.
 */
bool control_connection_may_order(const struct control_connection *connection);

/* Reads up to, writes a first part of, `size` (≥ 1) bytes: *moved says how many. */
enum control_result control_connection_read(struct control_connection *connection, void *bytes,
                                            size_t size, size_t *moved);
enum control_result control_connection_write(struct control_connection *connection,
                                             const void *bytes, size_t size, size_t *moved);

wait_handle control_connection_handle(const struct control_connection *connection);
/*
 * The other end still gets what was written; but on Windows only as much of it as a pipe has room
 * for. NULL is allowed.
 */
void control_connection_close(struct control_connection *connection);

/* --- asking over it --------------------------------------------------------------------------- */

/*
 * One request to a collector over its control socket, and the answer to it
 * (collector/control/control_service.h).
 *
 * Waits, and does nothing else meanwhile. Any thread.
 */

/* How long an answer may take: a reload reads files, and may run protoc. */
#define CONTROL_ASK_MS 60000

/*
 * Connects to `address` (control_socket_syntax), sends `request` and a newline, and appends the
 * line of the answer, without its newline, to `answer`. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_NOT_REACHED): nobody listens there or lets us in, or no answer came within
 * CONTROL_ASK_MS, or one that does not fit. The request may have been carried out all the same.
 */
int control_ask(const char *address, const char *request, struct output *answer,
                struct error *error);

#endif
