/*
 * The local place where clients come to ask and to watch: a named endpoint of byte streams that
 * only the program's own user may open, and the system's administrator.
 *
 * Lifecycle: open, accept, read and write, close the connections, close. Nothing here waits. Main
 * thread. CMake picks the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CONTROL_SOCKET_H
#define SLUICE_COLLECTOR_PLATFORM_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

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
 * Gives it to the user that the program is about to become (collector/platform/user.h): only that
 * user and root can connect then. Returns 0, or -1 with `error` filled.
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

#endif
