/*
 * What the notifiers of streams (collector/platform/notifier.h) have in common on Windows: a
 * completion port that their events and wake-ups come by, and the registrations that the packets on
 * it name. Of this folder only.
 *
 * A packet does not point at a registration: it has a key, with the registration's place and a
 * number that the next one at that place does not have. So a thread that took a packet and was slow
 * to look at it cannot take one socket's event for another one's. A registration's memory is used
 * again, and freed with the port alone.
 *
 * Any thread, unless a function says otherwise.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_PORT_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_PORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h>

#include "collector/platform/notifier.h"

/*
 * What each backend's registration begins with. What the backend has of its own there is all zero,
 * or as the one before left it, whose memory is used again.
 */
struct stream_registration {
    struct stream_registration *next; /* of those with the same hash, or of the free ones */
    SRWLOCK lock;                     /* of what follows, and of the backend's own */
    ULONG_PTR key;
    SOCKET socket;
    void *token;
    bool listens; /* it is a listening socket */
};

#define STREAM_PORT_HASHES 4096

struct stream_port;

/* What a backend does with its registrations; the first two have their lock. */
struct stream_port_ops {
    size_t size;              /* bytes of its notifier */
    size_t registration_size; /* and of a registration */

    /* Arms it for these interests. Returns 0, or the system's error, and it is not armed. */
    DWORD (*arm)(struct stream_port *port, struct stream_registration *registration,
                 unsigned interests);

    /* Makes one event of a packet that names it, or none. Returns whether it did. */
    bool (*translate)(struct stream_port *port, struct stream_registration *registration,
                      DWORD bits, struct notifier_event *event);

    /* Before its memory is freed, once no thread waits any more. NULL: nothing. */
    void (*finish)(struct stream_registration *registration);
};

/* What each backend's notifier begins with. */
struct stream_port {
    struct notifier base;
    const struct stream_port_ops *ops;
    HANDLE port;
    size_t threads;
    _Atomic bool wake_posted;

    SRWLOCK lock; /* of what follows; taken after a registration's, or alone */
    struct stream_registration **registrations;
    size_t count;
    size_t capacity;
    struct stream_registration *free;
    struct stream_registration *by_socket[STREAM_PORT_HASHES];
};

/*
 * A notifier, all zero but for its own, for `threads` that wait. Returns 0, or -1 with `error`
 * filled.
 */
int stream_port_create(struct notifier **out, size_t threads, const struct stream_port_ops *ops,
                       struct error *error);

/* These are operations of struct notifier_backend. */
void stream_port_destroy(struct notifier *base);
int stream_port_watch(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                      struct error *error);
int stream_port_arm(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                    struct error *error);
void stream_port_wake(struct notifier *base);

/* Where several threads wait, one packet at a time: else one would have them all. */
size_t stream_port_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                        size_t capacity, int timeout_ms);

/* The socket's registration, or NULL. */
struct stream_registration *stream_port_find(struct stream_port *port, SOCKET socket);

/* The socket may be closed, and have another registration under the same number. */
void stream_port_forget(struct stream_port *port, struct stream_registration *registration);

/* Of a forgotten one: its memory may be used again. */
void stream_port_release(struct stream_port *port, struct stream_registration *registration);

/* A new key: packets that were posted before do not name it any more. With its lock. */
void stream_port_new_key(struct stream_registration *registration);

/* A packet of these bits. Returns false where the system has no memory for it. */
bool stream_port_post(struct stream_port *port, ULONG_PTR key, DWORD bits);

/* Fills the error of a call of this kind, with the system's text. Returns -1. */
int stream_port_fail(struct error *error, const char *what, DWORD code);

#endif
