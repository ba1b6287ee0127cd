/*
 * Logs hints at a wrong schema of a listener: its messages look like those of another schema, they
 * have extensions that no file of the schema declares, some of them produce no line in a sink, or
 * their samples lack a label. These are not errors, because Protobuf decodes almost any bytes and
 * accepts unknown fields.
 *
 * Each listener has one mismatch_hint, which its receiving threads and all sinks share. Messages
 * without unknown fields that produce a line cost nothing.
 */
#ifndef SLUICE_COLLECTOR_RECORD_MISMATCH_HINT_H
#define SLUICE_COLLECTOR_RECORD_MISMATCH_HINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/batch.h"
#include "collector/record/schema_guess.h"

/* The least time in nanoseconds between two hints that name another schema. */
#define MISMATCH_HINT_NS INT64_C(60000000000)

struct mismatch_hint {
    struct schema_guess *guess; /* finds the schema that fits; may be NULL */
    _Atomic int64_t next_ns;    /* monotonic time before which no hint names another schema */
    _Atomic bool no_line_logged, undeclared_logged, repeated_logged;
};

/* Call this before any thread uses the hint. `guess` must outlive the hint. */
void mismatch_hint_init(struct mismatch_hint *hint, struct schema_guess *guess);

/* Any thread: allows each hint to be logged again, after the listener's schemas were replaced. */
void mismatch_hint_restart(struct mismatch_hint *hint);

/*
 * Selects which datagrams with unknown fields are examined. A datagram is in order if the schema
 * knows at least half of its fields, for example if its sender is newer than the schema. All
 * datagrams are examined until HINT_IN_ORDER in a row were in order; after that one in HINT_ONE_IN.
 * Zero at first; used by one thread.
 */
struct mismatch_hint_pace {
    unsigned in_order; /* number of consecutive datagrams that were in order */
    unsigned left_out; /* number of datagrams since the last examined one */
};

#define HINT_IN_ORDER 64
#define HINT_ONE_IN   64

/*
 * Returns true if mismatch_hint_look should examine a datagram with this number of unknown fields.
 */
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
 * Examines the messages of a datagram: `first` and the records after it. If the schema does not
 * know most of their fields, logs this and the name of the schema that knows them, then examines no
 * datagram for MISMATCH_HINT_NS. Also logs, once, an extension that no file of the schema declares.
 * `now_ns` is monotonic.
 */
void mismatch_hint_look(struct mismatch_hint *hint, struct mismatch_hint_pace *pace,
                        const char *listener, const struct record *first, int64_t now_ns);

/*
 * Call this when a message produced no line in `sink`. Logs, once, that the message has no sample
 * although its fields are known.
 */
void mismatch_hint_no_line(struct mismatch_hint *hint, const char *listener,
                           const struct record *record, const char *sink);

/* Call this when two samples with this name in a message have the same labels. Logs it, once. */
void mismatch_hint_repeated(struct mismatch_hint *hint, const char *listener,
                            const struct text *name);

#endif
