#include "sinks/encoders/sample_bounds.h"

#include "collector/series/series_guard.h"

/* The kinds of fingerprints. */
enum {
    SERIES_FINGERPRINT = 2,
    LABEL_FINGERPRINT,
    REPEATED_FINGERPRINT /* and the numbers after it */
};

/* --- names that formats do not distinguish ---------------------------------------------------- */

#define TEN(first)                                                                                 \
    [(first)] = true, [(first) + 1] = true, [(first) + 2] = true, [(first) + 3] = true,            \
    [(first) + 4] = true, [(first) + 5] = true, [(first) + 6] = true, [(first) + 7] = true,        \
    [(first) + 8] = true, [(first) + 9] = true
#define LETTERS(first)                                                                             \
    TEN(first), TEN((first) + 10), [(first) + 20] = true, [(first) + 21] = true,                   \
                                              [(first) + 22] = true, [(first) + 23] = true,        \
                                              [(first) + 24] = true, [(first) + 25] = true

/* The characters that all formats write unchanged in a label's name. */
static const bool kept_characters[256] = {TEN('0'), LETTERS('a'), LETTERS('A')};

static unsigned char_at(const struct text *key, size_t at)
{
    return (unsigned char)key->data[at];
}

static size_t skip_to_kept(const struct text *key, size_t at)
{
    while (at < key->size && !kept_characters[char_at(key, at)])
        at++;
    return at;
}

/*
 * Returns one of 64 bits for a key, from its first and last kept character. Keys with different
 * bits are not alike.
 */
static uint64_t bit_of(const struct text *key)
{
    size_t begin = skip_to_kept(key, 0), end = key->size;
    if (begin == end)
        return 1;
    while (!kept_characters[char_at(key, end - 1)])
        end--;
    return UINT64_C(1) << ((char_at(key, begin) * 5 + char_at(key, end - 1) * 7) & 63);
}

/* Returns true if the keys are equal apart from characters that are not kept. Counts the steps. */
static bool is_alike(const struct text *a, const struct text *b, size_t *steps)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        i = skip_to_kept(a, i);
        k = skip_to_kept(b, k);
        if (i == a->size || k == b->size || a->data[i] != b->data[k])
            break;
    }
    *steps += 1 + (i + k) / 8;
    return i == a->size && k == b->size;
}

/*
 * Returns true if an earlier label of the sample has a key that is alike. Otherwise adds the key to
 * the list.
 */
static bool is_repeated(struct sample_labels *labels, const struct text *key, uint64_t bit,
                        struct output *out)
{
    if ((labels->bits & bit) != 0)
        for (size_t i = 0; i < labels->count; i++)
            if (is_alike(&labels->keys[i], key, &labels->steps))
                return true;
    if (labels->count == MAX_LABELS) {
        out->overflow = true;
        return false;
    }
    labels->bits |= bit;
    labels->keys[labels->count++] = *key;
    return false;
}

/* --- fingerprints ----------------------------------------------------------------------------- */

static uint64_t kind_of(const struct sample *sample)
{
    switch (sample->type) {
    case SAMPLE_HISTOGRAM:
    case SAMPLE_EXPONENTIAL_HISTOGRAM:
        return 1 | (uint64_t)sample->temporality << 8;
    case SAMPLE_SUMMARY:
        return 2;
    case SAMPLE_DOUBLE:
    case SAMPLE_FLOAT:
    case SAMPLE_INT64:
    case SAMPLE_UINT64:
        break;
    }
    return (uint64_t)sample->kind << 16 | (uint64_t)sample->temporality << 8;
}

static uint64_t fingerprint_of_label(const struct fingerprint_key *key, const struct label *label,
                                     uint64_t kind)
{
    uint64_t hash = fingerprint_begin(key, kind);
    hash = fingerprint_add(key, hash, label->key.data, label->key.size);
    hash = fingerprint_add(key, hash, label->value.data, label->value.size);
    return fingerprint_end(key, hash);
}

static uint64_t fingerprint_of_name(const struct fingerprint_key *key, const struct sample *sample)
{
    uint64_t hash = fingerprint_begin(key, SERIES_FINGERPRINT | kind_of(sample) << 32);
    hash = fingerprint_add(key, hash, sample->name.data, sample->name.size);
    hash = fingerprint_add(key, hash, sample->unit.data, sample->unit.size);
    return fingerprint_end(key, hash);
}

