/*
 * A list of outputs in which the last line is incomplete: pipes and terminals, which cannot be read
 * back, and standard output if it is such a file at the start. A sink that must stop in the middle
 * of a line adds its output. The next sink that writes to this output, after a reload, first ends
 * the line. Any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_TORN_OUTPUTS_H
#define SLUICE_SINKS_DESTINATIONS_TORN_OUTPUTS_H

#include <stdbool.h>

/* To be called when the output ends in an incomplete line. If out of memory, does nothing. */
void torn_outputs_add(const char *name);

/* Removes one entry of the output. Returns false if there is none. */
bool torn_outputs_remove(const char *name);

#endif
