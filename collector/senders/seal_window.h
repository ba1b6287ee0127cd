/*
 * Remembers which sealed datagrams of one key were accepted, so that none is accepted twice.
 *
 * A key has several sessions, each with a window of its last counters. A counter in the window was
 * accepted before if its bit is set; a counter below the window may have been accepted before. When
 * the slots are full and a further session begins, the session whose latest time is oldest is
 * forgotten, and the key's floor rises to that time. A datagram that is not later than the floor
 * may have been accepted in a forgotten session. So a session that begins accepts only later ones.
 * This also holds for a forgotten session that comes back, because its window is lost.
 *
 * Only datagrams whose tag is right are passed to these functions. Pure functions; one thread at a
 * time (key_sessions.h has the lock).
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEAL_WINDOW_H
#define SLUICE_COLLECTOR_SENDERS_SEAL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* Counters in a window, and sessions of a key. */
#define SEAL_WINDOW   1024
#define SEAL_SESSIONS 8

enum seal_verdict {
    SEAL_ACCEPTED,
    SEAL_REPLAYED, /* accepted before, or below its session's window, so that it may have been */
    SEAL_STALE,    /* not later than the floor of its session */
};

struct seal_session {
    uint64_t session;
    uint64_t highest;                /* highest accepted counter; 0: the slot is free */
    int64_t latest_ns;               /* time accepted */
    int64_t floor_ns;                /* the key's floor when the session began, or as raised */
    uint64_t seen[SEAL_WINDOW / 64]; /* counter n has bit n % width */
};

struct seal_sessions {
    int64_t floor_ns; /* a new session accepts only what is later */
    uint32_t width;   /* counters in a window: a power of two, at most SEAL_WINDOW */
    uint32_t count;   /* slots in use by this key, at most SEAL_SESSIONS */
    struct seal_session slots[SEAL_SESSIONS];
};

/* Begins without sessions, with SEAL_WINDOW counters and SEAL_SESSIONS slots. */
void seal_sessions_init(struct seal_sessions *sessions, int64_t floor_ns);

/* As seal_sessions_init, with fewer counters and slots, which tests can try out exhaustively. */
void seal_sessions_init_small(struct seal_sessions *sessions, int64_t floor_ns, uint32_t width,
                              uint32_t count);

/*
 * Classifies a datagram (counter ≥ 1) and notes it if it is accepted. Any other verdict changes
 * nothing.
 */
enum seal_verdict seal_sessions_take(struct seal_sessions *sessions, uint64_t session,
                                     uint64_t counter, int64_t time_ns);

/* Returns the floor of this session, or the key's floor if the session is not known. */
int64_t seal_sessions_floor(struct seal_sessions *sessions, uint64_t session);

/*
 * Raises the floor, and those of the sessions, to `floor_ns` if they are lower: datagrams up to it
 * may have been accepted with other windows.
 */
void seal_sessions_raise_floor(struct seal_sessions *sessions, int64_t floor_ns);

/* Returns the largest time that may have been accepted: of the sessions, and the floor. */
int64_t seal_sessions_latest(const struct seal_sessions *sessions);

#endif
