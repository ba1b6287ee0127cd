/*
 * Watches sockets with a notifier as a receiver does, for tests of the notifier's contract. The
 * program's argument names the backend.
 *
 * A superfluous event is allowed while its socket is watched. A missing event is detected when a
 * wait of PATIENCE_MS ends without it. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WATCHING_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WATCHING_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/platform/notifier.h"
#include "collector/platform/udp.h"
#include "tests/support/platform/udp_sender.h"

#define PATIENCE_MS 10000
#define MAX_SOCKETS 80
#define MANY_EVENTS 128

/* A watched socket; its address is its token. */
struct watched {
    struct udp_socket *socket;
    size_t ready;    /* READY events so far */
    size_t served;   /* READY events after which the socket was drained */
    size_t removed;  /* REMOVED events so far */
    size_t received; /* datagrams so far */
    size_t truncated;
    size_t empty;
};

/* The objects of the running test. */
extern struct watching {
    struct notifier *notifier;
    struct datagram_group *group;
    struct udp_sender *sender;
    struct watched watched[MAX_SOCKETS];
    size_t woken;
} watching;

/* The backend that all tests of the program use. */
extern const struct notifier_backend *watching_backend;

/*
 * Chooses the backend by the program's argument. Returns false and prints a message to stderr if no
 * backend has that name. Ends the program as skipped if this system does not support the backend.
 */
bool watching_choose_backend(int argc, char **argv);

/* A cmocka setup and teardown. */
int watching_set_up(void **state);
int watching_tear_down(void **state);

/*
 * watch opens a socket and watches it, and bind_watched binds it to a loopback address.
 * watch_and_bind does both.
 */
struct watched *watch(size_t index, size_t max_datagram);
void bind_watched(struct watched *watched);
struct watched *watch_and_bind(size_t index);

/* Watches a socket that is open already. */
void add_watched(struct watched *watched);

/* Requests that the notifier stops watching the socket. */
void stop_watching(struct watched *watched);

void send_to(const struct watched *watched, const void *bytes, size_t size);

/* Waits once and counts the events. Returns their number. */
size_t wait_once(size_t capacity, int timeout_ms);

/* Waits until a counter that wait_once increments has reached `wanted`. */
#define wait_until(counter, wanted) wait_until_counted(&(counter), (wanted), #counter, __LINE__)
void wait_until_counted(const size_t *counter, size_t wanted, const char *what, int line);

/* Waits until no event is pending. */
void settle(void);

/* Receives one group of datagrams. Returns false if the socket would block. */
bool receive_group(struct watched *watched);

void drain(struct watched *watched);

/* Waits for an event before each drain, until `wanted` datagrams have come in total. */
void receive_by_events(struct watched *watched, size_t wanted);

#endif
