#include "sinks/encoders/sample_bounds.h"

#include "collector/series/series_guard.h"

/* The kinds of fingerprints. */
enum { SERIES_FINGERPRINT = 2, LABEL_FINGERPRINT, REPEATED_FINGERPRINT /* and those after it */ };

/* --- names that formats do not distinguish ---------------------------------------------------- */

/* Whether all formats keep the character in a label's name. */
static bool is_kept(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* One of 64 bits, from the first and the last character that are kept. */
static uint64_t bit_of(const struct text *key)
{
    size_t begin = 0, end = key->size;
    while (begin < end && !is_kept(key->data[begin]))
        begin++;
    while (begin < end && !is_kept(key->data[end - 1]))
        end--;
    if (begin == end)
        return 1;
    size_t first = (unsigned char)key->data[begin], last = (unsigned char)key->data[end - 1];
    return UINT64_C(1) << ((first * 5 + last * 7) & 63);
}

static size_t skip_to_kept(const struct text *key, size_t at)
{
    while (at < key->size && !is_kept(key->data[at]))
        at++;
    return at;
}

/* Whether the keys are equal, apart from characters that are not kept. Counts the steps. */
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

/* Whether an earlier label of the sample has a key like this; otherwise keeps the key. */
static bool is_repeated(struct sample_labels *labels, const struct text *key, struct output *out)
{
    uint64_t bit = bit_of(key);
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
    uint64_t hash = fingerprint_bytes(key, kind, label->key.data, label->key.size);
    return fingerprint_bytes(key, hash, label->value.data, label->value.size);
}

/*
 * The fingerprints of the labels are added, so their order does not matter. A sender can choose
 * neither them nor their sum.
 */
static uint64_t fingerprint_of_series(struct sample_encoder *encoder, const struct record *record,
                                      const struct sample *sample, struct output *out)
{
    const struct fingerprint_key *key = &encoder->series->key;
    struct sample_labels *labels = &encoder->labels;
    struct label label;
    uint64_t repeated = 0;
    uint64_t sum = fingerprint_number(key, SERIES_FINGERPRINT, kind_of(sample));
    sum = fingerprint_bytes(key, sum, sample->name.data, sample->name.size);
    sum = fingerprint_bytes(key, sum, sample->unit.data, sample->unit.size);
    sample_labels_begin(labels, record, sample, NULL);
    while (sample_labels_next(labels, &label, out)) {
        uint64_t kind = LABEL_FINGERPRINT;
        if (is_repeated(labels, &label.key, out))
            kind = REPEATED_FINGERPRINT + repeated++;
        labels->steps += (label.key.size + label.value.size) / 8;
        sum += fingerprint_of_label(key, &label, kind);
    }
    return sum;
}

/* --- limits ----------------------------------------------------------------------------------- */

/* Notes the labels of a new or refused series. */
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
    bool added = series_guard_add(guard, series, &record->source);
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
           (encoder->series->table == NULL ||
            allow_series(encoder, record, sample, out, encoded));
}
