/*
 * The far end of deliveries in the simulated world. It implements collector/contract/delivery.h in
 * place of kafka: and by chance is up, down, silent or busy, or accepts a part. The history notes
 * the actions of the far end, not the program's conclusions.
 */
#ifndef SLUICE_TESTS_SIMULATION_FAR_END_H
#define SLUICE_TESTS_SIMULATION_FAR_END_H

#include <stdbool.h>
#include <stdint.h>

struct far_end_options {
    bool in_order;   /* on one connection: when a block fails, later blocks fail, too */
    bool once;       /* no record may come twice */
    bool maybe_sent; /* unanswered records get DELIVERY_MAYBE_SENT, not DELIVERY_UNKNOWN */
    bool refuses;    /* some records, for good */
    bool is_steady;  /* always up */
    bool follows;    /* a connection begins only when the one before has ended, as with a spill */
};

/* Whether the far end refuses this datagram each time. */
static inline bool far_end_refuses(const struct far_end_options *options, uint32_t number)
{
    return options->refuses && number % 37 == 5;
}

/* Whether unanswered records may get DELIVERY_MAYBE_SENT. */
extern const bool far_end_says_maybe_sent;

/* The URL of a sink without its keys; its number is below 10. */
#define FAR_END_URL "kafka://far:9092/sink%u"

/* Called before the program is started. The caller keeps the options; it may only change `once`. */
void far_end_begin(unsigned sink, const struct far_end_options *options);

/* A task: makes answers come, and changes the state of the far ends. */
void far_end_run(void *argument);

/*
 * Begins an outage of all far ends, except steady ones, that lasts to the end of this life.
 * `for_good`: records that are not answered in it never will be.
 */
void far_end_break_off(bool silently, bool for_good);

/* The process ends: records in transit arrive or are lost. */
void far_end_process_ends(void);

#endif
