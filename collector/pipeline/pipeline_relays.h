/* Sinks that would send to a listener of ours. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_RELAYS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_RELAYS_H

struct config;
struct error;
struct source;

/*
 * Whether no sink passes datagrams on to one of the listeners: by their settings, or, where the
 * sources are open (else NULL), by where they are bound. Returns 0, or -1 with `error` filled.
 */
int pipeline_check_relays(const struct config *config, struct source *const *sources,
                          struct error *error);

#endif
