/*
 * What a watcher of the tap sees of a batch: the lines that match a pattern, as an encoder writes
 * them.
 *
 * A sample matches by its name, and its line alone is shown; a record of a schema without samples
 * matches by its schema's name. Owned and used by one thread; all memory is taken at the creation.
 */
#ifndef SLUICE_COLLECTOR_CONTROL_TAP_VIEW_H
#define SLUICE_COLLECTOR_CONTROL_TAP_VIEW_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/encoder.h"
#include "collector/record/batch.h"
#include "collector/text/output.h"

struct tap_view;

/*
 * `encoder` writes one line for each sample, in their order, and one for a record that has none:
 * format=json does. Returns NULL where memory is short.
 */
struct tap_view *tap_view_create(const struct encoder_ops *encoder);
/* NULL is allowed. */
void tap_view_destroy(struct tap_view *view);

/* Bytes that a view takes; pages that no record needs stay untouched. */
size_t tap_view_memory(void);

/* What one watcher wants and got. */
struct tap_watcher {
    char pattern[256]; /* see collector/text/glob.h */
    size_t pattern_size;
    unsigned lines_left; /* that it may still be shown */
    uint64_t
        left_out; /* records that were not looked at, or not all shown, for want of lines or room */
};

/* Appends to `out` the lines that the watcher may see. */
void tap_view_show(struct tap_view *view, struct tap_watcher *watcher, const struct batch *batch,
                   struct output *out);

#endif
