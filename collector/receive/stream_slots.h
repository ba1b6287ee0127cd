/*
 * The connections of a stream server, and which thread owns each connection.
 *
 * A thread that arms a connection may still be inside the notifier (SLOT_ARMING) when another
 * thread takes the event. The event proves that the connection was armed, so the second thread may
 * claim the slot at once. But it must not close the connection until the first thread has returned
 * from the notifier (`armers`). Each arming has a number, by which the first thread recognises that
 * the slot was claimed in between.
 *
 * A slot never moves, because its address is the token of its events. The main thread creates and
 * destroys slots while no thread serves; any thread may do the rest.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_SLOTS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_SLOTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/platform/notifier.h"
#include "collector/platform/thread.h"
#include "collector/receive/stream_connection.h"
#include "collector/receive/stream_hosts.h"

enum stream_slot_phase { SLOT_FREE, SLOT_OWNED, SLOT_ARMING, SLOT_ARMED };
#define STREAM_SLOT_PHASES 4

struct stream_slot {
    _Atomic uint64_t state;  /* the arming's number * STREAM_SLOT_PHASES + phase */
    _Atomic unsigned armers; /* how many threads are in stream_slot_arm */
    _Atomic int64_t due_ns;  /* the connection's deadlines, for scans while it has no owner */
    _Atomic int64_t pressure_ns;
    _Atomic bool paused;         /* the connection is not served until a scan claims it */
    _Atomic bool waits;          /* while the listener stops: the connection waits for the rest of a
                                    frame */
    bool hung_up;                /* a hang-up was reported; the slot is not armed for it again */
    struct stream_slot *next;    /* the next slot in the free list */
    struct stream_host *host;    /* the peer's host, by its address */
    struct stream_host *network; /* the peer's network, or a host for its proven name */
    bool is_named;
    struct stream_connection connection;
};

/* Slots that were allocated together. */
struct stream_slot_group;

struct stream_slots {
    struct stream_slot_group *groups;
    struct stream_slot **all; /* the slots of all groups */
    size_t count;

    struct mutex *lock; /* guards the members below; taken when a connection begins or ends */
    struct stream_slot *free;
    size_t made; /* slots that were ever used: the first `made` of `all` */
    struct stream_hosts hosts, networks; /* `hosts` are counted by address, `networks` by network or
                                            proven name */

    _Atomic size_t open; /* the number of open connections */
};

/* Returns the bytes of `count` slots. */
size_t stream_slots_memory(size_t count);

/* Initialises a zeroed struct, which has no slots yet. Returns 0, or -1 with `error` filled. */
int stream_slots_init(struct stream_slots *slots, struct error *error);

/* Frees the slots. The struct may be only zeroed, or its init may have failed. */
void stream_slots_destroy(struct stream_slots *slots);

/*
 * Makes slots until there are at least `count`. Returns false, with nothing changed, if out of
 * memory.
 */
bool stream_slots_grow(struct stream_slots *slots, size_t count);

/*
 * Acquires a free slot for a connection from `peer`; stream_slot_open then makes the caller its
 * owner. Returns NULL if the peer's host already has `most_of_host` connections (then *of_host is
 * set), or if `most` connections are open.
 */
struct stream_slot *stream_slots_acquire(struct stream_slots *slots, const struct address *peer,
                                         size_t most, size_t most_of_host, bool *of_host);

/*
 * Called by the owner when the peer has proved its name: from now on the connection shares blocks
 * with other connections of that name.
 */
void stream_slots_name(struct stream_slots *slots, struct stream_slot *slot,
                       const struct stream_settings *settings);

/* Called by the owner: frees the slot, after its connection has ended. */
void stream_slots_release(struct stream_slots *slots, struct stream_slot *slot);

/* Returns the number of slots that were ever used; these are the first in `all`. */
size_t stream_slots_made(struct stream_slots *slots);

/* Returns the present phase. */
enum stream_slot_phase stream_slot_phase(const struct stream_slot *slot);

/* Makes the caller the owner of the slot, after the caller acquired it and began the connection. */
void stream_slot_open(struct stream_slot *slot);

/*
 * Claims the slot for an event that the caller took (by_event), or for a scan. Returns whether the
 * caller owns the slot now.
 */
bool stream_slot_claim(struct stream_slot *slot, bool by_event);

/* Publishes the connection's deadlines, for scans while no thread owns the connection. */
void stream_slot_note_times(struct stream_slot *slot);

/*
 * Called by the owner: passes the connection on by arming it for `interests` of notifier.h. If
 * is_new, registers it first. Returns true if that failed and the caller still owns the connection.
 */
bool stream_slot_arm(struct stream_slot *slot, struct notifier *notifier, unsigned interests,
                     bool is_new);

/*
 * The two halves of stream_slot_arm, for arming together with others (notifier_arm_all): the first
 * returns the arming's number, the second returns as stream_slot_arm does.
 */
uint64_t stream_slot_begin_arming(struct stream_slot *slot);
bool stream_slot_end_arming(struct stream_slot *slot, uint64_t arming, bool failed);

/*
 * Called by the owner: passes the connection on without arming it. Then only a scan can claim it.
 */
void stream_slot_park(struct stream_slot *slot);

#endif
