/*
 * The sockets of the bench's sender: one connected to each port, or several connections to one,
 * taken in turn, and what the plain and the segmenting sender and that over TCP do with them. Of
 * this folder only.
 */
#ifndef SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SOCKET_H
#define SLUICE_TOOLS_PLATFORM_LINUX_BENCH_SOCKET_H

#include <stddef.h>
#include <stdint.h>

#include "tools/bench/load.h"

#define BENCH_GROUP_SIZE 64

struct bench_socket;

/* Returns 0, or -1 with `error` filled. */
int bench_socket_open(struct bench_socket **out, const struct load_plan *plan, struct error *error);

/* The most datagrams that one send takes: BENCH_GROUP_SIZE, or what fits a segmented buffer. */
size_t bench_socket_group(const struct bench_socket *socket);

/*
 * Sends `count` datagrams of the traffic's size, one after the other in `bytes`; from[i] is the
 * source of each. Returns 0, or -1 with `error` filled.
 */
int bench_socket_send(struct bench_socket *socket, uint8_t *bytes, const uint32_t *from,
                      size_t count, struct error *error);

/* One datagram of any size, to the first port. */
int bench_socket_send_one(struct bench_socket *socket, uint8_t *bytes, size_t size,
                          struct error *error);

/* NULL is allowed. */
void bench_socket_close(struct bench_socket *socket);

#endif
