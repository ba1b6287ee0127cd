/*
 * Hints in the log that a listener has the wrong schema: its messages look like another schema's,
 * or some of them leave no line in a sink. Protobuf decodes almost anything, and what a schema does
 * not know it keeps aside, so that neither is an error.
 *
 * A hint is one listener's; its receiving threads and all sinks share it. Nothing is done for a
 * message whose fields are all known and that leaves a line.
 */
#ifndef SLUICE_COLLECTOR_RECORD_MISMATCH_HINT_H
#define SLUICE_COLLECTOR_RECORD_MISMATCH_HINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/batch.h"
#include "collector/record/schema_guess.h"

/* How long a hint that was logged is not logged again, in nanoseconds. */
#define SCHEMA_DOUBT_NS INT64_C(60000000000)

struct mismatch_hint {
    struct schema_guess *guess; /* who names the schema that fits; NULL: nobody */
    _Atomic int64_t next_ns;    /* monotonic: it is not logged before that */
    _Atomic bool no_line_logged;
};

/* Before any thread uses it. `guess` outlives it. */
void mismatch_hint_init(struct mismatch_hint *hint, struct schema_guess *guess);

/* The listener has other schemas now: each hint is logged anew. Any thread. */
void mismatch_hint_restart(struct mismatch_hint *hint);

/*
 * Which messages with unknown fields are looked at: all, until many in a row were in order, as from
 * a sender that is newer than the schema; then a few of them. All zero to begin with; one thread's.
 */
struct mismatch_hint_pace {
    unsigned in_order; /* in a row */
    unsigned left_out; /* since the last one that was looked at */
};

#define HINT_IN_ORDER 64 /* messages in a row */
#define HINT_ONE_IN   64 /* of those after them */

/* Whether a datagram with so many unknown fields is to be looked at (mismatch_hint_look). */
static inline bool mismatch_hint_wants(struct mismatch_hint_pace *pace, size_t unknown_fields)
{
    if (unknown_fields == 0)
        return false;
    if (pace->in_order < HINT_IN_ORDER || ++pace->left_out == HINT_ONE_IN) {
        pace->left_out = 0;
        return true;
    }
    return false;
}

/*
 * Looks at the messages of a datagram, `first` and those that follow it. Where their schema does
 * not know most of their fields, the log says so of the listener, with the name of the schema that
 * does; at most once in SCHEMA_DOUBT_NS. `now_ns` is monotonic.
 */
void mismatch_hint_look(struct mismatch_hint *hint, struct mismatch_hint_pace *pace,
                        const char *listener, const struct record *first, int64_t now_ns);

/*
 * A message has left no line in the sink of that name. Where that is because it has no sample,
 * though its fields are known, the log says so, once.
 */
void mismatch_hint_no_line(struct mismatch_hint *hint, const char *listener,
                           const struct record *record, const char *sink);

#endif
