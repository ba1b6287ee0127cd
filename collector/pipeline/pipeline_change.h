/* Compares the present configuration with the next one. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_CHANGE_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct error;
struct pipeline;

#define PIPELINE_NEW SIZE_MAX

/*
 * For each listener and sink of the next configuration: the index of the same listener or sink in
 * the present configuration, or PIPELINE_NEW if there is none.
 */
struct change {
    size_t *listeners; /* matched by address; the keys may differ */
    size_t *sinks;     /* matched by URL, name and limits of series */
    bool same_sinks;   /* all sinks match, and none is removed */
};

/*
 * Fills `change`, which the caller clears. Returns -1 with `error` filled if a reload cannot make
 * the change, else 0.
 */
int pipeline_compare(const struct pipeline *pipeline, const struct config *to,
                     struct change *change, struct error *error);
void pipeline_change_clear(struct change *change);

/*
 * Returns true if `list`, a list of struct change, contains `index`. The listener or sink at that
 * index is then kept.
 */
bool pipeline_is_kept(const size_t *list, size_t count, size_t index);

#endif
