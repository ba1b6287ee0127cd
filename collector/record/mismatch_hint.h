/*
 * Hints in the log that a listener has the wrong schema: its messages look like another schema's,
 * they have extensions that no file of the schema declares, some of them produce no line in a sink,
 * or their samples lack a label. These are not errors, because Protobuf decodes almost any bytes
 * and accepts fields that the schema does not know.
 *
 * A hint belongs to one listener; its receiving threads and all sinks share it. Messages without
 * unknown fields that produce a line cost nothing.
 */
#ifndef SLUICE_COLLECTOR_RECORD_MISMATCH_HINT_H
#define SLUICE_COLLECTOR_RECORD_MISMATCH_HINT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/record/batch.h"
#include "collector/record/schema_guess.h"

/* The least time between two hints in the log, in nanoseconds. */
#define MISMATCH_HINT_NS INT64_C(60000000000)

struct mismatch_hint {
    struct schema_guess *guess; /* names the schema that fits; NULL: not available */
    _Atomic int64_t next_ns;    /* monotonic: not logged earlier than this */
    _Atomic bool no_line_logged, undeclared_logged, repeated_logged;
};

/* To be called before any thread uses the hint. `guess` must outlive it. */
void mismatch_hint_init(struct mismatch_hint *hint, struct schema_guess *guess);

/* Any thread: the listener's schemas were replaced, so each hint may be logged again. */
void mismatch_hint_restart(struct mismatch_hint *hint);

/*
 * Selects which datagrams with unknown fields are examined. A datagram is in order if the schema
 * knows most of its fields, as when the sender is newer than the schema. All datagrams are examined
 * until HINT_IN_ORDER in a row were in order; from then on one in HINT_ONE_IN. All zero at first;
 * used by one thread.
 */
struct mismatch_hint_pace {
    unsigned in_order; /* datagrams in order, in a row */
    unsigned left_out; /* datagrams since the last examined one */
};

#define HINT_IN_ORDER 64
#define HINT_ONE_IN   64

/* Whether to call mismatch_hint_look for a datagram with `unknown_fields` unknown fields. */
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
 * Examines the messages of a datagram, `first` and the messages after it. Logs the first extension
 * that no file of the schema declares, once. If their schema does not know most of their fields,
 * logs that, with the name of the schema that knows them; at most once
 * in MISMATCH_HINT_NS. `now_ns` is monotonic.
 */
void mismatch_hint_look(struct mismatch_hint *hint, struct mismatch_hint_pace *pace,
                        const char *listener, const struct record *first, int64_t now_ns);

/*
 * To be called when a message produced no line in `sink`. If the message has no sample although its
 * fields are known, logs that, once.
 */
void mismatch_hint_no_line(struct mismatch_hint *hint, const char *listener,
                           const struct record *record, const char *sink);

/*
 * To be called when a sample of this name has the labels of an earlier sample in its message. Logs
 * that, once.
 */
void mismatch_hint_repeated(struct mismatch_hint *hint, const char *listener,
                            const struct text *name);

#endif
