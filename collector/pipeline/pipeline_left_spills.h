/*
 * The list of left spills: spills that no sink uses because a reload has removed their sink. These
 * functions change only the list, never the folders.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEFT_SPILLS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEFT_SPILLS_H

#include <stddef.h>

struct left_level;
struct pipeline;
struct sink_config;
struct sink_counters;
struct sink_slot;

/*
 * Writes the left spills whose folder still exists to `levels` and returns their number. With NULL,
 * returns the number of all left spills.
 */
size_t pipeline_left_spills(const struct pipeline *pipeline, struct left_level *levels);
/* Frees the list; the spills stay on disk. */
void pipeline_forget_left_spills(struct pipeline *pipeline);

/* Returns the ledger index of the removed sink that had the name and spill of `config`, or -1. */
int pipeline_left_entry(const struct pipeline *pipeline, const struct sink_config *config);

/*
 * Returns the counters of the left spill that this sink will use. Returns NULL if there is no such
 * spill, or if the sink that left it had another ledger entry.
 */
struct sink_counters *pipeline_left_counters(const struct pipeline *pipeline,
                                             const struct sink_slot *slot);

/* Removes the spills that a sink uses again from the list. Called after a reload. */
void pipeline_adopt_left_spills(struct pipeline *pipeline);

/*
 * Adds the spill of an ended sink to the list and logs how many records it has, unless it is empty
 * or a present sink uses it.
 */
void pipeline_leave_spill(struct pipeline *pipeline, const struct sink_slot *slot);

#endif
