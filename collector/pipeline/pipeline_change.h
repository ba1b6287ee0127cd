/* What becomes of listeners and sinks by another configuration. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_CHANGE_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct config;
struct error;
struct pipeline;

#define PIPELINE_NEW SIZE_MAX

/* For each listener and each sink of the next configuration: which of the present one it was. */
struct change {
    size_t *listeners; /* the same address; its keys may differ */
    size_t *sinks;     /* the same in all */
    bool same_sinks;   /* no other, none more and none less */
};

/* Returns 0, the change to be cleared, or -1 with `error` filled where it cannot be made. */
int pipeline_compare(const struct pipeline *pipeline, const struct config *to,
                     struct change *change, struct error *error);
void pipeline_change_clear(struct change *change);

/* Whether one of `count` entries of a change's list is `index`, of the present configuration. */
bool pipeline_is_kept(const size_t *list, size_t count, size_t index);

#endif
