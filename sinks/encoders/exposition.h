/*
 * What the text formats of Prometheus and of OpenMetrics have in common: their alphabets, labels,
 * and the beginnings of a sample's lines.
 *
 * Names are made to fit the alphabet. Of a sample that has several lines the name and the labels
 * are written once, and copied from the first line into the others. Shared by two encoders; each
 * call is for one output, by the thread that has it. Nothing to free.
 */
#ifndef SLUICE_SINKS_ENCODERS_EXPOSITION_H
#define SLUICE_SINKS_ENCODERS_EXPOSITION_H

#include "collector/contract/schema.h"
#include "collector/text/output.h"
#include "sinks/encoders/sample_labels.h"

/*
 * Appends the text as a name: each character that the alphabet lacks becomes an underscore, and one
 * comes before a digit at the beginning. Names of metrics may hold a colon, those of labels not.
 */
void exposition_name(struct output *out, const struct text *name, bool colon);

/*
 * "_total" for a sample that is a number and a cumulative counter, where its name does not end so
 * as exposition_name writes it; else "".
 */
const char *exposition_suffix(const struct sample *sample);

/* Appends a double as the formats have it; what is not finite is NaN, +Inf or -Inf. */
void exposition_double(struct output *out, double value);

/* Appends the value of a sample that is one number. */
void exposition_number(struct output *out, const struct sample *sample);

/* The lines of one sample. */
struct exposition {
    struct sample_labels *labels;
    const struct record *record;
    const struct sample *sample;
    struct output *out;
    const char *own_label; /* that the format itself gives them; NULL: none */
    bool nameless;         /* lines begin after their metric's name */
    bool sorted;           /* labels are in the order of their names, byte by byte */
    size_t count;          /* lines so far */

    /* Where they stand in the first line, the labels without their braces. */
    size_t name_at, name_size;
    size_t labels_at, labels_size;
};

/*
 * Appends the beginning of a line without a label of the format's own: name, suffix, labels and a
 * space. Labels follow the rules of sinks/README.md.
 */
void exposition_begin_plain(struct exposition *lines, const char *suffix);

/* The same with `own_label`, to the quote before its value. */
void exposition_begin_own(struct exposition *lines, const char *suffix);

#endif
