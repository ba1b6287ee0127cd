/*
 * Finds out whether two parts of a configuration may use the same file name. A sink whose files
 * rotate recognises its own files by their names, and may rename or remove each of them, so no
 * other part may use such a name.
 */
#ifndef SLUICE_SINKS_FILES_PATH_NAMES_H
#define SLUICE_SINKS_FILES_PATH_NAMES_H

#include <stdbool.h>

#include "collector/contract/destination.h"

/*
 * Returns true if there is a name that both may use (struct destination_ops, names_meet). The names
 * of a sink's files include those with numbers ("a.1.ndjson", "a.ndjson.1") and those of incomplete
 * files ("a.ndjson.part"). A value may be any text that a path can have, and a field of time any
 * digits. Returns false also if out of memory. Any thread.
 */
bool path_names_meet(const struct used_names *a, const struct used_names *b);

#endif
