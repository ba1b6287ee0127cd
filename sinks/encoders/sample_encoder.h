/*
 * The common part of encoders of samples: memory for generated texts, the labels, the sink's sample
 * rules and limits, and the loop over a record's samples that applies them. An encoder's structure
 * begins with a struct sample_encoder. For the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_ENCODER_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_ENCODER_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"
#include "collector/platform/machine.h"
#include "sinks/encoders/part_cache.h"
#include "sinks/encoders/sample_labels.h"

/*
 * The labels that all samples of one part of a record share (schema.h: struct label), for
 * sample_bounds.c: the sum of their fingerprints, and one bit for each key.
 */
struct shared_series {
    const void *of; /* the part; NULL means none yet */
    uint64_t sum, bits;
};

struct sample_encoder {
    struct encoder encoder;
    struct arena scratch;      /* ENCODER_SCRATCH_SIZE bytes, emptied before each record */
    char host[HOST_NAME_SIZE]; /* this machine's name, for added labels */
    struct sample_labels labels;
    struct sample_rules rules;   /* the lists belong to the options */
    struct series_guard *series; /* borrowed; NULL if neither series nor times are limited */
    struct shared_series shared; /* of the part of the record that was visited last */
    struct part_cache parts;     /* used if the encoder caches parts */
    size_t steps_before; /* steps of the record before the sample that sample_encoder_find did not
                            find */
    uint64_t buckets;    /* for this and the next four, see struct encoder_options */
    bool counter_suffix;
    enum native_histograms native;
    bool float_numbers;
    bool exemplars;
    bool missing; /* set by the format if it writes samples without a value, too */

    /* Counts of the current record (struct encoded). The format adds to them. */
    size_t left_out, joined;
    bool filters, renames; /* there are rules that select, or that rename, samples */
};

/*
 * Makes an encoder of `size` bytes. They are zero, except the `struct sample_encoder` at the
 * beginning. The lists of the options' rules must outlive the encoder. Returns NULL if out of
 * memory.
 */
void *sample_encoder_create(const struct encoder_ops *ops, size_t size,
                            const struct encoder_options *options);

/* Implements the operation `destroy`. */
void sample_encoder_destroy(struct encoder *encoder);

void sample_encoder_begin_record(struct sample_encoder *encoder);

/* Appends the lines of one sample. Returns their number, or 0 if the sample has no output. */
typedef size_t sample_writer(struct sample_encoder *encoder, const struct record *record,
                             const struct sample *sample, struct output *out);

/* Appends the lines of all samples of the current record. Applies the rules and limits. */
struct encoded sample_encoder_write(struct sample_encoder *encoder, const struct record *record,
                                    sample_writer *write, struct output *out);

/*
 * For encoders that cache parts. Returns the parts of the sample's line, or NULL: then the encoder
 * writes them, and gives them to sample_encoder_keep if `out` has not overflowed. Parts of lines
 * with ruled labels are not cached.
 */
const struct part_entry *sample_encoder_find(struct sample_encoder *encoder,
                                             const struct record *record,
                                             const struct sample *sample, struct output *out);
void sample_encoder_keep(struct sample_encoder *encoder, struct text before, struct text after);

#endif
