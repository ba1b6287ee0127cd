/*
 * The connections of a stream server, and which thread owns each of them.
 *
 * A thread that arms a connection may still be inside the notifier when another thread takes the
 * event: SLOT_ARMING. The event proves that the connection was armed, so the second thread may
 * claim it at once, but must not close it until the first one has returned (`armers`). Each arming
 * has a number, by which the first thread recognises that the slot was claimed in between.
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
    _Atomic uint64_t state;  /* the number of the arming * STREAM_SLOT_PHASES + phase */
    _Atomic unsigned armers; /* threads that are in stream_slot_arm */
    _Atomic int64_t due_ns;  /* the connection's deadlines, while no thread owns it */
    _Atomic int64_t pressure_ns;
    _Atomic bool paused;         /* it is left alone until the first thread's scan takes it */
    _Atomic bool waits;          /* for the remainder of a frame, although the listener stops */
    bool hung_up;                /* its hang-up was reported, and it is not armed for that again */
    struct stream_slot *next;    /* in the free list */
    struct stream_host *host;    /* of the connection, by address */
    struct stream_host *network; /* by network, or by the name that the peer has proved */
    bool is_named;
    struct stream_connection connection;
};

/* Slots that were allocated together. */
struct stream_slot_group;

struct stream_slots {
    struct stream_slot_group *groups;
    struct stream_slot **all; /* of all groups */
    size_t count;

    struct mutex *lock; /* guards the members below; taken when a connection begins or ends */
    struct stream_slot *free;
    size_t made; /* the slots that were ever used are the first ones of `all` */
    struct stream_hosts hosts, networks; /* of the connections */

    _Atomic size_t open; /* connections */
};

/* Bytes of `count` slots. */
size_t stream_slots_memory(size_t count);

/* Initialises a zeroed struct, which has no slots yet. Returns 0, or -1 with `error` filled. */
int stream_slots_init(struct stream_slots *slots, struct error *error);

/* A struct that is only zeroed, or whose init failed, is allowed. */
void stream_slots_destroy(struct stream_slots *slots);

/* Makes at least `count` slots. Returns false, with nothing changed, if out of memory. */
bool stream_slots_grow(struct stream_slots *slots, size_t count);

/*
 * Acquires a free slot for a connection from `peer`; stream_slot_open then makes the caller its
 * owner. Returns NULL if the peer's host has `most_of_host` connections (*of_host), or if `most`
 * are open.
 */
struct stream_slot *stream_slots_acquire(struct stream_slots *slots, const struct address *peer,
                                         size_t most, size_t most_of_host, bool *of_host);

/*
 * Owner: the peer has proved its name, so from now on it shares blocks with other connections of
 * that name.
 */
void stream_slots_name(struct stream_slots *slots, struct stream_slot *slot,
                       const struct stream_settings *settings);

/* Owner: frees the slot, after its connection has ended. */
void stream_slots_release(struct stream_slots *slots, struct stream_slot *slot);

/* The number of slots that were ever used, the first ones of `all`. */
size_t stream_slots_made(struct stream_slots *slots);

/* The present phase. */
enum stream_slot_phase stream_slot_phase(const struct stream_slot *slot);

/* Makes the caller the owner, after it acquired the slot and began the connection. */
void stream_slot_open(struct stream_slot *slot);

/*
 * Claims the slot for an event that the caller took (by_event), or for a scan. Returns whether the
 * caller owns it now.
 */
bool stream_slot_claim(struct stream_slot *slot, bool by_event);

/* Publishes the connection's deadlines, for scans while no thread owns it. */
void stream_slot_note_times(struct stream_slot *slot);

/*
 * Owner: passes the connection on by arming it for `interests` of notifier.h; is_new: registers it
 * first. Returns whether that failed and the caller still owns it.
 */
bool stream_slot_arm(struct stream_slot *slot, struct notifier *notifier, unsigned interests,
                     bool is_new);

/* Owner: passes the connection on without arming it; only a claim by a scan takes it. */
void stream_slot_park(struct stream_slot *slot);

#endif
