/* Finds sinks that would send to a listener of ours. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_RELAYS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_RELAYS_H

struct config;
struct error;
struct source;

/*
 * Checks that no sink sends datagrams to one of the listeners: by the addresses that their sources
 * are bound to, or, if `sources` is NULL, by their settings. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_relays(const struct config *config, struct source *const *sources,
                          struct error *error);

#endif
