/*
 * Decides when a receiving thread should pause, so that its next drain finds more.
 *
 * At a high rate most of the cost of a datagram is the wake-up: a thread that drains at once finds
 * two to four datagrams, one that pauses first finds dozens. So a thread reports what each round
 * took, and asks for a delay before it waits again. At a low rate it never pauses, and no datagram
 * waits.
 *
 * Owned by one thread. The functions depend only on the struct and their arguments.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_COALESCING_H
#define SLUICE_COLLECTOR_RECEIVE_COALESCING_H

#include <stdint.h>

/* A pause must be expected to gather at least this many datagrams to be worth the delay. */
#define COALESCING_LEAST         4
#define COALESCING_LEAST_ALLOWED 2 /* if records may be late by the pause in any case */

/*
 * A pause is not prolonged to gather more than this: the cache holds them, and a wake-up is cheap
 * by comparison.
 */
#define COALESCING_ENOUGH 256

/* Pauses longer than this (nanoseconds) are only for records that may be as late. */
#define COALESCING_USUAL_NS INT64_C(500000)

/*
 * After a quiet period the rate is unknown. A longer pause assumes one datagram every
 * COALESCING_FASTEST_NS, which may fill at most half of the smallest receive buffer.
 */
#define COALESCING_FASTEST_NS 2500

/* Rates are measured over at least this time (nanoseconds). */
#define COALESCING_WINDOW_NS INT64_C(2000000)

/*
 * A pause may fill at most a quarter (1 / COALESCING_BUFFER_PART) of a receive buffer at the
 * measured rate. The kernel's overhead per datagram is unknown; COALESCING_BUFFER_CHARGE bytes are
 * assumed.
 */
#define COALESCING_BUFFER_PART   4
#define COALESCING_BUFFER_CHARGE 1280

struct coalescing {
    int64_t most_ns; /* the longest pause; 0: no pauses */
    uint64_t buffer; /* bytes of the smallest receive buffer */
    uint64_t charge; /* bytes of overhead per datagram in the buffer; 0 for streams */

    int64_t window_begun_ns;
    uint64_t datagrams; /* in the window */
    uint64_t bytes;
    double datagram_rate; /* per nanosecond, in the window before */
    double byte_rate;     /* the same for bytes, with the overhead */
};

void coalescing_init(struct coalescing *coalescing, int64_t now_ns);

/*
 * Adds a socket with a receive buffer of `buffer` bytes, whose datagrams may wait for at most
 * `most_ns`. Pauses apply to all sockets of the thread.
 */
void coalescing_add_socket(struct coalescing *coalescing, int64_t most_ns, uint64_t buffer);

/*
 * For stream sockets: there is no overhead per datagram, and a sender waits when a buffer is full,
 * so the unknown rate after a quiet period does not matter.
 */
void coalescing_set_stream(struct coalescing *coalescing);

/* Removes all sockets, to be added again. */
void coalescing_forget_sockets(struct coalescing *coalescing);

/* Notes that `datagrams` datagrams of `bytes` bytes in all were taken. */
void coalescing_note(struct coalescing *coalescing, uint64_t datagrams, uint64_t bytes);

/*
 * All sockets are drained at `now_ns`. Returns the time to pause in nanoseconds; 0: wait for the
 * next edge. Records may be late by `allowed_ns`, so a pause of at most that is worth it for only
 * two datagrams.
 */
int64_t coalescing_delay(struct coalescing *coalescing, int64_t allowed_ns, int64_t now_ns);

#endif
