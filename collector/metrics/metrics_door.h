/*
 * The entry to the metrics server: a connection waits here until the head of its request has
 * arrived, and only then gets a slot of the server.
 *
 * So silent, slow and disconnected clients use no slot of the server. Here a client uses one of
 * METRICS_WAITING slots, for the time limit at most. If all are used, a new client replaces the
 * oldest waiting client of the host (for IPv6: the /64) that has the most. The door also keeps
 * connections that end before their head is complete from libmicrohttpd: with edge-triggered epoll,
 * libmicrohttpd would not notice their end.
 *
 * Lifecycle: create, then serve in the main thread's loop, destroy. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_DOOR_H
#define SLUICE_COLLECTOR_METRICS_METRICS_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/wakeup.h"

/* The number of slots: the most connections that wait at the same time. */
#define METRICS_WAITING 64

/*
 * The most bytes of a head to wait for; a connection with a longer head goes to the library, which
 * refuses the request.
 */
#define METRICS_HEAD ((size_t)16 * 1024)

struct metrics_door_options {
    wait_handle listener;     /* owned by the door after a successful create */
    int64_t stall_timeout_ns; /* longest wait for the request, and for a slot of the server */

    /*
     * Returns whether the server has a free slot; `health`: for a request of /healthz, which has
     * reserved slots.
     */
    bool (*has_slot)(void *context, bool health);
    /* Takes ownership of the connection. */
    void (*enter)(void *context, wait_handle connection);
    void *context;
};

struct metrics_door;

/* Returns NULL if memory is short; the caller then keeps the listener. */
struct metrics_door *metrics_door_create(const struct metrics_door_options *options);
/* Closes the listener and the waiting connections. NULL is allowed. */
void metrics_door_destroy(struct metrics_door *door);

size_t metrics_door_memory(void);

/*
 * is_open returns whether the door accepts clients now; due returns when (monotonic) to call
 * metrics_door_serve at the latest.
 */
bool metrics_door_is_open(const struct metrics_door *door, int64_t now_ns);
int64_t metrics_door_due(const struct metrics_door *door);

/* Accepts clients, checks the waiting requests, and passes complete ones to the server. */
void metrics_door_serve(struct metrics_door *door, int64_t now_ns);

#endif
