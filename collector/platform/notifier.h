/*
 * Readiness of sockets: edges for datagram sockets; levels, one event at a time, for streams;
 * persistent levels, for a few sockets of one thread.
 *
 * A port provides one or several backends (struct notifier_backend), each a file under platform/
 * and a row in its table notifier_backends, notifier_stream_backends, notifier_level_backends, or
 * in several of them.
 *
 * Edges, for datagram sockets (notifier_add). A socket is added before it is bound; one that is
 * already bound is drained once after it was added, because the data that it holds then may not be
 * reported. From then on each arrival of data on an empty socket gives a READY event; the next
 * event is promised only after a receive returned would-block. A superfluous event is allowed (the
 * receive then finds no data), a missing one is not. There are no timers and no tasks.
 *
 * Lifecycle: create, add and remove, wait in a loop, destroy. The threads that wait are numbered
 * from 0; most backends allow only one. A thread that waits again has finished with the events of
 * its previous wait. One thread at a time adds and removes; any thread wakes.
 *
 * A token belongs to the caller and must live until its REMOVED event. REMOVED comes when no thread
 * can have another event of the token. It never comes from the wait whose events were being handled
 * when notifier_remove was called, but from a later wait. With several threads, each of them has
 * begun a wait since the removal, or has left, before REMOVED comes.
 *
 * Levels, for listening and connected stream sockets (notifier_watch), in backends that have them.
 * A registration is armed for conditions: readable (for a listening socket: a connection waits),
 * writable, or hang-up (the peer sends no more, or the connection is broken). As soon as a
 * condition holds, even if it held before, one READY event reports all conditions that hold. The
 * registration is then silent until it is armed again. Until then the thread that gets the event
 * owns the connection, so several threads serve many connections without a lock. If a registration
 * is armed again before its event was taken, the event of the new arming replaces the earlier
 * event.
 *
 * notifier_unwatch ends a stream's registration and hands the socket over: the notifier closes it
 * as soon as the system has ended the registration. Some systems do that later and report it
 * (ProcessSocketNotifications); a socket that is closed before leaves its registration behind for
 * good there.
 *
 * A hang-up does not mean that all data was read: while data is left, a registration that is armed
 * for reading is readable. Some systems report a hang-up only after all data before it was read.
 *
 * Persistent levels (notifier_add_level), for at most NOTIFIER_LEVELS_MOST sockets of any kind: the
 * replacement for poll(2). One thread waits, and only that thread adds, changes and removes. Each
 * wait reports each registration for which one of its conditions holds, for as long as it holds: a
 * condition that held when the socket was added, data that a partial read left, an end that was
 * read already. The conditions are readable, writable and hang-up, as above. If more registrations
 * are ready than there is room for, a later wait reports the others before it reports the same ones
 * again. A superfluous event is allowed: a condition may have ended since the system noticed it. A
 * broken connection is reported with all three conditions, whatever is requested.
 *
 * A change of the requested conditions holds for all later waits. Removal: no READY event of the
 * token comes from a wait after notifier_remove, and a later wait reports REMOVED, the token's last
 * event. The socket is closed after REMOVED, not before. If the system does not confirm the
 * removal, REMOVED comes after NOTIFIER_REMOVAL_MS nevertheless. If the system refuses a change,
 * the registration ends: REMOVED comes without notifier_remove. A later registration, also of the
 * same socket or the same number, has no event of an earlier one.
 *
 * A thread that also waits for other things watches notifier_handle with control_wait
 * (collector/platform/control.h), which has no limit of kinds but few handles.
 *
 * A notifier has registrations of one of the three kinds.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_NOTIFIER_H
#define SLUICE_COLLECTOR_PLATFORM_NOTIFIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

/* The most events that one wait takes from the system, in backends that have such a limit. */
#define NOTIFIER_WAIT_MOST 128

/* The most registrations of persistent levels, in one notifier. */
#define NOTIFIER_LEVELS_MOST 128

/*
 * The longest time in milliseconds from the removal of a persistent level to its REMOVED event, if
 * the thread waits.
 */
#define NOTIFIER_REMOVAL_MS 1000

/*
 * The longest time in milliseconds that notifier_finish waits for the system to end registrations.
 * A healthy system needs microseconds.
 */
#define NOTIFIER_FINISH_MS 500

/* Closes a stream socket: tcp_connection_close or tcp_listener_close of tcp.h. */
typedef void notifier_close(wait_handle socket);

/* The first member of the structure of every backend. */
struct notifier {
    const struct notifier_backend *backend;
    size_t threads;

    /* Used only by the checks of callers (RULE in notifier.c). */
    _Atomic bool changing;  /* a thread is adding or removing */
    _Atomic bool waiting;   /* a thread is waiting; only maintained if `threads` is 1 */
    _Atomic unsigned kinds; /* the kinds of registrations so far, bits of an enum in notifier.c */
};

