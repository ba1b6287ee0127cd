/*
 * Readiness of sockets, with edge semantics.
 *
 * A socket is added before it is bound. From then on every arrival of data on a socket that was
 * empty gives a READY event; the next one is promised only after a receive said would-block. An
 * event too many is allowed (the receive then finds nothing), one too few never. Nothing else is
 * offered: no timers, no tasks.
 *
 * Lifecycle: create, add and remove, wait in a loop, destroy. One thread owns a notifier; only
 * notifier_wake may be called from others. A token belongs to its caller and must live until its
 * REMOVED event, which comes from a later wait than the one that was being handled when
 * notifier_remove was called: events of the same wait may still name it.
 */
#ifndef SLUICE_COLLECTOR_NOTIFIER_H
#define SLUICE_COLLECTOR_NOTIFIER_H

#include <stddef.h>

#include "collector/error.h"
#include "collector/wakeup.h"

struct notifier;

enum notifier_event_type {
    NOTIFIER_READY,   /* drain the socket */
    NOTIFIER_REMOVED, /* the token's last event */
    NOTIFIER_WOKEN,   /* somebody called notifier_wake; no token */
};

struct notifier_event {
    enum notifier_event_type type;
    void *token;
};

/* The backend's name, for --version and the log: "epoll". */
extern const char *const notifier_name;

/* Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL). */
int notifier_create(struct notifier **out, struct error *error);

/* Frees it. Sockets that were not removed are simply forgotten. NULL is allowed. */
void notifier_destroy(struct notifier *notifier);

/* Watches a non-blocking socket; the token is not NULL. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL). */
int notifier_add(struct notifier *notifier, wait_handle socket, void *token, struct error *error);

/* Stops watching. Returns 0, or -1 with `error` filled; on 0 the REMOVED event will follow. */
int notifier_remove(struct notifier *notifier, wait_handle socket, void *token,
                    struct error *error);

/*
 * Waits for events: at most `capacity` (≥ 1) of them into `events`, for at most `timeout_ms`
 * milliseconds (negative: for ever). Returns how many; 0 when the time was over or the wait was
 * interrupted.
 */
size_t notifier_wait(struct notifier *notifier, struct notifier_event *events, size_t capacity,
                     int timeout_ms);

/* Ends the current or the next wait with a WOKEN event. Any thread. */
void notifier_wake(struct notifier *notifier);

#endif
