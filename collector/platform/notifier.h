/*
 * Readiness of sockets: with edge semantics, or of streams with a level, one event at a time.
 *
 * Edges, of datagram sockets (notifier_add).
 *
 * A socket is added before it is bound; one that is bound already is drained once after it was
 * added, because of what it holds then nothing may be reported. From then on every arrival of data
 * on a socket that was empty gives a READY event; the next one is promised only after a receive
 * said would-block. An event too many is allowed (the receive then finds nothing), one too few
 * never. Nothing else is offered: no timers, no tasks.
 *
 * Lifecycle: create, add and remove, wait in a loop, destroy. The threads that wait are numbered,
 * from 0; most backends have but one. Whoever waits again has done with the events of its wait
 * before. One thread at a time adds and removes; any thread wakes.
 *
 * A token belongs to its caller and must live until its REMOVED event, which comes when no thread
 * can hold another event of it any more: from a later wait than the one that was being handled when
 * notifier_remove was called, and, of several threads, after each has begun a wait since, or left.
 *
 * Levels, of listening and connected stream sockets (notifier_watch), in backends that have them. A
 * registration is armed for what it waits for: to be readable (of a listening socket: somebody
 * connects), to be writable, or a hang-up, which is that the other side sends no more, or that the
 * connection is broken. As soon as one of them is so, also where it was so before, one READY event
 * says which hold, and the registration is silent until it is armed again. So whoever takes the
 * event owns the connection until then: several threads serve many connections without a lock. One
 * that is armed again before anybody took its event has one event, that of the new arming.
 *
 * A hang-up does not say that everything was read: as long as something is left to read, one that
 * is armed for that is readable. Some systems report a hang-up only when everything before it was
 * read.
 *
 * One registration is of the one kind or the other, and one notifier has registrations of one kind
 * alone. A level that goes on without being armed is not offered: one thread with a few handles,
 * which may be pipes, has control_wait (collector/platform/control.h).
 *
 * An operating system has one backend or several, each a file under platform/ and a row in its
 * table notifier_backends, notifier_stream_backends, or both.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_NOTIFIER_H
#define SLUICE_COLLECTOR_PLATFORM_NOTIFIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

/* Events that one wait takes from the system at most, in backends that have such a limit. */
#define NOTIFIER_WAIT_MOST 128

/* What every backend's own begins with. */
struct notifier {
    const struct notifier_backend *backend;
    size_t threads;

    /* For the rules that notifier.c checks. */
    _Atomic bool changing; /* a thread is adding or removing */
    _Atomic bool waiting;  /* a thread is waiting; only maintained if one thread waits */
    _Atomic bool has_edges, has_levels; /* something was added, or watched */
};

/* What a stream's registration may be armed for. */
enum notifier_interest {
    NOTIFIER_IN = 1 << 0,
    NOTIFIER_OUT = 1 << 1,
    NOTIFIER_HANGUP = 1 << 2,
};

enum notifier_event_type {
    NOTIFIER_READY,   /* drain the socket; of a stream: what `ready` says holds */
    NOTIFIER_REMOVED, /* the token's last event */
    NOTIFIER_WOKEN,   /* somebody called notifier_wake; no token */
};

struct notifier_event {
    enum notifier_event_type type;
    void *token;
    unsigned ready; /* of a stream: enum notifier_interest; a broken connection has all three */
};

/* What a backend does of the functions below that have the same name. */
struct notifier_backend {
    const char *name; /* for --notifier, --version and the log: "epoll" */

    /*
     * Several threads may wait, and each event goes to one of them. A socket's event may come to
     * one thread while another one still drains it.
     */
    bool shared;

    /* Whether this system has it; NULL: every one. */
    bool (*is_available)(void);

    int (*create)(struct notifier **out, size_t threads, struct error *error);
    void (*destroy)(struct notifier *notifier);