/* The labels of a sample, as far as they were visited. */
struct identity {
    const struct fingerprint_key *key;
    uint64_t sum;      /* sum of the fingerprints */
    uint64_t repeated; /* number of labels whose key is like an earlier one */
    const void *part;  /* the part of the record whose shared labels were visited; NULL: none yet */
    uint64_t own_sum;  /* sum without the shared labels */
    uint64_t shared_bits;
};

static void add_label(struct identity *identity, struct sample_labels *labels,
                      const struct label *label, struct output *out)
{
    uint64_t kind = LABEL_FINGERPRINT;
    uint64_t bit = bit_of(&label->key);
    if (is_repeated(labels, &label->key, bit, out))
        kind = REPEATED_FINGERPRINT + identity->repeated++;
    if (identity->part != NULL)
        identity->shared_bits |= bit;
    labels->steps += (label->key.size + label->value.size) / 8;
    identity->sum += fingerprint_of_label(identity->key, label, kind);
}

/*
 * To be called for the first shared label; shared labels are the last ones of a sample. If an
 * earlier sample of the same part has added them, and the sample's own keys are certainly not like
 * theirs, adds their sum again and returns true.
 */
static bool add_shared(struct identity *identity, const struct shared_series *shared,
                       struct sample_labels *labels, const struct label *label)
{
    identity->part = label->shared;
    identity->own_sum = identity->sum;
    if (shared->of != label->shared || (shared->bits & labels->bits) != 0)
        return false;
    sample_labels_leave(labels);
    identity->sum += shared->sum;
    return true;
}

static void keep_shared(const struct identity *identity, struct shared_series *shared)
{
    if (identity->part != NULL && identity->repeated == 0)
        *shared = (struct shared_series){.of = identity->part,
                                         .sum = identity->sum - identity->own_sum,
                                         .bits = identity->shared_bits};
}

/*
 * Returns the fingerprint of a series. The fingerprints of the labels are added, so their order
 * does not matter. They depend on a secret key, so that a sender cannot choose them.
 */
static uint64_t fingerprint_of_series(struct sample_encoder *encoder, const struct record *record,
                                      const struct sample *sample, struct output *out)
{
    struct sample_labels *labels = &encoder->labels;
    const struct fingerprint_key *key = &encoder->series->key;
    struct identity identity = {.key = key, .sum = fingerprint_of_name(key, sample)};
    struct label label;
    sample_labels_begin(labels, record, sample, NULL);
    while (sample_labels_next(labels, &label, out)) {
        if (label.shared != NULL && identity.part == NULL && labels->choice == LABELS_AS_SENT &&
            add_shared(&identity, &encoder->shared, labels, &label))
            return identity.sum;
        add_label(&identity, labels, &label, out);
    }
    keep_shared(&identity, &encoder->shared);
    return identity.sum;
}

/* --- limits ----------------------------------------------------------------------------------- */

static void note_labels(struct sample_encoder *encoder, const struct record *record,
                        const struct sample *sample, struct output *out)
{
    struct series_guard *guard = encoder->series;
    struct label label;
    sample_labels_begin(&encoder->labels, record, sample, NULL);
    while (sample_labels_next(&encoder->labels, &label, out))
        series_growth_note_label(guard->growth, &label.key,
                                 fingerprint_of_label(&guard->key, &label, LABEL_FINGERPRINT));
}

static bool allow_series(struct sample_encoder *encoder, const struct record *record,
                         const struct sample *sample, struct output *out, struct encoded *encoded)
{
    struct series_guard *guard = encoder->series;
    uint64_t series = fingerprint_of_series(encoder, record, sample, out);
    if (out->overflow)
        return false;
    if (series_guard_knows(guard, series))
        return true;
    bool added = series_guard_add(guard, series, &record->source, record->sender);
    note_labels(encoder, record, sample, out);
    encoded->series_refused += !added;
    return added && !out->overflow;
}

static bool allow_time(struct sample_encoder *encoder, const struct record *record,
                       struct sample *sample, struct encoded *encoded)
{
    struct series_guard *guard = encoder->series;
    if (series_guard_is_in_time(guard, sample->time_ns, record->received_ns, &record->source))
        return true;
    if (guard->limits.time == SAMPLE_TIME_OWN) {
        encoded->out_of_time++;
        return false;
    }
    encoded->time_replaced++;
    sample->time_ns = 0;
    if (sample->start_time_ns > record->received_ns)
        sample->start_time_ns = 0;
    return true;
}

bool sample_bounds_allow(struct sample_encoder *encoder, const struct record *record,
                         struct sample *sample, struct output *out, struct encoded *encoded)
{
    return allow_time(encoder, record, sample, encoded) &&
           (encoder->series->table == NULL || allow_series(encoder, record, sample, out, encoded));
}
