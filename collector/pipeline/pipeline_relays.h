/* Finds sinks that would send datagrams to a listener of the same program, in an endless loop. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_RELAYS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_RELAYS_H

struct config;
struct error;
struct source;

/*
 * Checks that no sink sends datagrams to one of the listeners. Uses the addresses that `sources`
 * are bound to; if `sources` is NULL, the addresses in the settings. Returns 0, or -1 with `error`
 * filled.
 */
int pipeline_check_relays(const struct config *config, struct source *const *sources,
                          struct error *error);

#endif
