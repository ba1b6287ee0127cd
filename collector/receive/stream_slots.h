/*
 * The connections of a stream server, and which thread owns each of them.
 *
 * A thread that arms a connection may still be inside the notifier (SLOT_ARMING) when another
 * thread takes the event. The event proves that the connection was armed, so the second thread may
 * claim the slot at once. It must not close the connection until the first thread has returned from
 * the notifier (`armers`). Each arming has a number, by which the first thread recognises that the
 * slot was claimed during the arming.
 *
 * A slot never moves, because its address is the token of its events. The main thread creates and
 * destroys slots while no thread serves; any thread may call the other functions.
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
    _Atomic uint64_t state;  /* number of the arming * STREAM_SLOT_PHASES + phase */
    _Atomic unsigned armers; /* number of threads that are arming it */
    _Atomic int64_t due_ns;  /* the connection's deadlines, for scans while it has no owner */
    _Atomic int64_t pressure_ns;
    _Atomic bool paused; /* not served until a scan claims the connection */
    _Atomic bool waits; /* while the listener stops: the connection waits for the rest of a frame */
    bool hung_up;       /* a hang-up was reported, so the slot is not armed for it again */
    struct stream_slot *next;    /* next slot in the free list */
    struct stream_host *host;    /* the peer's address or /64, for the limit of connections */
    struct stream_host *network; /* the peer's network, or its proven name, for sharing memory */
    bool is_named;
    struct stream_connection connection;
};

/* Slots that were allocated together. */
struct stream_slot_group;

struct stream_slots {
    struct stream_slot_group *groups;
    struct stream_slot **all; /* slots of all groups */
    size_t count;

    struct mutex *lock; /* guards the members below; taken when a connection begins or ends */
    struct stream_slot *free;
    size_t made;                         /* number of slots ever used, the first in `all` */
    struct stream_hosts hosts, networks; /* by address; by network or proven name */

    _Atomic size_t open;
};

/* Returns the bytes of `count` slots. */
size_t stream_slots_memory(size_t count);

/* Initialises a zeroed struct. It has no slots yet. Returns 0, or -1 with `error` filled. */
int stream_slots_init(struct stream_slots *slots, struct error *error);

/*
 * Frees the slots. stream_slots_init may have failed, or not have been called for a zeroed struct.
 */
void stream_slots_destroy(struct stream_slots *slots);

/*
 * Creates slots until there are at least `count`. Returns false, with no slot added, if out of
 * memory.
 */
bool stream_slots_grow(struct stream_slots *slots, size_t count);

/*
 * Acquires a free slot for a connection from `peer`. The caller then begins the connection and
 * calls stream_slot_open, or stream_slots_release. Returns NULL if `most` connections are open, or
 * if the peer's host (address_network) already has `most_of_host` (then sets *of_host).
 */
struct stream_slot *stream_slots_acquire(struct stream_slots *slots, const struct address *peer,
                                         size_t most, size_t most_of_host, bool *of_host);

/*
 * Owner: from now on the connection shares blocks with other connections of the same name, because
 * the peer has proved it.
 */
void stream_slots_name(struct stream_slots *slots, struct stream_slot *slot,
                       const struct stream_settings *settings);

/* Owner: frees the slot, after its connection has ended. */
void stream_slots_release(struct stream_slots *slots, struct stream_slot *slot);

/* Returns the number of slots ever used. These are the first ones in `all`. */
size_t stream_slots_made(struct stream_slots *slots);

enum stream_slot_phase stream_slot_phase(const struct stream_slot *slot);

/*
 * Makes the caller the owner of the slot, after it has acquired the slot and begun the connection.
 */
void stream_slot_open(struct stream_slot *slot);

/*
 * Claims the slot for an event that the caller took (`by_event`), or for a scan. Returns true if
 * the caller now owns the slot.
 */
bool stream_slot_claim(struct stream_slot *slot, bool by_event);

/* Publishes the connection's deadlines, for scans while it has no owner. */
void stream_slot_note_times(struct stream_slot *slot);

/*
 * Owner: arms the connection for `interests` of notifier.h and gives up ownership. If `is_new`,
 * registers it first. Returns true if that failed and the caller still owns the connection.
 */
bool stream_slot_arm(struct stream_slot *slot, struct notifier *notifier, unsigned interests,
                     bool is_new);

/*
 * The halves of stream_slot_arm, for arming several connections with one call (notifier_arm_all).
 * The first returns the number of the arming, the second returns as stream_slot_arm.
 */
uint64_t stream_slot_begin_arming(struct stream_slot *slot);
bool stream_slot_end_arming(struct stream_slot *slot, uint64_t arming, bool failed);

/* Owner: gives up ownership without arming the connection. Only a scan can then claim it. */
void stream_slot_park(struct stream_slot *slot);

#endif
