/*
 * Maintains the window of a sender in a sequence table (sequence.h): remembers which of the
 * sender's last numbers were seen, and classifies the next number. The window ends at the highest
 * number seen; number n has bit n % size.
 *
 * The table owns the memory. One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_WINDOW_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/senders/sequence.h"

/* Zero before the sender's first number. */
struct sender {
    uint64_t fingerprint; /* the second half of the fingerprint; struct sequence_set has the first
                           * half */
    uint64_t boot_id;
    uint64_t highest;
    uint64_t numbering : 27; /* `numbering` and `listener` are stored here only for the table; the
                              * window does not use them */
    uint64_t listener : 16;
    uint64_t
        expected : 21; /* how many numbers of the window were sent, seen or not: 1 to its size */
};
_Static_assert(SEQUENCE_LISTENERS <= 1 << 16 && SEQUENCE_NUMBERINGS <= 1 << 27 &&
                   SEQUENCE_SPREAD_MOST < 1 << 21 && SEQUENCE_WINDOW <= SEQUENCE_SPREAD_MOST,
               "a sender has room for each");

struct sequence_window {
    struct sender *sender;
    uint64_t *seen;
    uint32_t size; /* a power of two, at least 64 */
};

/*
 * A possible restart of a sender without boot id: its last number was too old, or had arrived long
 * before. Zero if there is none.
 */
struct sequence_suspect {
    bool is_open;
    uint64_t number;
};

/* Returns how many expected numbers in the window have not arrived. */
uint64_t sequence_window_unseen(struct sequence_window window);

/*
 * Begins the window with a new sender's first numbers. Earlier numbers are not expected. Adds to
 * *outcome.
 */
void sequence_window_begin(struct sequence_window window, const struct sequence_step *step,
                           struct sequence_outcome *outcome);

/*
 * Marks the step's numbers, which are not the sender's first ones, as seen. Adds to *outcome.
 * *suspect is the suspect that the sender's last step has left; the function replaces it.
 */
void sequence_window_note(struct sequence_window window, const struct sequence_step *step,
                          struct sequence_suspect *suspect, struct sequence_outcome *outcome);

#endif
