/*
 * Sockets on a notifier, and what a receiver does with them, for tests of the notifier's contract.
 *
 * The program's argument names the backend; nothing here, nor in those tests, knows more of it. An
 * event too many is allowed, so nothing forbids one while its socket is watched; one too few shows
 * as a wait that ends without the event, after PATIENCE_MS. What fails, fails the running cmocka
 * test.
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
    size_t served;   /* of them, those that a drain has followed */
    size_t removed;  /* REMOVED events so far */
    size_t received; /* datagrams so far */
    size_t truncated;
    size_t empty;
};

/* What a test has, all of it new in each. */
extern struct watching {
    struct notifier *notifier;
    struct datagram_group *group;
    struct udp_sender *sender;
    struct watched watched[MAX_SOCKETS];
    size_t woken;
} watching;

/* The backend that all tests of the program run on. */
extern const struct notifier_backend *watching_backend;

/*
 * Takes it from the program's arguments. Returns false, with a word on stderr, where there is none
 * of that name; where this system does not have it the test is skipped.
 */
bool watching_choose_backend(int argc, char **argv);

/* A cmocka setup and teardown. */
int watching_set_up(void **state);
int watching_tear_down(void **state);

/* Opens a socket on loopback and has it watched, not yet bound; binds it; both. */
struct watched *watch(size_t index, size_t max_datagram);
void bind_watched(struct watched *watched);
struct watched *watch_and_bind(size_t index);

/* Has one watched that is open already. */
void add_watched(struct watched *watched);

/* Asks for its removal. */
void stop_watching(struct watched *watched);

void send_to(const struct watched *watched, const void *bytes, size_t size);

/* One wait, its events noted. Returns how many. */
size_t wait_once(size_t capacity, int timeout_ms);

/* Waits until a counter that wait_once keeps has risen to `wanted`. */
#define wait_until(counter, wanted) wait_until_counted(&(counter), (wanted), #counter, __LINE__)
void wait_until_counted(const size_t *counter, size_t wanted, const char *what, int line);

/* Lets everything come that is on its way. */
void settle(void);

/* One group; false: would block. */
bool receive_group(struct watched *watched);

void drain(struct watched *watched);

/* Waits for an event before each drain, until `wanted` datagrams came in all. */
void receive_by_events(struct watched *watched, size_t wanted);

#endif
