/*
 * One sender's window of a table of senders' numbers (sequence.h): which of its last numbers were
 * seen, and what another number means. It ends at the highest number seen; number n has bit
 * n % the window's size.
 *
 * The memory is the table's. One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_WINDOW_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_WINDOW_H

#include <stdint.h>

#include "collector/senders/sequence.h"

/* All zero before its first life. */
struct sender {
    uint64_t fingerprint; /* the table's: the half that its set does not have */
    uint64_t boot_id;
    uint64_t highest;
    uint64_t numbering : 27; /* the table's, as is the listener */
    uint64_t listener : 16;
    uint64_t expected : 21; /* numbers in the window that we wait for or have: 1 to its size */
};
_Static_assert(SEQUENCE_LISTENERS <= 1 << 16 && SEQUENCE_NUMBERINGS <= 1 << 27 &&
                   SEQUENCE_SPREAD_MOST < 1 << 21 && SEQUENCE_WINDOW <= SEQUENCE_SPREAD_MOST,
               "a sender has room for each");

struct sequence_window {
    struct sender *sender;
    uint64_t *seen;
    uint32_t size; /* a power of two, at least 64 */
};

/* The numbers inside the window that were expected and have not come. */
uint64_t sequence_window_unseen(struct sequence_window window);

/* A newcomer's first numbers: all before them is none of our business. Adds what they show. */
void sequence_window_begin(struct sequence_window window, const struct sequence_step *step,
                           struct sequence_outcome *outcome);

/* Further numbers of the sender. Adds what they show. */
void sequence_window_note(struct sequence_window window, const struct sequence_step *step,
                          struct sequence_outcome *outcome);

#endif
