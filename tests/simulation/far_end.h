/*
 * The far end of deliveries in the simulated world, behind the contract of
 * collector/contract/delivery.h: it replaces kafka: and is up, down, silent, busy, or accepts a
 * part, by chance. Its actions are noted in the history, not the program's conclusions.
 */
#ifndef SLUICE_TESTS_SIMULATION_FAR_END_H
#define SLUICE_TESTS_SIMULATION_FAR_END_H

#include <stdbool.h>
#include <stdint.h>

struct far_end_options {
    bool in_order; /* on one connection: when a block fails, so do those that were sent after it */
    bool once;     /* nothing may come twice */
    bool maybe_sent; /* what is not answered has DELIVERY_MAYBE_SENT, and not DELIVERY_UNKNOWN */
    bool refuses;    /* some records, for good */
    bool is_steady;  /* always up */
    bool follows;    /* a connection begins when the one before has ended: it has a spill */
};

/* Whether the far end never accepts the datagram. */
static inline bool far_end_refuses(const struct far_end_options *options, uint32_t number)
{
    return options->refuses && number % 37 == 5;
}

/* Whether unanswered messages may have DELIVERY_MAYBE_SENT. */
extern const bool far_end_says_maybe_sent;

/* The URL without keys of a sink by its number, below 10. */
#define FAR_END_URL "kafka://far:9092/sink%u"

/* Before the program is started. Of the options, which stay the caller's, `once` may change. */
void far_end_begin(unsigned sink, const struct far_end_options *options);

/* A task: answers come, and what the far ends do changes. */
void far_end_run(void *argument);

/*
 * An outage of all of them to the end of this life, but for those that are always up. `for_good`:
 * what they do not answer they do not answer later either.
 */
void far_end_break_off(bool silently, bool for_good);

/* The process ends: what is on its way arrives, or does not. */
void far_end_process_ends(void);

#endif
