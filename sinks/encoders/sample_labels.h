/*
 * Visits the labels of a sample or an exemplar, and decides which of them count: of several labels
 * with one key the first counts. Keys are compared as written, so two keys that a format cannot
 * distinguish are the same key.
 *
 * The sink's rules drop and rename labels of a sample. Then labels are added, if the sample does
 * not have their keys.
 *
 * Shared by encoders: an encoder writes a key in its own form and then checks whether the key
 * counts. For one encoder, in its thread. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_LABELS_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_LABELS_H

#include "collector/contract/record.h"
#include "collector/contract/sample_rules.h"
#include "collector/contract/schema.h"
#include "collector/text/output.h"

/*
 * Limits of a record's cost, so that a hostile datagram cannot keep a sink busy: a record is too
 * large if a sample has more than MAX_LABELS different labels, or if the labels of the record take
 * more than MAX_LABEL_STEPS steps, which is about 20 ms. A step is a label, a comparison, eight
 * bytes of a compared key, a byte of a generated text, or a step of a glob.
 *
 * The different labels of a sample that fit in a datagram take fewer steps; a thousand samples of
 * twenty labels take about 60,000.
 */
#define MAX_LABELS      1024
#define MAX_LABEL_STEPS 8000000

/*
 * In records up to this size, which datagrams never exceed, copies of labels count as many steps as
 * written ones, so that a cache of what an earlier record has written (part_cache.h) makes no
 * difference. In larger records, which use no such cache, a copy counts one step.
 */
#define CACHED_RECORD_MOST 65536

/* The labels that are visited. */
enum labels_choice {
    LABELS_AS_SENT,
    LABELS_OF_EXEMPLAR, /* labels of an exemplar, as sent */
    LABELS_AS_RULED,
};

/* More or longer shared labels are written again for each sample. */
#define SHARED_LABELS_SIZE 4096
#define MAX_SHARED_LABELS  64

/* The shared labels of one part of the record, as they were written for one sample. */
struct shared_labels {
    const void *seen; /* the last sample's part; its labels are stored at its second sample */
    const void *of;   /* the part whose labels these are, or NULL */
    uint64_t bits;    /* sample_labels_bit of each key */
    size_t steps;     /* steps of writing the labels, without the walk's step to the first one */
    size_t count;
    struct shared_key {
        uint16_t at, size; /* in `text` */
    } keys[MAX_SHARED_LABELS];
    size_t size;
    char text[SHARED_LABELS_SIZE];
};

struct sample_labels {
    const struct sample_rules *rules; /* the rules about labels, or NULL */
    struct arena *scratch;            /* for generated texts */
    size_t steps;                     /* steps of the current record so far */

    /* The sample, or if not NULL the exemplar, whose labels are visited. */
    const struct record *record;
    const struct sample *sample;
    const struct sample_exemplar *exemplar;
    struct schema_cursor cursor;
    enum labels_choice choice;
    bool sent_ended;  /* LABELS_AS_RULED: all sent labels were visited */
    size_t added;     /* number of added labels that were visited */
    size_t made;      /* bytes in `scratch` of the last added label's value */
    struct text host; /* this machine's name, for added labels */
    bool repeats_key; /* a label of the sample has the key of an earlier one */

    /*
     * The number and the bits of the sample's own labels. Both are 0 until a shared label follows.
     */
    bool own_ended;
    size_t own_count;
    uint64_t own_bits;

    /*
     * The shared labels that are being written, to be stored in `shared`: the part that they belong
     * to (or NULL), their number, their beginning in the output, and the record's steps up to
     * there.
     */
    bool first; /* the sample is the first of its part */
    const void *noting;
    size_t noted, noted_at, noted_steps;
    const char *repeated; /* the shared labels copied to the output, or NULL */
    struct shared_labels shared;

    /* The keys of the sample so far, as written or as sent, without those of `repeated`. */
    size_t count;
    uint64_t bits; /* sample_labels_bit of each key */
    struct text keys[MAX_LABELS];
};

/*
 * Begins a record, and counts its steps from 0. `scratch` must live until the record's last label.
 */
void sample_labels_begin_record(struct sample_labels *labels, struct arena *scratch);

