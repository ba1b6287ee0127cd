/*
 * A list of pipes and terminals in which the last line is incomplete; these cannot be read back. It
 * also has standard output if it is such a file at the start. A
 * sink that has to stop in the middle of a line adds its output here. The next sink that writes to
 * the same output, after a reload, ends that line first. Any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_TORN_OUTPUTS_H
#define SLUICE_SINKS_DESTINATIONS_TORN_OUTPUTS_H

#include <stdbool.h>

/*
 * Notes that the output of this name ends in an incomplete line. If memory is short, the note is
 * lost.
 */
void torn_outputs_add(const char *name);

/* Removes one note of that output. Returns whether there was one. */
bool torn_outputs_remove(const char *name);

#endif
