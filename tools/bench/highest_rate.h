/*
 * Searches for the highest rate without loss: chooses which rate to try next, and when to stop.
 * Pure; any thread.
 *
 * In the first run the sender is as fast as it can be. If no datagram is lost, the rate of this run
 * is the result. Otherwise the range between the highest good and the lowest bad rate is halved
 * until it is narrow. A rate with loss is tried once more before it counts as bad, because the loss
 * may have been caused by a disturbance of the machine.
 *
 * Call highest_rate_begin. Then, until `done` is set, send at `next` datagrams a second (0: as fast
 * as the sender can) and call highest_rate_print with the result.
 */
#ifndef SLUICE_TOOLS_BENCH_HIGHEST_RATE_H
#define SLUICE_TOOLS_BENCH_HIGHEST_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct highest_rate {
    double tolerance;   /* width of the final range as a share of the lowest bad rate */
    double good;        /* highest rate without loss so far, in datagrams a second; 0: none */
    double bad;         /* lowest rate with loss; 0: none yet */
    double sender_most; /* the sender's highest rate, in the runs without a requested rate */
    uint64_t next;      /* the next rate to try; 0: as fast as the sender can */
    bool again;         /* a run at `next` had loss, and the next run repeats it */
    bool done;
};

struct highest_rate highest_rate_begin(double tolerance);

/* Takes the result of a run: the sender's actual rate, and whether no datagram was lost. */
void highest_rate_print(struct highest_rate *search, double rate, bool lossless);

#endif