    /* Of datagram sockets. NULL, both: this backend is for streams alone. */
    int (*add)(struct notifier *notifier, wait_handle socket, void *token, struct error *error);
    int (*remove)(struct notifier *notifier, wait_handle socket, void *token, struct error *error);

    size_t (*wait)(struct notifier *notifier, size_t thread, struct notifier_event *events,
                   size_t capacity, int timeout_ms);
    void (*leave)(struct notifier *notifier, size_t thread); /* NULL: it need not know */
    void (*wake)(struct notifier *notifier);

    /* Of streams, for any number of threads. NULL, all three: this backend has none. */
    int (*watch)(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                 struct error *error);
    int (*arm)(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
               struct error *error);
    void (*unwatch)(struct notifier *notifier, wait_handle socket);
};

/* The operating system's, of datagram sockets and of streams, the best one first, NULL after the
 * last. */
extern const struct notifier_backend *const notifier_backends[];
extern const struct notifier_backend *const notifier_stream_backends[];

/* Whether this system has it. */
bool notifier_is_available(const struct notifier_backend *backend);

/*
 * The wanted one, or, where that is NULL, the first that this system has. Returns NULL with `error`
 * filled (EXIT_CODE_CONFIG) where this system does not have it.
 */
const struct notifier_backend *notifier_choose(const struct notifier_backend *wanted,
                                               struct error *error);

/*
 * The first backend of this system that watches streams. Returns NULL with `error` filled
 * (EXIT_CODE_CONFIG) where there is none.
 */
const struct notifier_backend *notifier_choose_for_streams(struct error *error);

/*
 * For `threads` (≥ 1) threads; more than one only where the backend is shared, or where it is for
 * streams. Returns 0, or -1
 * with `error` filled (EXIT_CODE_INTERNAL).
 */
int notifier_create(struct notifier **out, const struct notifier_backend *backend, size_t threads,
                    struct error *error);

/* Frees it. Sockets that were not removed are simply forgotten. NULL is allowed. */
void notifier_destroy(struct notifier *notifier);

/* Watches a non-blocking socket; the token is not NULL. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL). */
int notifier_add(struct notifier *notifier, wait_handle socket, void *token, struct error *error);

/*
 * Watches a non-blocking stream socket, armed for these interests (enum notifier_interest, at least
 * one). Any thread. The token is not NULL. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL).
 */
int notifier_watch(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                   struct error *error);

/*
 * Arms it again, by who owns it: from here on another thread may have its event. Returns as above;
 * then it stays silent.
 */
int notifier_arm(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                 struct error *error);

/*
 * Stops watching it, before it is closed. Any thread. An event that a thread took before, and has
 * not handled yet, may still name its token.
 */
void notifier_unwatch(struct notifier *notifier, wait_handle socket);

/* Stops watching. Returns 0, or -1 with `error` filled; on 0 the REMOVED event will follow. */
int notifier_remove(struct notifier *notifier, wait_handle socket, void *token,
                    struct error *error);

/* The system did not wait: nothing is known of the sockets. */
#define NOTIFIER_FAILED SIZE_MAX

/*
 * Waits for events: at most `capacity` (≥ 1) of them into `events`, one where there are several
 * threads, for at most `timeout_ms` milliseconds (negative: for ever). `thread` is the caller's
 * number. Returns how many: where one thread waits, and there was room for more, that is all there
 * was, up to NOTIFIER_WAIT_MOST at a time; 0 when the time was over, the wait was interrupted, or
 * the backend only had to know that this thread is done with its events. NOTIFIER_FAILED after a
 * millisecond, where the system's wait failed.
 */
size_t notifier_wait(struct notifier *notifier, size_t thread, struct notifier_event *events,
                     size_t capacity, int timeout_ms);

/* The thread of that number has done with its events and waits no more. */
void notifier_leave(struct notifier *notifier, size_t thread);

/*
 * Ends the current or the next wait, of one thread, with a WOKEN event; who wants all of them to
 * see it passes it on. Several calls before that wait count as one. Any thread.
 */
void notifier_wake(struct notifier *notifier);

#endif
