/*
 * The socket of the bench's sender, connected to a port, and the operations of the plain and the
 * segmenting sender. Only for this folder.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SOCKET_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "tools/bench/load.h"

struct bench_socket;

/* Returns 0, or -1 with `error` filled; it must be closed in either case. */
int bench_socket_open(struct bench_socket **out, const struct load_plan *plan, struct error *error);

/* The most datagrams of one send: 64, or the number that fits a segmented buffer. */
size_t bench_socket_group(const struct bench_socket *socket);

/*
 * Sends `count` datagrams of the traffic's size, which are adjacent in `bytes`. Returns 0, or -1
 * with `error` filled.
 */
int bench_socket_send(struct bench_socket *socket, uint8_t *bytes, size_t count,
                      struct error *error);

/* NULL is allowed. */
void bench_socket_close(struct bench_socket *socket);

#endif
