/*
 * Decides when a receiving thread pauses, so that its next drain finds more datagrams.
 *
 * At a high rate most of the cost of a datagram is the wake-up of the thread. A thread that drains
 * at once finds two to four datagrams; a thread that pauses first finds dozens. A thread therefore
 * reports the number of datagrams of each round, and coalescing_delay returns how long to pause
 * before it waits again. At a low rate this is 0, and no datagram waits.
 *
 * Each struct belongs to one thread. The functions depend only on the struct and their arguments.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_COALESCING_H
#define SLUICE_COLLECTOR_RECEIVE_COALESCING_H

#include <stdint.h>

/*
 * A pause must be expected to gather at least this many datagrams. The smaller number applies if
 * records are allowed to be late by the whole pause (coalescing_delay).
 */
#define COALESCING_LEAST         4
#define COALESCING_LEAST_ALLOWED 2

/*
 * A pause is not prolonged to gather more datagrams than this. This number still fits the
 * processor's cache, and the cost of a wake-up is small in comparison.
 */
#define COALESCING_ENOUGH 256

/* A pause is longer than this (nanoseconds) only if records are allowed to be that late. */
#define COALESCING_USUAL_NS INT64_C(500000)

/*
 * After a quiet period the rate is unknown, so a long pause must suit any rate. A pause longer than
 * COALESCING_USUAL_NS is therefore limited: datagrams that arrive every COALESCING_FASTEST_NS
 * (nanoseconds) may fill at most half of the smallest receive buffer.
 */
#define COALESCING_FASTEST_NS 2500

/* Rates are measured over at least this time (nanoseconds). */
#define COALESCING_WINDOW_NS INT64_C(2000000)

/*
 * At the measured rate, the datagrams that arrive during a pause may fill at most 1 /
 * COALESCING_BUFFER_PART of a receive buffer. The kernel's overhead per datagram is unknown, so
 * COALESCING_BUFFER_CHARGE bytes are assumed.
 */
#define COALESCING_BUFFER_PART   4
#define COALESCING_BUFFER_CHARGE 1280

struct coalescing {
    int64_t most_ns; /* longest pause; 0 means no pauses */
    uint64_t buffer; /* bytes of the smallest receive buffer */
    uint64_t charge; /* assumed bytes of overhead per datagram in the buffer; 0 for streams */

    int64_t window_begun_ns;
    uint64_t datagrams; /* datagrams received in the present window */
    uint64_t bytes;
    double datagram_rate; /* datagrams per nanosecond in the previous window */
    double byte_rate;     /* bytes per nanosecond in the previous window, with overhead */
};

void coalescing_init(struct coalescing *coalescing, int64_t now_ns);

/*
 * Adds a socket with a receive buffer of `buffer` bytes. Its datagrams may wait for at most
 * `most_ns`. Pauses apply to all sockets of the thread.
 */
void coalescing_add_socket(struct coalescing *coalescing, int64_t most_ns, uint64_t buffer);

/*
 * Adapts the pauses to stream sockets. These have no overhead per datagram, and their senders wait
 * when a buffer is full, so the unknown rate after a quiet period does not matter.
 */
void coalescing_set_stream(struct coalescing *coalescing);

/* Removes all sockets, so that they can be added again. */
void coalescing_forget_sockets(struct coalescing *coalescing);

/* Adds to the measured rate: `datagrams` datagrams with `bytes` bytes in total. */
void coalescing_note(struct coalescing *coalescing, uint64_t datagrams, uint64_t bytes);

/*
 * Returns how many nanoseconds to pause when all sockets are drained, or 0 to wait for the next
 * event at once. `now_ns` is the present time. Records may be late by `allowed_ns`; a pause within
 * this time needs to gather only COALESCING_LEAST_ALLOWED datagrams.
 */
int64_t coalescing_delay(struct coalescing *coalescing, int64_t allowed_ns, int64_t now_ns);

#endif
