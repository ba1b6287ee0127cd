/*
 * The common part of encoders of samples: room for generated texts, the labels, the sink's sample
 * rules and limits, and the walk over a record's samples that applies them.
 *
 * An encoder's own structure begins with a struct sample_encoder. Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_ENCODER_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_ENCODER_H

#include "collector/contract/encoder.h"
#include "collector/contract/record.h"
#include "collector/platform/machine.h"
#include "sinks/encoders/sample_labels.h"

/*
 * The labels that all samples of one part of a record share (schema.h: struct label), for
 * sample_bounds.c: the sum of their fingerprints, and a bit for each key.
 */
struct shared_series {
    const void *of; /* the part; NULL: none so far */
    uint64_t sum, bits;
};

struct sample_encoder {
    struct encoder encoder;
    struct arena scratch;      /* ENCODER_SCRATCH_SIZE bytes, emptied before each record */
    char host[HOST_NAME_SIZE]; /* this machine's name, for added labels */
    struct sample_labels labels;
    struct sample_rules rules;   /* borrowed */
    struct series_guard *series; /* borrowed; NULL: neither series nor times are limited */
    struct shared_series shared; /* of the record's part that was met last */
    uint64_t buckets;          /* as in struct encoder_options */
    bool counter_suffix;       /* as in struct encoder_options */
    enum native_histograms native; /* as in struct encoder_options */
    bool float_numbers;        /* as in struct encoder_options */
    bool exemplars;            /* as in struct encoder_options */
    bool missing;              /* set by the format: samples without a value are written, too */

    /* Counts of the current record, as in struct encoded; the format adds to them. */
    size_t left_out, joined;
    bool filters, renames;     /* whether there are rules that select or rename samples */
};

/*
 * Makes an encoder of `size` bytes, which are zero except this part. Keeps the options' rules,
 * whose lists must outlive the encoder. Returns NULL if memory is short.
 */
void *sample_encoder_create(const struct encoder_ops *ops, size_t size,
                            const struct encoder_options *options);

/* Implements the operation `destroy`. */
void sample_encoder_destroy(struct encoder *encoder);

/* Begins a record. */
void sample_encoder_begin_record(struct sample_encoder *encoder);

/* Appends the lines of one sample. Returns their number; 0: it has no output. */
typedef size_t sample_writer(struct sample_encoder *encoder, const struct record *record,
                             const struct sample *sample, struct output *out);

/* Appends the lines of all samples of the current record, applying the rules and limits. */
struct encoded sample_encoder_write(struct sample_encoder *encoder, const struct record *record,
                                    sample_writer *write, struct output *out);

#endif
