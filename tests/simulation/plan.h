/*
 * Common settings of a share of the runs, which cause states that are rare by chance. They are
 * drawn from a separate generator: the other meaning of a seed does not change.
 */
#ifndef SLUICE_TESTS_SIMULATION_PLAN_H
#define SLUICE_TESTS_SIMULATION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/simulation/moments.h"

/* How lives end that another one follows. */
enum plan_end {
    END_AT_ANY_TIME, /* from outside, or by a stop that comes before that */
    END_BY_A_STOP,
    END_AT_A_MOMENT,  /* from outside, a few calls after one that is chosen */
    END_IN_AN_OUTAGE, /* from outside, when the far ends have been away for seconds */
};

/* Of a run. */
struct plan {
    enum plan_end end;
    bool spills;      /* a sink is a delivery that has a spill */
    bool scatters;    /* its records are in many small blocks, and not on one connection */
    bool disk_fails;  /* whatever it is otherwise */
    bool is_stubborn; /* the disk does so to the end of each life, and in more ways at a time */
};

/* Of one of its lives. WORLD_NEVER: what is said of a time does not come. */
struct life_plan {
    bool begins_well;     /* the disk has mended */
    unsigned read_faults; /* reads in a thousand that fail at first, */
    int64_t reads_mend_ns;
    bool stops_early; /* the operator does not wait for those who send */
    int64_t mends_ns; /* the disk fails this long after the stop begins */

    /* An outage of all far ends that lasts to the end. */
    int64_t breaks_off_ns;
    bool breaks_off_last; /* just before it is to stop */
    bool falls_silent;    /* they answer nothing; else nothing gets there */
    bool stays_silent;    /* and that for as long as a life may last */
    unsigned faults;      /* calls of the disk in a thousand that fail since then, and not before */

    int64_t cuts_ns; /* it is cut off this long after the outage began */

    /* When it is cut off, where that is planned: see moments.h. */
    enum moment moment;
    unsigned nth, steps;
};

/* Both begin a world of their own. */
void plan_make(struct plan *plan, uint64_t seed);
void plan_life(const struct plan *plan, uint64_t seed, unsigned life, bool last,
               struct life_plan *its);

#endif
