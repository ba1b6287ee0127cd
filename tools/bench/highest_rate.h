/*
 * The search for the highest rate at which nothing is lost: which rate to try next, and when enough
 * is known. Pure; any thread.
 *
 * First as fast as the sender can: where nothing is lost then, that is the answer. Otherwise the
 * range between the highest rate that was good and the lowest that was bad is halved until it is
 * narrow. A rate that loses something is tried once more before it counts as bad, since one hiccup
 * of the machine says nothing about the rate.
 *
 *     struct highest_rate search = highest_rate_begin(0.03);
 *     while (!search.done) {
 *         ... a run at search.next datagrams a second (0: as fast as the sender can) ...
 *         highest_rate_print(&search, rate_of_the_run, nothing_was_lost);
 *     }
 */
#ifndef SLUICE_TOOLS_BENCH_HIGHEST_RATE_H
#define SLUICE_TOOLS_BENCH_HIGHEST_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct highest_rate {
    double tolerance;   /* share of the lowest bad rate that the range may have at the end */
    double good;        /* highest rate without loss so far; 0: none */
    double bad;         /* lowest rate with loss; 0: none yet */
    double sender_most; /* the rate that the sender came to when it sent as fast as it could */
    uint64_t next;      /* what to try; 0: as fast as the sender can */
    bool again;         /* `next` has lost something once */
    bool done;
};

struct highest_rate highest_rate_begin(double tolerance);

/* What came of a run: the rate that the sender really had, and whether nothing was lost. */
void highest_rate_print(struct highest_rate *search, double rate, bool lossless);

#endif
