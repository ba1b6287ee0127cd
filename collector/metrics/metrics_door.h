/*
 * The way into the metrics' server: a connection waits here until the head of its request has
 * arrived, and only then takes one of the server's places.
 *
 * So a client that is silent or slow, or has gone, holds none of those. Here it holds one of
 * METRICS_WAITING, for the time limit at most, and less where others need it: a new client takes
 * the place of the oldest one that waits of the host (of IPv6: the /64) that has the most. The
 * library that serves also never sees a connection that ended within its request: with an
 * edge-triggered epoll it does not notice such an end.
 *
 * Lifecycle: create, then serve in the main thread's loop, destroy. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_DOOR_H
#define SLUICE_COLLECTOR_METRICS_METRICS_DOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/wakeup.h"

/* Connections at a time. */
#define METRICS_WAITING 64

/* The longest head that is waited for: one that is longer enters, to be refused. Bytes. */
#define METRICS_HEAD ((size_t)16 * 1024)

struct metrics_door_options {
    wait_handle listener;     /* the door's from now on */
    int64_t stall_timeout_ns; /* for a whole request, and for a place */

    /* Whether there is a place for one more; `health`: it asks for that, which is never refused. */
    bool (*has_slot)(void *context, bool health);
    /* Takes the connection over. */
    void (*enter)(void *context, wait_handle connection);
    void *context;
};

struct metrics_door;

/* Returns NULL where memory is short, the listener still the caller's. */
struct metrics_door *metrics_door_create(const struct metrics_door_options *options);
/* Closes the listener and what waits. NULL is allowed. */
void metrics_door_destroy(struct metrics_door *door);

size_t metrics_door_memory(void);

/* Whether new clients are accepted now, and when (monotonic) to serve in any case. */
bool metrics_door_is_open(const struct metrics_door *door, int64_t now_ns);
int64_t metrics_door_due(const struct metrics_door *door);

/* Accepts, looks at what has come, and lets in what is complete. */
void metrics_door_serve(struct metrics_door *door, int64_t now_ns);

#endif
