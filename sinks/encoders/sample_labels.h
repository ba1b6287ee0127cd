/*
 * The labels of a sample, or of an exemplar, one after the other, and which of them count: no key
 * is written twice, and of two labels with the same key the first one counts. Keys are compared as
 * they were written, so two that a format cannot distinguish are the same there.
 *
 * A sample's labels are written as the sink's rules have them: some dropped, some called otherwise,
 * and after them those that are added, which so count where the sample has none of their key.
 *
 * What encoders share; each writes a key in its own way and asks whether it stays. Belongs to one
 * encoder and is used by its thread. Nothing to free.
 */
#ifndef SLUICE_SINKS_ENCODERS_SAMPLE_LABELS_H
#define SLUICE_SINKS_ENCODERS_SAMPLE_LABELS_H

#include "collector/contract/record.h"
#include "collector/contract/sample_rules.h"
#include "collector/contract/schema.h"
#include "collector/text/output.h"

/*
 * What one record may cost, so that a datagram made for it cannot keep a sink busy: where a sample
 * has more different labels than this, or where telling a record's labels apart takes more steps
 * (one for each label, for each comparison, for eight bytes of each key in them, for each byte of a
 * text that had to be made, and for each step of a glob), the record is too large. That is at most
 * some 20 ms. A sample's labels that differ and fit a datagram take fewer; a thousand samples of
 * twenty labels take some 60,000.
 */
#define MAX_LABELS      1024
#define MAX_LABEL_STEPS 8000000

/* Which labels a walk yields. */
enum labels_choice {
    LABELS_AS_SENT,
    LABELS_OF_EXEMPLAR, /* those, as they were sent */
    LABELS_AS_RULED,
};

/* Where they are longer or more than this they are written anew for each sample. */
#define SHARED_LABELS_SIZE 4096
#define MAX_SHARED_LABELS  64

/* What the samples of one part of the record share, as it was written for one of them. */
struct shared_labels {
    const void *seen; /* the part that the last sample was of: many a part has but one */
    const void *of;   /* the part whose labels these are; NULL: none are known */
    uint64_t bits;    /* of the keys */
    size_t count;
    struct shared_key {
        uint16_t at, size; /* in the text */
    } keys[MAX_SHARED_LABELS];
    size_t size;
    char text[SHARED_LABELS_SIZE];
};

struct sample_labels {
    const struct sample_rules *rules; /* those about labels; NULL: there are none */
    struct arena *scratch;            /* for texts that have to be made */
    size_t steps;                     /* of the record in hand */

    /* The sample, or the exemplar where it is not NULL, whose labels are walked. */
    const struct record *record;
    const struct sample *sample;
    const struct sample_exemplar *exemplar;
    struct schema_cursor cursor;
    enum labels_choice choice;
    bool sent_ended;  /* LABELS_AS_RULED: those that were sent have all been yielded, */
    size_t added;     /* and of those that are added so many; */
    size_t made;      /* bytes of scratch that the value of the last of these took */
    struct text host; /* this machine's name, for such values */

    /* Those that it shares, while they are written: the part that has them (NULL: there are none so
     * far), how many there were, and where they begin among the keys and in the output. */
    bool first; /* it is the first of its part */
    const void *noting;
    size_t noted, noted_from, noted_at;
    const char *repeated; /* where they stand in the output; NULL: they were not repeated */
    struct shared_labels shared;

    /* Its keys that stay so far, but for those repeated: as they stand in the output, or as they
     * were sent. */
    size_t count;
    uint64_t bits; /* one of each of them */
    struct text keys[MAX_LABELS];
};

/* Begins a record: its steps are counted from here on. `scratch` must live until its last label. */
void sample_labels_begin_record(struct sample_labels *labels, struct arena *scratch);

/* Begins the labels of the sample, or of the exemplar where it is not NULL. */
void sample_labels_begin(struct sample_labels *labels, const struct record *record,
                         const struct sample *sample, const struct sample_exemplar *exemplar);

/*
 * Begins the labels of the sample as they were sent, and the next of those with a key of its own,
 * which ends as the function below does.
 */
void sample_labels_begin_sent(struct sample_labels *labels, const struct record *record,
                              const struct sample *sample);
bool sample_labels_next_sent(struct sample_labels *labels, struct label *label, struct output *out);

/* For the functions below, which are here to be fast: the walk, and what is seldom needed. */
bool sample_labels_walk(struct sample_labels *labels, struct label *label);
bool sample_labels_is_known(struct sample_labels *labels, const struct text *key);

/*
 * The next label, or false after the last one, and where `out` has overflowed: it also does where
 * the record takes too many steps, or where a text does not fit the scratch arena.
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

/* One bit of 64, by the key's length, first and last byte: most keys need no comparison at all. */
static inline uint64_t sample_labels_bit(const char *text, size_t size)
{
    if (size == 0)
        return 1;
    size_t first = (unsigned char)text[0];
    size_t last = (unsigned char)text[size - 1];
    return UINT64_C(1) << ((size + first * 5 + last * 7) & 63);
}

/* Whether the key is the first of its kind; false also where `out` overflows, there are so many. */
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
 * For encoders that write the labels of each sample alike, with one byte between two of them. Of a
 * label that is shared (not NULL there), before it is written: whether this and all that follow it
 * have been appended, as they were written for an earlier sample. Else the encoder goes on, and
 * says when all are written. Labels that it never writes, whatever the sample, it does not ask of.
 */
bool sample_labels_repeat(struct sample_labels *labels, const struct label *label, char separator,
                          struct output *out);
void sample_labels_note_shared(struct sample_labels *labels, const struct output *out);

static inline void sample_labels_remember(struct sample_labels *labels, const struct output *out)
{
    if (labels->noting != NULL)
        sample_labels_note_shared(labels, out);
}

/* When all are written: adds the keys of those that were repeated to the others. */
void sample_labels_add_repeated(struct sample_labels *labels);

/*
 * Whether the key that was written last, from byte `at` of the output on and `size` bytes long, is
 * the first of its kind and stays. False: the caller takes it back, or `out` has overflowed.
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
