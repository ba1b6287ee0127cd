/*
 * Places that stand within a line, for which there is nothing to be looked at: a pipe, a terminal. A
 * reload may put one sink in the place of another that had to stop there; who follows ends that line
 * first. Any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_TORN_PLACES_H
#define SLUICE_SINKS_DESTINATIONS_TORN_PLACES_H

#include <stdbool.h>

/* The place of this name is left within a line. Where memory is short it is forgotten. */
void torn_places_add(const char *name);

/* Whether it was, since it was last asked for. */
bool torn_places_take(const char *name);

#endif
