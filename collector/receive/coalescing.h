/*
 * Decides when a receiving thread should pause, so that its next drain finds more datagrams.
 *
 * At a high rate most of the cost of a datagram is the thread's wake-up: a thread that drains at
 * once finds two to four datagrams, but a thread that pauses first finds dozens. So a thread
 * reports how many datagrams each round took, and asks for a delay before it waits again. At a low
 * rate it never pauses, and no datagram waits.
 *
 * Each struct is owned by one thread. The functions depend only on the struct and their arguments.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_COALESCING_H
#define SLUICE_COLLECTOR_RECEIVE_COALESCING_H

#include <stdint.h>

/* A pause is worth its delay if it is expected to gather at least this many datagrams. */
#define COALESCING_LEAST         4
#define COALESCING_LEAST_ALLOWED 2 /* the same, if a record may be late by the whole pause
                                      (coalescing_delay) */

/*
 * A pause is not prolonged to gather more datagrams than this: this number still fits the cache,
 * and a wake-up costs little in comparison with handling it.
 */
#define COALESCING_ENOUGH 256

/* Pauses longer than this (nanoseconds) are made only if records are allowed to be that late. */
#define COALESCING_USUAL_NS INT64_C(500000)

/*
 * After a quiet period the rate is unknown, so a long pause must suit any rate. A pause longer than
 * COALESCING_USUAL_NS is therefore limited: datagrams that arrive every COALESCING_FASTEST_NS may
 * fill at most half of the smallest receive buffer.
 */
#define COALESCING_FASTEST_NS 2500

/* Rates are measured over at least this time (nanoseconds). */
#define COALESCING_WINDOW_NS INT64_C(2000000)

/*
 * At the measured rate, datagrams that arrive during a pause may fill at most a quarter (1 /
 * COALESCING_BUFFER_PART) of a receive buffer. The kernel's overhead per datagram is unknown;
 * COALESCING_BUFFER_CHARGE bytes are assumed.
 */
#define COALESCING_BUFFER_PART   4
#define COALESCING_BUFFER_CHARGE 1280

struct coalescing {
    int64_t most_ns; /* the longest pause; 0: no pauses */
    uint64_t buffer; /* bytes of the smallest receive buffer */
    uint64_t charge; /* bytes of overhead per datagram in the buffer; 0 for streams */

    int64_t window_begun_ns;
    uint64_t datagrams; /* datagrams received in the present window */
    uint64_t bytes;
    double datagram_rate; /* datagrams per nanosecond in the window before */
    double byte_rate;     /* bytes per nanosecond in that window, with overhead */
};

void coalescing_init(struct coalescing *coalescing, int64_t now_ns);

/*
 * Adds a socket with a receive buffer of `buffer` bytes, whose datagrams may wait for at most
 * `most_ns`. Pauses apply to all sockets of the thread.
 */
void coalescing_add_socket(struct coalescing *coalescing, int64_t most_ns, uint64_t buffer);

/*
 * Adapts the pauses to stream sockets: there is no overhead per datagram, and a sender waits when a
 * buffer is full, so the unknown rate after a quiet period does not matter.
 */
void coalescing_set_stream(struct coalescing *coalescing);

/* Removes all sockets, so that they can be added again. */
void coalescing_forget_sockets(struct coalescing *coalescing);

/* Adds `datagrams` datagrams of `bytes` bytes in total to the measured rate. */
void coalescing_note(struct coalescing *coalescing, uint64_t datagrams, uint64_t bytes);

/*
 * Returns how long to pause in nanoseconds, at `now_ns`, when all sockets are drained; 0: wait for
 * the next event without a pause. Records may be late by `allowed_ns`; a pause that is not longer
 * is worth its delay if it gathers COALESCING_LEAST_ALLOWED datagrams.
 */
int64_t coalescing_delay(struct coalescing *coalescing, int64_t allowed_ns, int64_t now_ns);

#endif
