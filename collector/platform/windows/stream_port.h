/*
 * Shared by the notifiers of streams (collector/platform/notifier.h) on Windows: a completion port
 * for their events and wake-ups, and the registrations that its packets name. Only for this folder.
 *
 * A packet does not point to a registration: it has a key, with the registration's slot and a
 * number that differs for the next registration in that slot. So a thread that takes a packet and
 * looks at it late cannot mistake one socket's event for another's. A registration's memory is
 * reused, and freed with the port only.
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
 * The first member of each backend's registration. The members that the backend adds are zero, or
 * as the previous registration in this memory left them.
 */
struct stream_registration {
    struct stream_registration *next; /* in the list of the same hash, or of free registrations */
    SRWLOCK lock;                     /* protects the members below, and the backend's own */
    ULONG_PTR key;
    SOCKET socket;
    void *token;
    bool listens; /* the socket is a listening one */
};

#define STREAM_PORT_HASHES 4096

struct stream_port;

/* A backend's operations on its registrations; the first two are called with their lock. */
struct stream_port_ops {
    size_t size;              /* bytes of the backend's notifier */
    size_t registration_size; /* bytes of a registration */

    /*
     * Arms the registration for these conditions. Returns 0, or the system's error: then it is not
     * armed.
     */
    DWORD(*arm)
    (struct stream_port *port, struct stream_registration *registration, unsigned interests);

    /*
     * Makes an event of a packet, if the packet reports one for the registration. Returns whether
     * it did.
     */
    bool (*translate)(struct stream_port *port, struct stream_registration *registration,
                      DWORD bits, struct notifier_event *event);

    /*
     * Called before the registration's memory is freed, when no thread waits any more. NULL: not
     * needed.
     */
    void (*finish)(struct stream_registration *registration);
};

/* The first member of each backend's notifier. */
struct stream_port {
    struct notifier base;
    const struct stream_port_ops *ops;
    HANDLE port;
    size_t threads;
    _Atomic bool wake_posted;

    SRWLOCK lock; /* protects the members below; locked after a registration's lock, or by itself */
    struct stream_registration **registrations;
    size_t count;
    size_t capacity;
    struct stream_registration *free;
    struct stream_registration *by_socket[STREAM_PORT_HASHES];
};

/*
 * Creates a notifier for `threads` threads; the backend's own members are zero. Returns 0, or -1
 * with `error` filled.
 */
int stream_port_create(struct notifier **out, size_t threads, const struct stream_port_ops *ops,
                       struct error *error);

/* The functions from destroy to wait are operations of struct notifier_backend. */
void stream_port_destroy(struct notifier *base);
int stream_port_watch(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                      struct error *error);
int stream_port_arm(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                    struct error *error);
void stream_port_wake(struct notifier *base);

/*
 * Waits for packets once, and makes events of them: perhaps none, because not every packet reports
 * one. If several threads wait, it takes one packet: otherwise one thread would take all packets.
 * Returns the number of events, or NOTIFIER_FAILED.
 */
size_t stream_port_take(struct stream_port *port, struct notifier_event *events, size_t capacity,
                        DWORD timeout_ms);

/* The number of packets that one call takes for this number of events. */
ULONG stream_port_room(const struct stream_port *port, size_t capacity);

/* Makes events of packets, with room for one of each. Returns their number. */
size_t stream_port_translate(struct stream_port *port, const OVERLAPPED_ENTRY *packets, ULONG count,
                             struct notifier_event *events);

/* Waits until there is an event, or the time is over. */
size_t stream_port_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                        size_t capacity, int timeout_ms);

/* Returns the socket's registration, or NULL. */
struct stream_registration *stream_port_find(struct stream_port *port, SOCKET socket);

/*
 * Forgets a registration. After this the socket may be closed, and its number may get another
 * registration.
 */
void stream_port_forget(struct stream_port *port, struct stream_registration *registration);

/* Releases the memory of a forgotten registration for reuse. */
void stream_port_release(struct stream_port *port, struct stream_registration *registration);

/*
 * Gives the registration a new key, so that earlier packets no longer name it. Called with its lock
 * held.
 */
void stream_port_new_key(struct stream_registration *registration);

/* Posts a packet with these bits. Returns false if the system has no memory for it. */
bool stream_port_post(struct stream_port *port, ULONG_PTR key, DWORD bits);

/* Fills the error of a call of this kind, with the system's text. Returns -1. */
int stream_port_fail(struct error *error, const char *what, DWORD code);

#endif
