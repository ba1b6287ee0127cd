/* Spills that no sink uses because a reload has removed their sink. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEFT_SPILLS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEFT_SPILLS_H

#include <stddef.h>

struct left_level;
struct pipeline;
struct sink_config;
struct sink_counters;
struct sink_slot;

/*
 * Writes the left spills whose folder still exists to `levels` and returns their number; with NULL
 * returns the number of all.
 */
size_t pipeline_left_spills(const struct pipeline *pipeline, struct left_level *levels);
/* Frees the list. */
void pipeline_forget_left_spills(struct pipeline *pipeline);

/* The ledger entry of the earlier sink with this one's name and spill, or -1. */
int pipeline_left_entry(const struct pipeline *pipeline, const struct sink_config *config);

/*
 * The counters of the left spill that this sink will use, if that was left by a sink of the same
 * ledger entry, else NULL.
 */
struct sink_counters *pipeline_left_counters(const struct pipeline *pipeline,
                                             const struct sink_slot *slot);

/* After a reload: removes the spills that a sink uses again. */
void pipeline_adopt_left_spills(struct pipeline *pipeline);

/* After a sink has ended: records and logs the contents of its spill, unless a sink uses it. */
void pipeline_leave_spill(struct pipeline *pipeline, const struct sink_slot *slot);

#endif
