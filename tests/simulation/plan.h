/*
 * Chooses settings for some of the runs, to cause states that are rare by chance. A plan has its
 * own random numbers, so that the rest of the run is the same with and without it.
 */
#ifndef SLUICE_TESTS_SIMULATION_PLAN_H
#define SLUICE_TESTS_SIMULATION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/simulation/moments.h"

/* The end of a life, unless it is the last one. */
enum plan_end {
    END_AT_ANY_TIME, /* killed or stopped at a random time */
    END_BY_A_STOP,
    END_AT_A_MOMENT,  /* killed a few calls after a chosen moment */
    END_IN_AN_OUTAGE, /* killed after an outage of several seconds */
};

/* The plan of the whole run. */
struct plan {
    enum plan_end end;
    bool spills; /* one sink is a delivery with a spill */
    bool
        scatters; /* the far end of that sink does not keep the order, and gets many small blocks */
    bool disk_fails;  /* the disk has faults, even if the run would have none */
    bool is_stubborn; /* the disk fails until the end of each life, with several kinds of faults at
                         the same time */
};

/* The plan of one life. A time of WORLD_NEVER means that the event does not happen. */
struct life_plan {
    bool begins_well;     /* the disk works at the beginning */
    unsigned read_faults; /* reads in a thousand that fail until reads_mend_ns */
    int64_t reads_mend_ns;
    bool stops_early; /* the operator stops the program while the senders still send */
    int64_t mends_ns; /* how long the disk fails after the stop began */

    /* Time of an outage of all far ends that lasts until the end of the life. */
    int64_t breaks_off_ns;
    bool breaks_off_last; /* the outage begins just before the stop */
    bool falls_silent; /* during the outage, data arrives but is not answered; otherwise it does not
                          arrive */
    bool stays_silent; /* the outage lasts longer than a life */
    unsigned faults;   /* disk calls in a thousand that fail during the outage */

    int64_t cuts_ns; /* time from the beginning of the outage to the kill */

    /* The moment at which the program is killed, if it is planned (moments.h). */
    enum moment moment;
    unsigned nth, steps;
};

/* Both functions reset the world's random numbers. */
void plan_make(struct plan *plan, uint64_t seed);
void plan_life(const struct plan *plan, uint64_t seed, unsigned life, bool last,
               struct life_plan *its);

#endif
