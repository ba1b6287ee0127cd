/*
 * Searches for the highest rate without loss: which rate to try next, and when to stop. Pure; any
 * thread.
 *
 * The first run is as fast as the sender can: if it loses no datagram, that is the result.
 * Otherwise the range between the highest good and the lowest bad rate is halved until it is
 * narrow. A rate with loss is tried once more before it counts as bad, since one disturbance of the
 * machine does not prove it bad.
 *
 * Begin with highest_rate_begin. While the search is not done, run at `next` datagrams a second (0:
 * as fast as the sender can) and call highest_rate_print with the result.
 */
#ifndef SLUICE_TOOLS_BENCH_HIGHEST_RATE_H
#define SLUICE_TOOLS_BENCH_HIGHEST_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct highest_rate {
    double tolerance;   /* width of the final range as a share of the lowest bad rate */
    double good;        /* highest rate without loss so far; 0: none */
    double bad;         /* lowest rate with loss; 0: none yet */
    double sender_most; /* the rate that the sender reached at its fastest */
    uint64_t next;      /* the next rate to try; 0: as fast as the sender can */
    bool again;         /* `next` has had loss once */
    bool done;
};

struct highest_rate highest_rate_begin(double tolerance);

/* Records a run: the actual rate of the sender, and whether it was lossless. */
void highest_rate_print(struct highest_rate *search, double rate, bool lossless);

#endif
