/*
 * Implements a client of a control socket for tests, and chooses addresses for the socket. CMake
 * chooses the implementation of the operating system. An error, and any wait longer than 10 s,
 * fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_CONTROL_PEER_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_CONTROL_PEER_H

#include <stdbool.h>
#include <stddef.h>

struct control_peer;

/* A cmocka setup and teardown. The addresses are valid between them. */
int control_peer_set_up(void **state);
int control_peer_tear_down(void **state);

/* Returns an unused address. The next call overwrites it. */
const char *control_peer_address(void);

struct control_peer *control_peer_connect(const char *address);
void control_peer_send(struct control_peer *peer, const void *bytes, size_t size);

/*
 * Waits for data and returns its size, at most `size`. Returns 0 if the peer has closed the
 * connection.
 */
size_t control_peer_receive(struct control_peer *peer, void *bytes, size_t size);

void control_peer_close(struct control_peer *peer);

#endif
