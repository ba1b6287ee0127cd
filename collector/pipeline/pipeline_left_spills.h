/* Spills that no sink has since a reload took away the one that had it. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEFT_SPILLS_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_LEFT_SPILLS_H

#include <stddef.h>

struct left_level;
struct pipeline;
struct sink_config;
struct sink_counters;
struct sink_slot;

/*
 * Spills that no sink has, and that hold records: writes them to `levels`, unless it is NULL.
 * Returns how many there are at most. Freed with pipeline_forget_left_spills.
 */
size_t pipeline_left_spills(const struct pipeline *pipeline, struct left_level *levels);
void pipeline_forget_left_spills(struct pipeline *pipeline);

/* The entry in the ledger of the sink that left the spill of this one, by its name, or -1. */
int pipeline_left_entry(const struct pipeline *pipeline, const struct sink_config *config);

/*
 * Where the records of the spill that this sink is to have are counted: it was left by a sink of
 * the same entry in the ledger. NULL: it was not.
 */
struct sink_counters *pipeline_left_counters(const struct pipeline *pipeline,
                                             const struct sink_slot *slot);

/* After a reload: a spill that a sink has again is not left any more. */
void pipeline_adopt_left_spills(struct pipeline *pipeline);

/* A sink has come to its end: notes and logs what stays in its spill, where no sink has that. */
void pipeline_leave_spill(struct pipeline *pipeline, const struct sink_slot *slot);

#endif
