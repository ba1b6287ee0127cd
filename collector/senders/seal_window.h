/*
 * Remembers which sealed datagrams of one key were accepted, so that none is accepted twice.
 *
 * A key has several sessions, each with a window of its last counters. A counter in the window was
 * accepted if its bit is set; a counter below the window may have been accepted. When a session
 * begins and no slot is free, the session with the oldest latest time is forgotten, and the key's
 * floor rises to that time. A datagram that is not later than the floor may have been accepted in a
 * forgotten session, so a new session accepts only later ones. This also applies to a forgotten
 * session that returns, because its window is lost.
 *
 * Pass only datagrams whose tag is right. Pure functions; one thread at a time (key_sessions.h has
 * the lock).
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEAL_WINDOW_H
#define SLUICE_COLLECTOR_SENDERS_SEAL_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* Upper limits: counters in a window, and sessions of a key. */
#define SEAL_WINDOW   1024
#define SEAL_SESSIONS 8

enum seal_verdict {
    SEAL_ACCEPTED,
    SEAL_REPLAYED, /* the datagram was accepted before, or its counter is below the window, so that
                    * it may have been accepted */
    SEAL_STALE,    /* the datagram's time is not later than the session's floor */
};

struct seal_session {
    uint64_t session;
    uint64_t highest;                /* highest accepted counter; 0 if the slot is free */
    int64_t latest_ns;               /* latest accepted time */
    int64_t floor_ns;                /* the key's floor when the session began, or raised later */
    uint64_t seen[SEAL_WINDOW / 64]; /* counter n is accepted if bit n % width is set */
};

struct seal_sessions {
    int64_t floor_ns; /* a new session accepts only later times */
    uint32_t width;   /* counters in a window: a power of two, at most SEAL_WINDOW */
    uint32_t count;   /* number of slots that are used, at most SEAL_SESSIONS */
    struct seal_session slots[SEAL_SESSIONS];
};

/*
 * Initialises *sessions: it has no session yet, and room for SEAL_SESSIONS sessions with windows of
 * SEAL_WINDOW counters.
 */
void seal_sessions_init(struct seal_sessions *sessions, int64_t floor_ns);

/*
 * Like seal_sessions_init, but with fewer counters and slots, so that a test can try all
 * combinations.
 */
void seal_sessions_init_small(struct seal_sessions *sessions, int64_t floor_ns, uint32_t width,
                              uint32_t count);

/*
 * Classifies a datagram, whose counter is at least 1, and notes it if it is accepted. Other
 * verdicts change nothing.
 */
enum seal_verdict seal_sessions_take(struct seal_sessions *sessions, uint64_t session,
                                     uint64_t counter, int64_t time_ns);

/* Returns the floor of this session, or the key's floor if the session does not exist. */
int64_t seal_sessions_floor(struct seal_sessions *sessions, uint64_t session);

/*
 * Raises the floors of the key and of its sessions to `floor_ns` if they are lower. Call this if
 * datagrams up to that time may have been accepted with other windows.
 */
void seal_sessions_raise_floor(struct seal_sessions *sessions, int64_t floor_ns);

/*
 * Returns the latest time that may have been accepted: the latest of the sessions' times and the
 * floor.
 */
int64_t seal_sessions_latest(const struct seal_sessions *sessions);

#endif
