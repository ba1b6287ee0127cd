/*
 * Computes rates per second from the differences between two models of one collector.
 *
 * The lists are in the order of those of the later model. An item that is missing in the earlier
 * model is counted from 0. Without an earlier model, or if the collector was restarted in between,
 * all rates are averages since the collector's start. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_RATES_H
#define SLUICE_TOOLS_TOP_RATES_H

#include <stdbool.h>

#include "tools/top/model.h"

struct listener_rates {
    double received, bytes, kernel_drops;
    double losing;   /* in datagrams: kernel_drops, and reasons that are losses (rates_is_loss) */
    double *reasons; /* one for each of the model's reasons, in their order */
};

struct sink_rates {
    double written, bytes, evicted, unknown;
    double series_refused, out_of_time; /* samples */
    double losing;                      /* in records: refused, failed, evicted and unknown */
    double *refused, *failed;           /* one for each of the model's counts, in their order */
};

struct sender_rates {
    double datagrams, bytes;
};

struct rates {
    double seconds; /* between the models, or since the collector's start */
    struct listener_rates *listeners;
    struct sink_rates *sinks;
    struct sender_rates *senders;
    double *all; /* memory of `reasons`, `refused` and `failed` */
};

/*
 * Returns true if a listener's reason, or its name of kernel_drops, is a loss. A reason without a
 * remedy, such as heartbeats, is not a loss. Drops that include datagrams refused by a filter are
 * not a loss either.
 */
bool rates_is_loss(const char *reason);

/* Computes the rates at `now`. `before` may be NULL. Returns false if out of memory. */
bool rates_make(struct rates *rates, const struct model *now, const struct model *before);

/* Frees the memory and zeroes the rates. Zeroed rates are allowed. */
void rates_clear(struct rates *rates);

#endif
