/*
 * Writes the records of a batch that match a tap client's pattern, as lines of an encoder.
 *
 * A sample matches by its name, and only its line is shown; a record of a schema without samples
 * matches by its schema's name. Used by one thread; all memory is allocated by tap_view_create.
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
 * `encoder` must write, as format=json does, one line for each sample in the order of the samples,
 * and one line for a record without samples. Returns NULL if memory is short.
 */
struct tap_view *tap_view_create(const struct encoder_ops *encoder);
/* NULL is allowed. */
void tap_view_destroy(struct tap_view *view);

/* Returns the bytes of a view's memory. The pages that no record has used need no RAM. */
size_t tap_view_memory(void);

/* One client of the tap. */
struct tap_watcher {
    char pattern[256]; /* see collector/text/glob.h */
    size_t pattern_size;
    unsigned lines_left; /* lines that may still be written in this second */
    uint64_t left_out;   /* records that were not examined or not fully shown, because lines or
                            room were used up */
};

/*
 * Appends the matching lines to `out`, at most watcher->lines_left, and counts in
 * watcher->left_out.
 */
void tap_view_show(struct tap_view *view, struct tap_watcher *watcher, const struct batch *batch,
                   struct output *out);

#endif
