/*
 * Whether a listener's messages look like another schema's: protobuf decodes almost anything, and
 * what it does not know it keeps aside, so that a wrong schema= is no error and yet says nothing.
 *
 * Looks at the first messages alone. All zero to begin with; of one thread.
 */
#ifndef SLUICE_COLLECTOR_SCHEMA_DOUBT_H
#define SLUICE_COLLECTOR_SCHEMA_DOUBT_H

#include <stdbool.h>

#include "collector/arena.h"
#include "collector/batch.h"

struct schema_doubt {
    unsigned strange; /* messages so far, all of them strange */
    bool settled;
};

/*
 * Looks at a message that has so many unknown fields. A message is strange where it has some and
 * no sample, though its schema has those; where the first three are, it is told to the log, once,
 * by the listener's name. `scratch` is left as it was.
 */
void schema_doubt_look(struct schema_doubt *doubt, const char *listener,
                       const struct record *record, size_t unknown_fields, struct arena *scratch);

#endif
