/*
 * When it pays to leave sockets alone for a while, so that the next drain finds more.
 *
 * What a datagram costs at a high rate is mostly the wake-up: a thread that comes at once finds two
 * to four. One that pauses for half a millisecond finds dozens, for less than half of the time in
 * all. So a receiving thread says what each of its rounds took, and asks before it waits again.
 * While little comes it never pauses, and nothing waits.
 *
 * Owned by one thread; pure but for what it keeps.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_COALESCING_H
#define SLUICE_COLLECTOR_RECEIVE_COALESCING_H

#include <stdint.h>

/* A pause must be likely to gather as many datagrams, or it is not worth what they wait. */
#define COALESCING_LEAST         4
#define COALESCING_LEAST_ALLOWED 2 /* where records may be that late in any case */

/* More than these are not waited for: the cache holds them, and a wake-up costs little beside. */
#define COALESCING_ENOUGH 256

/* Longer pauses are taken only where records may be as late. */
#define COALESCING_USUAL_NS INT64_C(500000)

/*
 * What comes after a quiet time may come at any rate: in a longer pause a datagram each so many
 * nanoseconds fills half of the smallest receive buffer at most.
 */
#define COALESCING_FASTEST_NS 2500

/* The rate is that of the last so many nanoseconds, at least. */
#define COALESCING_WINDOW_NS INT64_C(2000000)

/*
 * No pause fills more than this part of a receive buffer, at the rate that was seen; and what the
 * kernel charges for a datagram beside its bytes is not known: so much is allowed for.
 */
#define COALESCING_BUFFER_PART   4
#define COALESCING_BUFFER_CHARGE 1280

struct coalescing {
    int64_t most_ns; /* a pause is never longer; 0: there is none */
    uint64_t buffer; /* bytes of the smallest receive buffer */
    uint64_t charge; /* bytes that a datagram takes of it beside its own; 0: of streams */

    int64_t window_begun_ns;
    uint64_t datagrams; /* in the window */
    uint64_t bytes;
    double datagram_rate; /* a nanosecond, in the window before */
    double byte_rate;     /* the same, with what the kernel charges */
};

void coalescing_init(struct coalescing *coalescing, int64_t now_ns);

/*
 * A socket with a receive buffer of so many bytes, whose datagrams may be kept waiting for at most
 * `most_ns`, belongs to the thread: the pauses are for all of its sockets.
 */
void coalescing_add_socket(struct coalescing *coalescing, int64_t most_ns, uint64_t buffer);

/*
 * The thread's sockets are streams' instead: nothing is charged beside the bytes, and who sends
 * waits where a buffer is full, so that a quiet time before needs no care.
 */
void coalescing_set_stream(struct coalescing *coalescing);

/* None does, until they are added again. */
void coalescing_forget_sockets(struct coalescing *coalescing);

/* So many datagrams, with so many bytes in all, were taken. */
void coalescing_note(struct coalescing *coalescing, uint64_t datagrams, uint64_t bytes);

/*
 * All sockets are drained, at this moment: nanoseconds to pause, 0: wait for the next edge. A
 * record may be late by `allowed_ns`: for as long it pauses where that gathers two datagrams.
 */
int64_t coalescing_delay(struct coalescing *coalescing, int64_t allowed_ns, int64_t now_ns);

#endif
