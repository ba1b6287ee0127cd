/*
 * The connections of a stream server, and whose each of them is.
 *
 * A connection is armed by a thread that has to have done with it before another one may close it:
 * SLOT_ARMING. A notifier's event is the proof that it was armed, so its taker need not wait for
 * SLOT_ARMED. Each arming has a number, which tells an old event from a new one.
 *
 * A slot stays where it is, since its address is the token of its events. Slots are made and
 * destroyed by the main thread, while no thread serves; all else is for any thread.
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
    _Atomic uint64_t state;      /* number of the arming * STREAM_SLOT_PHASES + phase */
    _Atomic unsigned armers;     /* threads that are about to have given it away */
    _Atomic int64_t due_ns;      /* the connection's, while nobody owns it */
    _Atomic int64_t pressure_ns; /* the same */
    _Atomic bool paused;         /* it was left alone; the first thread takes it up again */
    _Atomic bool waits;          /* for the rest of a frame, although the listener stops */
    bool hung_up;                /* its hang-up was reported: it is not armed for that again */
    struct stream_slot *next;    /* the next one that is free */
    struct stream_host *host;    /* its connection's, by address */
    struct stream_host *network; /* or by the name that it has shown */
    bool is_named;
    struct stream_connection connection;
};

/* Slots that were made together. */
struct stream_slot_group;

struct stream_slots {
    struct stream_slot_group *groups;
    struct stream_slot **all; /* of all groups */
    size_t count;

    struct mutex *lock; /* of what follows: taken when a connection comes or goes */
    struct stream_slot *free;
    size_t made;                         /* slots that were ever used: the first ones */
    struct stream_hosts hosts, networks; /* of the connections */

    _Atomic size_t open; /* connections */
};

/* Bytes that `count` slots take. */
size_t stream_slots_memory(size_t count);

/* Of zeroed memory, without slots. Returns 0, or -1 with `error` filled: memory is short. */
int stream_slots_init(struct stream_slots *slots, struct error *error);

/* Also of what was only zeroed, or whose init failed. */
void stream_slots_destroy(struct stream_slots *slots);

/* There are `count` slots at least. Returns false, nothing changed, where memory is short. */
bool stream_slots_grow(struct stream_slots *slots, size_t count);

/*
 * A slot for a connection from there, which becomes the caller's with stream_slot_open. NULL: its
 * host has `most_of_host` of them already (*of_host), or `most` of them are open.
 */
struct stream_slot *stream_slots_acquire(struct stream_slots *slots, const struct address *peer,
                                         size_t most, size_t most_of_host, bool *of_host);

/*
 * The owner's connection has shown a name: from now on it shares what is scarce with others of that
 * name.
 */
void stream_slots_name(struct stream_slots *slots, struct stream_slot *slot,
                       const struct stream_settings *settings);

/* Its connection has ended. */
void stream_slots_release(struct stream_slots *slots, struct stream_slot *slot);

/* Those that were ever used are the first ones. */
size_t stream_slots_made(struct stream_slots *slots);

/* The phase that it is in now. */
enum stream_slot_phase stream_slot_phase(const struct stream_slot *slot);

/* Of the caller, who took it and began its connection. */
void stream_slot_open(struct stream_slot *slot);

/*
 * An event was taken (by_event), or the first thread has a reason. Returns whether it is the
 * caller's now.
 */
bool stream_slot_claim(struct stream_slot *slot, bool by_event);

/* The connection's times, for who looks after it while nobody owns it. */
void stream_slot_note_times(struct stream_slot *slot);

/*
 * The owner gives it away by arming it for `interests` of notifier.h, and with is_new by having it
 * watched first. Returns whether it is still the caller's, as that failed.
 */
bool stream_slot_arm(struct stream_slot *slot, struct notifier *notifier, unsigned interests,
                     bool is_new);

/* The owner gives it away without having it armed: only a claim without an event takes it. */
void stream_slot_park(struct stream_slot *slot);

#endif