/* Begins the labels of the exemplar, or of the sample if `exemplar` is NULL. */
void sample_labels_begin(struct sample_labels *labels, const struct record *record,
                         const struct sample *sample, const struct sample_exemplar *exemplar);

/*
 * As sample_labels_begin and sample_labels_next, for the labels of the sample as sent. Returns only
 * labels with a new key.
 */
void sample_labels_begin_sent(struct sample_labels *labels, const struct record *record,
                              const struct sample *sample);
bool sample_labels_next_sent(struct sample_labels *labels, struct label *label, struct output *out);

/* Ends a walk before its last label. */
void sample_labels_leave(struct sample_labels *labels);

/*
 * Counts the steps of labels that an encoder copies, having written the same labels before. If the
 * record takes too many, `out` overflows.
 */
static inline void sample_labels_count_steps(struct sample_labels *labels, size_t steps,
                                             struct output *out)
{
    labels->steps += steps;
    if (labels->steps > MAX_LABEL_STEPS)
        out->overflow = true;
}

/* Only for the inline functions below: the next label, and the comparison with earlier keys. */
bool sample_labels_walk(struct sample_labels *labels, struct label *label);
bool sample_labels_is_known(struct sample_labels *labels, const struct text *key);

/*
 * Returns false after the last label, or if `out` has overflowed, which also happens if the record
 * takes too many steps or if a text does not fit in the scratch arena.
 */
static inline bool sample_labels_next(struct sample_labels *labels, struct label *label,
                                      struct output *out)
{
    if (out->overflow)
        return false;
    bool more = sample_labels_walk(labels, label);
    labels->steps += 1 + labels->cursor.made;
    if (labels->steps > MAX_LABEL_STEPS || labels->scratch->exhausted)
        out->overflow = true;
    return more && !out->overflow;
}

/*
 * Returns one of 64 bits, from the key's length, first and last byte. Keys with different bits need
 * no comparison.
 */
static inline uint64_t sample_labels_bit(const char *text, size_t size)
{
    if (size == 0)
        return 1;
    size_t first = (unsigned char)text[0];
    size_t last = (unsigned char)text[size - 1];
    return UINT64_C(1) << ((size + first * 5 + last * 7) & 63);
}

/*
 * Returns true if the key occurs for the first time. Returns false also if `out` overflows because
 * there are too many keys.
 */
static inline bool sample_labels_note(struct sample_labels *labels, const struct text *key,
                                      struct output *out)
{
    labels->steps += key->size / 8;
    uint64_t bit = sample_labels_bit(key->data, key->size);
    if ((labels->bits & bit) != 0 && sample_labels_is_known(labels, key)) {
        labels->repeats_key = true;
        return false;
    }
    if (labels->count == MAX_LABELS) {
        out->overflow = true;
        return false;
    }
    labels->bits |= bit;
    labels->keys[labels->count++] = *key;
    return true;
}

/*
 * For encoders that write the labels of all samples in the same way, with the byte `separator`
 * between them. To be called before a shared label is written (label->shared is not NULL), but not
 * for labels that the encoder never writes. If an earlier sample has written the same shared
 * labels, appends a copy of this label and all following ones, and returns true. Otherwise returns
 * false: the encoder must write the labels, and call sample_labels_remember after the last one.
 */
bool sample_labels_repeat(struct sample_labels *labels, const struct label *label, char separator,
                          struct output *out);
void sample_labels_note_shared(struct sample_labels *labels, const struct output *out);

static inline void sample_labels_remember(struct sample_labels *labels, const struct output *out)
{
    if (labels->noting != NULL)
        sample_labels_note_shared(labels, out);
}

/* To be called after all labels are written: adds the keys of repeated labels to `keys`. */
void sample_labels_add_repeated(struct sample_labels *labels);

/*
 * Returns true if the last written key, `size` bytes from byte `at` of the output, occurs for the
 * first time. Otherwise the caller must remove the key, or `out` has overflowed.
 */
static inline bool sample_labels_keep(struct sample_labels *labels, size_t at, size_t size,
                                      struct output *out)
{
    if (out->overflow)
        return false;
    const struct text key = {out->data + at, size};
    return sample_labels_note(labels, &key, out);
}

#endif
