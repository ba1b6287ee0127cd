/*
 * Simulates the far ends of deliveries. They implement collector/contract/delivery.h in place of
 * `kafka:`. By chance a far end is up, unreachable, silent or busy, or accepts only some records.
 * It notes its own actions in the history, not what the program concludes from them.
 */
#ifndef SLUICE_TESTS_SIMULATION_FAR_END_H
#define SLUICE_TESTS_SIMULATION_FAR_END_H

#include <stdbool.h>
#include <stdint.h>

struct far_end_options {
    bool in_order; /* the connection keeps the order: if a record fails, all later ones fail, too */
    bool once;     /* fails the run if a record arrives twice */
    bool maybe_sent; /* unanswered records get DELIVERY_MAYBE_SENT instead of DELIVERY_UNKNOWN */
    bool refuses;    /* refuses some records permanently */
    bool is_steady;  /* always up */
    bool follows; /* a connection begins only after the previous one has ended, as with a spill */
};

/* Returns true if the far end always refuses this datagram. */
static inline bool far_end_refuses(const struct far_end_options *options, uint32_t number)
{
    return options->refuses && number % 37 == 5;
}

/* Unanswered records may get DELIVERY_MAYBE_SENT. */
extern const bool far_end_says_maybe_sent;

/* The URL of a sink without its keys. The sink's number must be below 10. */
#define FAR_END_URL "kafka://far:9092/sink%u"

/* Called before the program is started. The options must stay valid; only `once` may be changed. */
void far_end_begin(unsigned sink, const struct far_end_options *options);

/* Runs as a task: sends answers and changes the state of the far ends. */
void far_end_run(void *argument);

/*
 * Begins an outage of all far ends except steady ones. It lasts until the end of this life. If
 * `for_good` is set, a silent far end never answers.
 */
void far_end_break_off(bool silently, bool for_good);

/* Called when the program's process ends. Records in transit arrive or are lost. */
void far_end_process_ends(void);

#endif
