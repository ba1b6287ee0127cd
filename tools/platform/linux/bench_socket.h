/*
 * Sends the bench's datagrams over a socket that is connected to a port, for plain and segmenting
 * senders. Only for this folder.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SOCKET_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "tools/bench/load.h"

struct bench_socket;

/*
 * Opens a socket for the plan. Returns 0, or -1 with `error` filled. The caller closes it in both
 * cases.
 */
int bench_socket_open(struct bench_socket **out, const struct load_plan *plan, struct error *error);

/*
 * Returns the maximum number of datagrams in one send: 64, or fewer if 64 do not fit in a segmented
 * buffer.
 */
size_t bench_socket_group(const struct bench_socket *socket);

/* Sends `count` adjacent datagrams of the traffic's size. Returns 0, or -1 with `error` filled. */
int bench_socket_send(struct bench_socket *socket, uint8_t *bytes, size_t count,
                      struct error *error);

/* Closes and frees the socket; NULL is allowed. */
void bench_socket_close(struct bench_socket *socket);

#endif
