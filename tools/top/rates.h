/*
 * How fast things go: what two models of one collector differ by, each second.
 *
 * Whatever is in the later model has its rates at the same place of the list here; what was not in
 * the earlier one began at nothing. Where there is no earlier one, or the collector was started
 * anew since, all rates are since its start. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_RATES_H
#define SLUICE_TOOLS_TOP_RATES_H

#include <stdbool.h>

#include "tools/top/model.h"

struct listener_rates {
    double received, bytes, kernel_drops;
    double *reasons; /* as the model's */
};

struct sink_rates {
    double written, bytes, evicted, unknown;
    double *refused, *failed; /* as the model's */
};

struct sender_rates {
    double datagrams, bytes;
};

struct rates {
    double seconds; /* that they are of */
    struct listener_rates *listeners;
    struct sink_rates *sinks;
    struct sender_rates *senders;
    double *all; /* where the lists of reasons stand */
};

/* `before` may be NULL. Returns false where memory is short. */
bool rates_make(struct rates *rates, const struct model *now, const struct model *before);

/* Frees what it holds and leaves it all zero; allowed on one that is. */
void rates_clear(struct rates *rates);

#endif
