/*
 * The labels of a sample, or of an exemplar, one after the other, and which of them count: no key
 * is told twice, and of two labels with the same key the first one counts. Keys are compared as
 * they were written, so two that a format cannot tell apart are the same there.
 *
 * What encoders share; each writes a key in its own way and asks whether it stays. Belongs to one
 * encoder and is used by its thread. Nothing to free.
 */
#ifndef SLUICE_SINKS_SAMPLE_LABELS_H
#define SLUICE_SINKS_SAMPLE_LABELS_H

#include "collector/batch.h"
#include "collector/schema.h"
#include "collector/text/output.h"

/*
 * What one record may cost, so that a datagram made for it cannot keep a sink busy: where a sample
 * has more different labels than this, or where telling a record's labels apart takes more steps
 * (one for each label, for each comparison, for eight bytes of each key in them, and for each byte
 * of a text that had to be made), the record is too large. That is some 20 ms. A sample's labels
 * that differ and fit a datagram take fewer; a thousand samples of twenty labels take some 60,000.
 */
#define MAX_LABELS      1024
#define MAX_LABEL_STEPS 8000000

/* A key as it was written: where it is in the output. */
struct written_key {
    size_t at;
    size_t size;
};

struct sample_labels {
    struct arena *scratch; /* for texts that have to be made */
    size_t steps;          /* of the record in hand */

    /* The sample, or the exemplar where it is not NULL, whose labels are walked. */
    const struct record *record;
    const struct sample *sample;
    const struct sample_exemplar *exemplar;
    struct schema_cursor cursor;

    /* Its keys that stay so far. */
    size_t count;
    uint64_t bits; /* one of each of them */
    struct written_key keys[MAX_LABELS];
};

/* Begins a record: its steps are counted from here on. `scratch` must live until its last label. */
void sample_labels_begin_record(struct sample_labels *labels, struct arena *scratch);

/* Begins the labels of the sample, or of the exemplar where it is not NULL. */
void sample_labels_begin(struct sample_labels *labels, const struct record *record,
                         const struct sample *sample, const struct sample_exemplar *exemplar);

/* For the two functions below, which are here to be fast: the walk, and what is seldom needed. */
bool sample_labels_walk(struct sample_labels *labels, struct label *label);
bool sample_labels_is_known(struct sample_labels *labels, const struct written_key *key,
                            const struct output *out);

/*
 * The next label, or false behind the last one, and where `out` has overflowed: it also does where
 * the record takes too many steps, or where a text does not fit the scratch arena.
 */
static inline bool sample_labels_next(struct sample_labels *labels, struct label *label,
                                      struct output *out)
{
    if (out->overflow || !sample_labels_walk(labels, label))
        return false;
    labels->steps += 1 + labels->cursor.made;
    if (labels->steps > MAX_LABEL_STEPS || labels->scratch->exhausted)
        out->overflow = true;
    return !out->overflow;
}

/* One bit of 64, by the key's length, first and last byte: most keys need no comparison at all. */
static inline uint64_t sample_labels_bit(const char *text, size_t size)
{
    if (size == 0)
        return 1;
    size_t first = (unsigned char)text[0];
    size_t last = (unsigned char)text[size - 1];
    return UINT64_C(1) << ((size + first * 5 + last * 7) & 63);
}

/*
 * Whether the key that was written last, from byte `at` of the output on and `size` bytes long, is
 * the first of its kind and stays. False: the caller takes it back, or `out` has overflowed.
 */
static inline bool sample_labels_keep(struct sample_labels *labels, size_t at, size_t size,
                                      struct output *out)
{
    if (out->overflow)
        return false;
    const struct written_key key = {.at = at, .size = size};
    labels->steps += size / 8;
    uint64_t bit = sample_labels_bit(out->data + at, size);
    if ((labels->bits & bit) != 0 && sample_labels_is_known(labels, &key, out))
        return false;
    if (labels->count == MAX_LABELS) {
        out->overflow = true;
        return false;
    }
    labels->bits |= bit;
    labels->keys[labels->count++] = key;
    return true;
}

#endif
