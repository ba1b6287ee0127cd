/*
 * Rates per second: the differences between two models of one collector.
 *
 * The lists have the same order as those of the later model. An item that the earlier model does
 * not have is counted from 0. Without an earlier model, or if the collector was restarted in
 * between, all rates are averages since its start. One thread.
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
    double seconds; /* between the models */
    struct listener_rates *listeners;
    struct sink_rates *sinks;
    struct sender_rates *senders;
    double *all; /* memory of the lists of reasons */
};

/* `before` may be NULL. Returns false if memory is short. */
bool rates_make(struct rates *rates, const struct model *now, const struct model *before);

/* Frees its memory and sets it to zero. Zero rates are allowed. */
void rates_clear(struct rates *rates);

#endif
