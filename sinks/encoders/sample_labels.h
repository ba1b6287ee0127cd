/*
 * Walks over the labels of a sample, or of an exemplar, and decides whether each counts: no key is
 * written twice, and of two labels with one key the first counts. Keys are compared as written, so
 * two keys that a format cannot distinguish are the same key in that format.
 *
 * A sample's labels follow the sink's rules: some are dropped and some renamed. Then others are
 * added; an added label counts if the sample does not have its key.
 *
 * Shared by encoders. Each encoder writes a key in its own way and then asks whether the key stays.
 * Belongs to one encoder and is used by its thread. No cleanup necessary.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_LABELS_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_LABELS_H

#include "collector/contract/record.h"
#include "collector/contract/sample_rules.h"
#include "collector/contract/schema.h"
#include "collector/text/output.h"

/*
 * Limits of a record's cost, so that a hostile datagram cannot keep a sink busy: if a sample has
 * more different labels, or if comparing a record's labels takes more steps (one for each label,
 * for each comparison, for eight bytes of each key in it, for each byte of a generated text, and
 * for each step of a glob), the record is too large. That is at most about 20 ms. The different
 * labels of a sample that fit in a datagram take fewer; a thousand samples of twenty labels take
 * about 60,000.
 */
#define MAX_LABELS      1024
#define MAX_LABEL_STEPS 8000000

/* The labels that a walk yields. */
enum labels_choice {
    LABELS_AS_SENT,
    LABELS_OF_EXEMPLAR, /* labels of an exemplar, as sent */
    LABELS_AS_RULED,
};

/* If there are more shared labels, or longer ones, they are written again for each sample. */
#define SHARED_LABELS_SIZE 4096
#define MAX_SHARED_LABELS  64

/* The shared labels of one part of the record, as they were written for one sample. */
struct shared_labels {
    const void *seen; /* part of the last sample: the labels are stored at its second */
    const void *of;   /* the part that has these labels; NULL: none */
    uint64_t bits;    /* sample_labels_bit of the keys */
    size_t count;
    struct shared_key {
        uint16_t at, size; /* position and size in the text */
    } keys[MAX_SHARED_LABELS];
    size_t size;
    char text[SHARED_LABELS_SIZE];
};

struct sample_labels {
    const struct sample_rules *rules; /* the rules about labels; NULL: there are none */
    struct arena *scratch;            /* for generated texts */
    size_t steps;                     /* steps that the current record has taken */

    /* The sample whose labels are walked, or its exemplar if that is not NULL. */
    const struct record *record;
    const struct sample *sample;
    const struct sample_exemplar *exemplar;
    struct schema_cursor cursor;
    enum labels_choice choice;
    bool sent_ended;  /* LABELS_AS_RULED: all sent labels have been yielded */
    size_t added;     /* added labels that have been yielded */
    size_t made;      /* scratch bytes used by the value of the last added label */
    struct text host; /* this machine's name, for values of added labels */

    /*
     * The shared labels while they are written, to be stored in `shared`: their part (NULL: none so
     * far), their number, and where they begin among the keys and in the output.
     */
    bool first; /* the sample is the first of its part */
    const void *noting;
    size_t noted, noted_from, noted_at;
    const char *repeated; /* shared labels copied to the output; NULL: none were */
    struct shared_labels shared;

    /*
     * The keys of the sample so far, as in the output or as sent, except those of repeated labels.
     */
    size_t count;
    uint64_t bits; /* sample_labels_bit of each key */
    struct text keys[MAX_LABELS];
};

/*
 * Begins a record. Steps are counted from here. `scratch` must live until the record's last label.
 */
void sample_labels_begin_record(struct sample_labels *labels, struct arena *scratch);

/* Begins the labels of the exemplar, or of the sample if the exemplar is NULL. */
void sample_labels_begin(struct sample_labels *labels, const struct record *record,
                         const struct sample *sample, const struct sample_exemplar *exemplar);

/*
 * sample_labels_begin_sent begins the labels of the sample as sent. sample_labels_next_sent returns
 * the next label with a new key; it ends as sample_labels_next does.
 */
void sample_labels_begin_sent(struct sample_labels *labels, const struct record *record,
                              const struct sample *sample);
bool sample_labels_next_sent(struct sample_labels *labels, struct label *label, struct output *out);

/* Ends a walk before its last label, for a caller that does not need the remaining labels. */
void sample_labels_leave(struct sample_labels *labels);

/*
 * Used by the inline functions below: one step of the walk, and the rare comparison with earlier
 * keys.
 */
bool sample_labels_walk(struct sample_labels *labels, struct label *label);
bool sample_labels_is_known(struct sample_labels *labels, const struct text *key);

/*
 * Returns the next label. Returns false after the last label, or if `out` has overflowed, which
 * also happens if the record takes too many steps or if a text does not fit in the scratch arena.
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
 * Returns one of 64 bits, from the key's length, first and last byte. Thanks to it most keys need
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
 * Whether the key occurs for the first time; also false if `out` overflows because there are too
 * many.
 */
static inline bool sample_labels_note(struct sample_labels *labels, const struct text *key,
                                      struct output *out)
{
    labels->steps += key->size / 8;
    uint64_t bit = sample_labels_bit(key->data, key->size);
    if ((labels->bits & bit) != 0 && sample_labels_is_known(labels, key))
        return false;
    if (labels->count == MAX_LABELS) {
        out->overflow = true;
        return false;
    }
    labels->bits |= bit;
    labels->keys[labels->count++] = *key;
    return true;
}

/*
 * For encoders that write the labels of each sample in the same way, with one byte between two
 * labels. To be called before a shared label is written (label->shared is not NULL), but not for
 * labels that the encoder never writes. If an earlier sample has written the same shared labels,
 * appends a copy of this label and all following ones, and returns true. Otherwise returns false:
 * the encoder writes the labels, and calls sample_labels_remember after the last one.
 */
bool sample_labels_repeat(struct sample_labels *labels, const struct label *label, char separator,
                          struct output *out);
void sample_labels_note_shared(struct sample_labels *labels, const struct output *out);

static inline void sample_labels_remember(struct sample_labels *labels, const struct output *out)
{
    if (labels->noting != NULL)
        sample_labels_note_shared(labels, out);
}

/* To be called after all labels are written: adds the keys of the repeated labels to the others. */
void sample_labels_add_repeated(struct sample_labels *labels);

/*
 * Returns whether the last written key, of `size` bytes from byte `at` of the output on, occurs for
 * the first time and stays. False: the caller removes the key, or `out` has overflowed.
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