/* The conditions that a level may be requested for. */
enum notifier_interest {
    NOTIFIER_IN = 1 << 0,
    NOTIFIER_OUT = 1 << 1,
    NOTIFIER_HANGUP = 1 << 2,
    NOTIFIER_ALL = NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP,
};

/* One of the armings of notifier_arm_all. */
struct notifier_arming {
    wait_handle socket;
    void *token;
    unsigned interests;
    bool failed; /* the result: this arming failed */
};

enum notifier_event_type {
    NOTIFIER_READY,   /* drain the socket; for a level, `ready` has the conditions that hold */
    NOTIFIER_REMOVED, /* the token's last event */
    NOTIFIER_WOKEN,   /* notifier_wake was called; no token */
};

struct notifier_event {
    enum notifier_event_type type;
    void *token;
    unsigned ready; /* for a level: enum notifier_interest; a broken connection has all three */
};

/* A backend's implementation of the functions below that have the same name. */
struct notifier_backend {
    const char *name; /* "epoll": for --notifier, --version and the log */

    /*
     * Several threads may wait, and each event goes to one of them. While one thread drains a
     * socket, another thread may get an event of that socket.
     */
    bool shared;

    /* Returns true if this system has the backend. NULL: every system of the port has it. */
    bool (*is_available)(void);

    /*
     * Checks whether the backend can watch a socket on this system. Returns 0, or -1 with `error`
     * filled. NULL: no check is needed.
     */
    int (*probe)(struct error *error);

    int (*create)(struct notifier **out, size_t threads, struct error *error);
    void (*destroy)(struct notifier *notifier);

    /* For datagram sockets. NULL: this backend does not have edges. */
    int (*add)(struct notifier *notifier, wait_handle socket, void *token, struct error *error);

    /* For edges, and for persistent levels. */
    int (*remove)(struct notifier *notifier, wait_handle socket, void *token, struct error *error);

    size_t (*wait)(struct notifier *notifier, size_t thread, struct notifier_event *events,
                   size_t capacity, int timeout_ms);
    void (*leave)(struct notifier *notifier, size_t thread); /* NULL: not needed */
    void (*wake)(struct notifier *notifier);

    /*
     * For streams, with any number of threads. All three NULL: this backend does not watch streams.
     */
    int (*watch)(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                 struct error *error);
    int (*arm)(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
               struct error *error);
    void (*unwatch)(struct notifier *notifier, wait_handle socket, notifier_close *close);

    /* NULL if the system has no single call for both. */
    size_t (*arm_all)(struct notifier *notifier, size_t thread, struct notifier_arming *armings,
                      size_t count, struct notifier_event *events, size_t capacity);

    /* Both NULL if the system ends a registration at once. */
    void (*finish)(struct notifier *notifier);
    size_t (*unremoved)(const struct notifier *notifier);

    /* For persistent levels, with one thread. All NULL if this backend does not have them. */
    int (*add_level)(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                     struct error *error);
    void (*change_level)(struct notifier *notifier, wait_handle socket, void *token,
                         unsigned interests);
    wait_handle (*handle)(struct notifier *notifier, struct error *error);
};

/*
 * The operating system's backends for datagram sockets, for streams, and for persistent levels. The
 * best one is first; NULL ends the table.
 */
extern const struct notifier_backend *const notifier_backends[];
extern const struct notifier_backend *const notifier_stream_backends[];
extern const struct notifier_backend *const notifier_level_backends[];

/* Returns true if this system has the backend. */
bool notifier_is_available(const struct notifier_backend *backend);

/*
 * Returns `wanted` or, if that is NULL, the first backend that this system has and whose probe
 * succeeds. Returns NULL with `error` filled (EXIT_CODE_CONFIG) if this system does not have it.
 */
const struct notifier_backend *notifier_choose(const struct notifier_backend *wanted,
                                               struct error *error);

/*
 * Returns the first backend of this system that watches streams and whose probe succeeds, or NULL
 * with `error` filled (EXIT_CODE_CONFIG).
 */
const struct notifier_backend *notifier_choose_for_streams(struct error *error);

/*
 * Looks at the first backend of the table (which ends with NULL) that the system has. Returns it,
 * with the reason in `error`, if its probe fails, so that it is not chosen automatically. Otherwise
 * returns NULL.
 */
const struct notifier_backend *notifier_passed_over(const struct notifier_backend *const *backends,
                                                    struct error *error);

/*
 * Creates a notifier for `threads` (≥ 1) threads. More than one thread is allowed only if the
 * backend is shared or is for streams. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int notifier_create(struct notifier **out, const struct notifier_backend *backend, size_t threads,
                    struct error *error);

/*
 * Creates a notifier for persistent levels, with its first socket (notifier_add_level). Uses the
 * first backend that this system has and that accepts the socket: ProcessSocketNotifications of
 * Windows accepts only sockets of Microsoft's own providers. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL).
 */
