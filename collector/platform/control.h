/*
 * Control of the process from outside: signals, notices, and the control socket.
 *
 * A port provides the events of the main thread (struct control), the functions of `sluice ctl`
 * that send an event (control_send) or a request (control_ask), and the local socket that receives
 * requests (struct control_socket).
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
 * Events for the main thread: the operator's signals, and notices from other threads.
 *
 * There is one control per process, created before any thread so that all threads inherit its
 * signal mask. The main thread waits; any thread may call control_notify. Windows has no such
 * signals. Instead it reports Ctrl-C and Ctrl-Break (each time), the requests of `sluice ctl`
 * (control_send), the closing of the console, and the shutdown of the system; after a closing or a
 * shutdown the process has about 4 s left.
 *
 * A SIGHUP is a request to reopen, or a hang-up. It is a hang-up if a standard stream was a
 * terminal when the control was created, that terminal has gone, and the kernel or a process of the
 * terminal's session, such as a shell, sent the signal. A program that was started with SIGHUP
 * ignored (nohup) has no hang-ups.
 */

struct control;

enum control_event {
    CONTROL_TIMEOUT, /* the time is over, or the wait was interrupted */
    CONTROL_NOTICE,  /* a thread called control_notify */
    CONTROL_STOP,    /* SIGTERM, SIGINT; Ctrl-C and the console's other events */
    CONTROL_LEDGER,  /* SIGUSR1 */
    CONTROL_REOPEN,  /* SIGHUP */
    CONTROL_HANGUP,  /* the program's terminal has gone; may be reported several times */
    CONTROL_READY,   /* a watched handle is ready or closed by its peer */
    CONTROL_FAILED,  /* the system's wait failed; this call paused for a millisecond */
};

/* A handle to watch, and the conditions to wait for. A closed peer is reported in any case. */
struct control_watch {
    wait_handle handle;
    bool want_read;
    bool want_write;
};

/* The most handles that one wait watches. */
#define CONTROL_WATCHED_MAX 16

/*
 * Creates the control. Also makes a write to a closed pipe, or past the limit of a file's size,
 * return an error instead of raising a signal. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL).
 */
int control_create(struct control **out, struct error *error);
void control_destroy(struct control *control);

/*
 * Returns a line for the log about events that do not work on this system, or NULL if all work.
 * Valid as long as the control.
 */
const char *control_warning(const struct control *control);

/* Returns the process number for `sluice ctl` and, on systems that have it, kill(1). */
unsigned long control_process_id(void);

void control_notify(struct control *control);

/*
 * Waits for the next event, or until one of the `count` watched handles (at most
 * CONTROL_WATCHED_MAX) is ready, for at most `timeout_ms` milliseconds (negative: for ever).
 * Signals and notices are reported first.
 */
enum control_event control_wait(struct control *control, const struct control_watch *watched,
                                size_t count, int timeout_ms);

/* --- telling another process ------------------------------------------------------------------ */

/*
 * control_send sends an event to a collector on this machine, for `sluice ctl`: by a signal or, on
 * Windows, by a named event of that process. Any thread.
 */

/*
 * Makes control_wait in that process report CONTROL_STOP, CONTROL_REOPEN or CONTROL_LEDGER. If two
 * events are sent before the process waits, it may receive only one. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_NOT_REACHED): the process does not exist; it is not a collector (the signal
 * would end most other programs); it is a collector that does not wait yet; or this user is not
 * allowed to signal it.
 */
int control_send(unsigned long process, enum control_event event, struct error *error);

/* --- the control socket ----------------------------------------------------------------------- */

/*
 * A local endpoint for requests and for watching: a named stream socket that only the program's own
 * user and the administrator may open.
 *
 * Lifecycle: open the socket, accept connections, read and write, close the connections, close the
 * socket. No call waits. Main thread.
 */

struct control_socket;
struct control_connection;

/* The form of an address: "unix:PATH" or, on Windows, "pipe:NAME" for the pipe \\.\pipe\NAME. */
extern const char control_socket_syntax[];

/*
 * Opens the socket at its address, and replaces a socket that an ended program left there. If
 * several programs open one address at the same time, one succeeds and the others fail. Returns 0,
 * or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE): another program listens there, or the name
 * belongs to something else.
 */
int control_socket_open(struct control_socket **out, const char *address, struct error *error);

/*
 * Makes the user that the program is about to become (user_become) the socket's owner: from then on
 * only that user and root can connect. Returns 0, or -1 with `error` filled.
 */
int control_socket_give(const struct control_socket *given, const char *user, struct error *error);

/*
 * Checks whether the socket could be opened at its address, as far as the folder and its
 * permissions show. Does not check whether another program listens there. Creates nothing. Returns
 * as control_socket_open does.
 */
int control_socket_check(const char *address, struct error *error);

/*
 * Closes the socket, and removes its name unless the name belongs to another socket by now. NULL is
 * allowed.
 */
void control_socket_close(struct control_socket *socket);

/* Returns a handle that is readable when a client waits to be accepted. */
wait_handle control_socket_handle(const struct control_socket *socket);

enum control_result {
    CONTROL_DONE,        /* a client was accepted; at least one byte was moved */
    CONTROL_WOULD_BLOCK, /* not possible now: wait for the handle */
    CONTROL_OVER, /* the peer closed or sends no more; from accept: try again later, because the
                     handle does not report when that is possible */
};

enum control_result control_socket_accept(struct control_socket *socket,
                                          struct control_connection **out);

/*
 * Returns true if the peer is this program's user or the administrator, whose requests may change
 * the program. Other users can connect only if the socket's permissions were changed.
 */
bool control_connection_may_order(const struct control_connection *connection);

/*
 * Read up to `size` (≥ 1) bytes, or write the first bytes of `size`. *moved is the number of bytes
 * read or written.
 */
enum control_result control_connection_read(struct control_connection *connection, void *bytes,
                                            size_t size, size_t *moved);
enum control_result control_connection_write(struct control_connection *connection,
                                             const void *bytes, size_t size, size_t *moved);

wait_handle control_connection_handle(const struct control_connection *connection);
/*
 * Closes the connection. The peer still receives the bytes that were written before; on Windows
 * only as far as the pipe has room. NULL is allowed.
 */
void control_connection_close(struct control_connection *connection);

/* --- requests over the control socket --------------------------------------------------------- */

/*
 * control_ask makes one request over a collector's control socket
 * (collector/control/control_service.h), and waits for the answer. Any thread.
 */

/*
 * Milliseconds to wait for the answer. A reload takes longest, because it reads files and may run
 * protoc.
 */
#define CONTROL_ASK_MS 60000

/*
 * Connects to `address` (control_socket_syntax), sends `request` and a newline, and appends the
 * answer's line, without its newline, to `answer`. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_NOT_REACHED): no program listens there, the program refuses the connection, no answer
 * came within CONTROL_ASK_MS, or the answer does not fit. The request may have been carried out
 * nevertheless.
 */
int control_ask(const char *address, const char *request, struct output *answer,
                struct error *error);

#endif
