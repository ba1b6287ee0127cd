/*
 * Searches for the highest rate without loss: selects the next rate to try, and decides when to
 * stop. Pure; any thread.
 *
 * In the first run the sender is as fast as it can. If no datagram is lost, the rate of this run is
 * the result. Otherwise the range between the highest good and the lowest bad rate is halved until
 * it is narrow. A rate with loss is tried once more before it counts as bad, because something else
 * on the machine may have caused the loss.
 *
 * Call highest_rate_begin. Until `done` is set, send `next` datagrams a second (0: as fast as
 * possible) and pass the result to highest_rate_print.
 */
#ifndef SLUICE_TOOLS_BENCH_HIGHEST_RATE_H
#define SLUICE_TOOLS_BENCH_HIGHEST_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct highest_rate {
    double tolerance;   /* width of the final range, relative to the lowest bad rate */
    double good;        /* highest rate without loss so far, in datagrams a second; 0 means none */
    double bad;         /* lowest rate with loss; 0 means none */
    double sender_most; /* the sender's highest rate in runs without a requested rate */
    uint64_t next;      /* rate of the next run; 0 means as fast as possible */
    bool again;         /* the last run at `next` had loss; the next run repeats it */
    bool done;
};

struct highest_rate highest_rate_begin(double tolerance);

/*
 * Takes the result of a run: the sender's actual rate, and whether all datagrams arrived. Prints
 * nothing.
 */
void highest_rate_print(struct highest_rate *search, double rate, bool lossless);

#endif
