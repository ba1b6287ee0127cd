/*
 * Which sealed datagrams of one key were accepted, so that none is accepted twice.
 *
 * A key has a number of sessions, each with a window of its last counters: a counter below the
 * window, or whose bit is set, was or may have been accepted before. When a further session comes,
 * the one whose last time is oldest is forgotten, and the key's floor rises to the largest time of
 * what that session had accepted. A datagram that is not later than the floor may have been
 * accepted in a session that is forgotten. So a session that begins accepts only later ones.
 *
 * The same holds of a session that was forgotten and comes back: without its old window, only times
 * tell what it had accepted.
 *
 * Only datagrams whose tag is right come here. Pure functions; one thread at a time (key_sessions.h
 * has the lock).
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
    SEAL_REPLAYED, /* accepted before, or too far behind its session to know */
    SEAL_STALE,    /* not later than the floor that its session began with */
};

struct seal_session {
    uint64_t session;
    uint64_t highest;                /* counter accepted; 0: the slot is free */
    int64_t latest_ns;               /* time accepted */
    int64_t floor_ns;                /* of the key when the session began */
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

/* The same with a smaller width and fewer slots, which tests can try out exhaustively. */
void seal_sessions_init_small(struct seal_sessions *sessions, int64_t floor_ns, uint32_t width,
                              uint32_t count);

/*
 * Classifies a datagram (counter ≥ 1) and notes it if it is accepted. Any other verdict changes
 * nothing.
 */
enum seal_verdict seal_sessions_take(struct seal_sessions *sessions, uint64_t session,
                                     uint64_t counter, int64_t time_ns);

/* Returns the largest time that may have been accepted: of the sessions, and the floor. */
int64_t seal_sessions_latest(const struct seal_sessions *sessions);

#endif