int notifier_create_for_levels(struct notifier **out, wait_handle socket, void *token,
                               unsigned interests, struct error *error);

/* Frees the notifier, and forgets sockets that were not removed. NULL is allowed. */
void notifier_destroy(struct notifier *notifier);

/*
 * Watches a non-blocking datagram socket; the token is not NULL. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_INTERNAL).
 */
int notifier_add(struct notifier *notifier, wait_handle socket, void *token, struct error *error);

/*
 * Watches a non-blocking stream socket, armed for these interests (enum notifier_interest, at least
 * one). Any thread. The token is not NULL. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_INTERNAL).
 */
int notifier_watch(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                   struct error *error);

/*
 * Arms the registration of a stream again; called by the thread that owns it. As soon as this is
 * called, another thread may get the event. Returns as notifier_watch does; after a failure the
 * registration stays silent.
 */
int notifier_arm(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                 struct error *error);

/* Returns true if notifier_arm_all may be called. */
bool notifier_arms_together(const struct notifier *notifier);

/*
 * Arms several different streams (1 to NOTIFIER_WAIT_MOST), each as notifier_arm does, and takes
 * the present events as notifier_wait does, but without waiting. Both take one system call instead
 * of several. Call it only if notifier_arms_together. Returns the number of events; these may be
 * events of the streams that it has just armed.
 */
size_t notifier_arm_all(struct notifier *notifier, size_t thread, struct notifier_arming *armings,
                        size_t count, struct notifier_event *events, size_t capacity);

/*
 * Stops watching a stream socket and takes it over: the socket is closed by `close`, once, in this
 * call or, where the system ends the registration later, in a later wait. The caller must not use
 * the socket any more. May also be called after notifier_watch failed. Any thread. An event that a
 * thread has taken and not handled yet may still name the socket's token.
 */
void notifier_unwatch(struct notifier *notifier, wait_handle socket, notifier_close *close);

/*
 * Waits until the stream sockets that were handed over are closed, for at most NOTIFIER_FINISH_MS,
 * then closes the remaining ones. Called after the last wait; drops events. notifier_destroy calls
 * it, too.
 */
void notifier_finish(struct notifier *notifier);

/*
 * Returns the number of sockets so far whose registration the system did not end in time, although
 * this was requested repeatedly. They were closed, or reported as REMOVED, nevertheless.
 * Does not count persistent levels. Any thread.
 */
size_t notifier_unremoved(const struct notifier *notifier);

/*
 * Adds a persistent level, for these interests (at least one). The token is not NULL. Returns 0, or
 * -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int notifier_add_level(struct notifier *notifier, wait_handle socket, void *token,
                       unsigned interests, struct error *error);

/*
 * Changes the interests of a persistent level. 0: no event, except that a broken connection may be
 * reported. It has no effect after notifier_remove, or if REMOVED is about to come.
 */
void notifier_change_level(struct notifier *notifier, wait_handle socket, void *token,
                           unsigned interests);

/*
 * Returns a handle of a notifier of persistent levels, for control_wait (want_read): it becomes
 * readable as soon as a wait would report an event. Wait until notifier_wait returns 0 before
 * waiting for the handle. Valid until the notifier is destroyed. Returns NO_HANDLE with `error`
 * filled (EXIT_CODE_INTERNAL) if memory or threads are short.
 */
wait_handle notifier_handle(struct notifier *notifier, struct error *error);

/*
 * Stops watching a datagram socket, or a persistent level. Returns 0 if the REMOVED event will
 * follow, or -1 with `error` filled if the socket is not watched.
 */
int notifier_remove(struct notifier *notifier, wait_handle socket, void *token,
                    struct error *error);

/* The system's wait failed: the state of the sockets is unknown. */
#define NOTIFIER_FAILED SIZE_MAX

/*
 * Waits for events, for at most `timeout_ms` milliseconds (negative: for ever). Stores at most
 * `capacity` (≥ 1) of them in `events`; if there are several threads, only one. `thread` is the
 * caller's number. Returns the number of events. If one thread waits and there was room for more
 * events, all events were stored, up to NOTIFIER_WAIT_MOST. 0: the time is over, the wait was
 * interrupted, or the backend only recorded that this thread has finished with its events.
 * NOTIFIER_FAILED, after a pause of a millisecond: the system's wait failed.
 */
size_t notifier_wait(struct notifier *notifier, size_t thread, struct notifier_event *events,
                     size_t capacity, int timeout_ms);

/* Called when the thread with that number has finished with its events and will not wait again. */
void notifier_leave(struct notifier *notifier, size_t thread);

/*
 * Ends the current or the next wait of one thread with a WOKEN event. To wake all threads, the
 * caller wakes one, and each woken thread wakes the next. Several calls before that wait count as
 * one. Any thread.
 */
void notifier_wake(struct notifier *notifier);

#endif
