/*
 * Common settings of a share of the runs, which cause states that are rare by chance. They are
 * drawn from a separate generator, so that a seed means the same run as without plans.
 */
#ifndef SLUICE_TESTS_SIMULATION_PLAN_H
#define SLUICE_TESTS_SIMULATION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/simulation/moments.h"

/* How a life ends that is followed by another one. */
enum plan_end {
    END_AT_ANY_TIME, /* killed at a random time, or stopped before that */
    END_BY_A_STOP,
    END_AT_A_MOMENT,  /* killed a few calls after a chosen moment */
    END_IN_AN_OUTAGE, /* killed when the far ends have been away for seconds */
};

/* For the whole run. */
struct plan {
    enum plan_end end;
    bool spills;      /* one sink is a delivery with a spill */
    bool scatters;    /* this sink's records are in many small blocks, not on one connection */
    bool disk_fails;  /* the disk has faults, whatever else the run chooses */
    bool is_stubborn; /* the disk fails to the end of each life, and in several ways at a time */
};

/* The plan of one life. WORLD_NEVER as a time: the event does not happen. */
struct life_plan {
    bool begins_well;     /* the disk does not fail at first */
    unsigned read_faults; /* reads in a thousand that fail at first, until reads_mend_ns */
    int64_t reads_mend_ns;
    bool stops_early; /* the operator does not wait for the senders */
    int64_t mends_ns; /* the disk fails until this time after the stop begins */

    /* An outage of all far ends that lasts to the end of the life. */
    int64_t breaks_off_ns;
    bool breaks_off_last; /* the outage begins just before the stop */
    bool falls_silent;    /* far ends do not answer; otherwise data does not arrive */
    bool stays_silent;    /* for longer than a life lasts */
    unsigned faults;      /* from then on: disk calls in a thousand that fail */

    int64_t cuts_ns; /* the life is cut off this long after the outage began */

    /* The moment at which the life is cut off, if planned (moments.h). */
    enum moment moment;
    unsigned nth, steps;
};

/* Both functions begin a world of their own for their random numbers. */
void plan_make(struct plan *plan, uint64_t seed);
void plan_life(const struct plan *plan, uint64_t seed, unsigned life, bool last,
               struct life_plan *its);

#endif
