/*
 * Writes the common parts of the text formats of Prometheus and OpenMetrics: names, labels, and the
 * beginning of each line.
 *
 * Names are converted to the formats' alphabet. If a sample has several lines, the name and the
 * labels are written once, and copied from the first line into the others. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_EXPOSITION_H
#define SLUICE_SINKS_ENCODERS_EXPOSITION_H

#include "collector/contract/schema.h"
#include "collector/text/output.h"
#include "sinks/encoders/exposition_name.h"
#include "sinks/encoders/sample_labels.h"
#include "sinks/encoders/series_labels.h"

/*
 * Returns "_total" for a cumulative counter whose name (by exposition_name) does not end with
 * "_total"; otherwise "".
 */
const char *exposition_suffix(const struct sample *sample);

/* Appends a double. Non-finite values are NaN, +Inf or -Inf. */
void exposition_double(struct output *out, double value);

/* Appends the value of a numeric sample. */
void exposition_number(struct output *out, const struct sample *sample);

/* The lines of one sample. */
struct exposition {
    struct sample_labels *labels;
    const struct record *record;
    const struct sample *sample;
    struct output *out;
    const char *own_label; /* label that the format itself adds, or NULL */
    bool nameless;         /* lines do not begin with the metric's name */
    bool sorted;           /* labels are ordered by name, byte by byte */
    size_t count;          /* number of lines so far */

    /*
     * Used if several labels have the same name. `joined` is the number of joined labels; the
     * encoder must add it to the sample's counts.
     */
    struct series_labels *series;
    size_t joined;
    bool in_order; /* the labels are in the order of their names */

    /* Position and size of the name and the labels (without braces) in the first line. */
    size_t name_at, name_size;
    size_t labels_at, labels_size;
};

/*
 * Appends the beginning of a line without the format's own label: name, suffix, labels and a space.
 * Labels follow the rules of sinks/README.md.
 */
void exposition_begin_plain(struct exposition *lines, const char *suffix);

/*
 * Appends the beginning of a line with the label `own_label`, up to the quote before that label's
 * value.
 */
void exposition_begin_own(struct exposition *lines, const char *suffix);

#endif
