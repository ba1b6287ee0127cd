#include "sinks/encoders/series_labels.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/encoder.h"
#include "sinks/encoders/exposition_name.h"

/*
 * Indexes in the list: the label __name__, the format's own label, and the first sent label. No
 * label is joined to the first two.
 */
enum { NAME, OWN, SENT };

#define NO_LABEL SIZE_MAX

static const char metric_name[] = "__name__";

/* --- the order of labels ---------------------------------------------------------------------- */

static int compare(const struct text *a, const struct text *b)
{
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/*
 * Finds the place of a name in `order`. Returns the index of the label that has the name, or
 * NO_LABEL. Adds the steps to *steps.
 */
static size_t find_place(const struct series_labels *labels, const struct text *name, size_t *place,
                         size_t *steps)
{
    size_t low = 0;
    size_t high = labels->ordered;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct text *other = &labels->list[labels->order[middle]].name;
        int order = compare(name, other);
        *steps += 1 + (name->size < other->size ? name->size : other->size) / 8;
        if (order == 0)
            return labels->order[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    *place = low;
    return NO_LABEL;
}

static void insert_at(struct series_labels *labels, size_t place, size_t number)
{
    RULE(number < SERIES_MOST_LABELS, "a label has an entry in the list");
    RULE(place <= labels->ordered && labels->ordered <= number,
         "labels are ordered after they are listed");
    memmove(labels->order + place + 1, labels->order + place,
            (labels->ordered - place) * sizeof *labels->order);
    labels->order[place] = (uint16_t)number;
    labels->ordered++;
}

static struct text text_from(const struct output *texts, size_t at)
{
    return (struct text){texts->data + at, texts->used - at};
}

/* --- labels with the same name ---------------------------------------------------------------- */

/* Returns true if label `number`, or a label that was joined to it, was sent with the key. */
static bool has_key(const struct series_labels *labels, size_t number, const struct text *key,
                    size_t *steps)
{
    for (;; number = labels->list[number].next) {
        const struct text *other = &labels->list[number].key;
        *steps += 1 + (key->size < other->size ? key->size : other->size) / 8;
        if (text_equal(other, key))
            return true;
        if (labels->list[number].next == 0)
            return false;
    }
}

/*
 * Joins label `number` to `first`, which has the same name. Labels with the same name are linked in
 * the order of their sent keys; `first` remains the first of them.
 */
static void join_to(struct series_labels *labels, size_t first, size_t number, size_t *steps)
{
    struct series_label *list = labels->list;
    if (compare(&list[number].key, &list[first].key) < 0) {
        const struct series_label later = list[first];
        list[first].key = list[number].key;
        list[first].value = list[number].value;
        list[number].key = later.key;
        list[number].value = later.value;
    }
    size_t at = first;
    for (; list[at].next != 0; at = list[at].next, ++*steps)
        if (compare(&list[list[at].next].key, &list[number].key) > 0)
            break;
    list[number].next = list[at].next;
    list[at].next = (uint16_t)number;
    labels->joined++;
}

/* Replaces the values of labels with the same name by their concatenation. */
static void join_values(struct series_labels *labels)
{
    struct output *texts = &labels->texts;
    for (size_t i = 0; i < labels->ordered; i++) {
        struct series_label *first = &labels->list[labels->order[i]];
        size_t at = texts->used;
        if (first->next == 0)
            continue;
        output_bytes(texts, first->value.data, first->value.size);
        for (size_t next = first->next; next != 0; next = labels->list[next].next) {
            output_char(texts, ';');
            output_bytes(texts, labels->list[next].value.data, labels->list[next].value.size);
        }
        first->value = text_from(texts, at);
    }
}

/* --- labels as sent --------------------------------------------------------------------------- */

static bool is_called(const struct text *name, const char *other)
{
    return other != NULL && name->size == strlen(other) &&
           memcmp(name->data, other, name->size) == 0;
}

/* A label with the name of the format's own label, or __name__, is renamed as Prometheus does. */
static struct text fit_name(struct output *texts, const struct text *name, const char *own)
{
    size_t at = texts->used;
    exposition_name(texts, name, false);
    struct text fit = text_from(texts, at);
    if (!is_called(&fit, metric_name) && !is_called(&fit, own))
        return fit;
    texts->used = at;
    output_literal(texts, "exported_");
    exposition_name(texts, name, false);
    return text_from(texts, at);
}

/*
 * A generated value is valid only until the next label, so it is copied. A sent value is valid as
 * long as the message. Invalid UTF-8 is replaced when the value is written.
 */
static struct text keep_value(struct output *texts, const struct text *value, bool made)
{
    if (!made)
        return *value;
    size_t at = texts->used;
    output_bytes(texts, value->data, value->size);
    return text_from(texts, at);
}

static void series_labels_add(struct series_labels *labels, struct sample_labels *walk,
                              const struct label *label, const char *own, struct output *out)
{
    struct output *texts = &labels->texts;
    size_t at = texts->used;
    size_t number = labels->count;
    size_t place = 0;
    const struct text name = fit_name(texts, &label->key, own);
    size_t same = find_place(labels, &name, &place, &walk->steps);
    if (same != NO_LABEL && has_key(labels, same, &label->key, &walk->steps)) {
        texts->used = at;
        return;
    }
    if (number == SERIES_MOST_LABELS) {
        out->overflow = true;
        return;
    }
    bool made = walk->cursor.made != 0 || walk->made != 0;
    labels->list[number] = (struct series_label){
        .key = label->key, .name = name, .value = keep_value(texts, &label->value, made)};
    if (same == NO_LABEL)
        insert_at(labels, place, number);
    else
        join_to(labels, same, number, &walk->steps);
    labels->count++;
}

_Static_assert(ENCODER_SCRATCH_SIZE - SERIES_TEXTS_SIZE >= (size_t)6 * 65536, "the rest is enough");

void series_labels_init(struct series_labels *labels, struct arena *scratch)
{
    scratch->capacity -= SERIES_TEXTS_SIZE;
    labels->texts = (struct output){.data = (char *)scratch->base + scratch->capacity,
                                    .capacity = SERIES_TEXTS_SIZE};
}

static void begin_series(struct series_labels *labels, const struct sample *sample, const char *own,
                         size_t *steps)
{
    size_t place = 0;
    labels->texts.used = 0;
    labels->texts.overflow = false;
    labels->ordered = labels->joined = 0;
    exposition_name(&labels->texts, &sample->name, true);
    labels->list[NAME] = (struct series_label){.name = {metric_name, sizeof metric_name - 1},
                                               .value = text_from(&labels->texts, 0)};
    insert_at(labels, 0, NAME);
    labels->count = SENT;
    labels->own = own != NULL;
    if (own == NULL)
        return;
    labels->list[OWN] = (struct series_label){.name = {own, strlen(own)}, .value = {"", 0}};
    find_place(labels, &labels->list[OWN].name, &place, steps);
    insert_at(labels, place, OWN);
}

void series_labels_prepare(struct series_labels *labels, struct sample_labels *walk,
                           const struct record *record, const struct sample *sample,
                           const char *own, struct output *out)
{
    struct label label;
    begin_series(labels, sample, own, &walk->steps);
    sample_labels_begin(walk, record, sample, NULL);
    while (sample_labels_next(walk, &label, out)) {
        if (label.key.size != 0 && label.value.size != 0)
            series_labels_add(labels, walk, &label, own, out);
        out->overflow = out->overflow || labels->texts.overflow;
    }
    if (labels->joined != 0)
        join_values(labels);
    out->overflow = out->overflow || labels->texts.overflow;
}

bool series_labels_next(const struct series_labels *labels, size_t *at, struct series_pair *pair)
{
    if (*at == labels->ordered)
        return false;
    size_t number = labels->order[(*at)++];
    const struct series_label *label = &labels->list[number];
    *pair = (struct series_pair){.name = label->name,
                                 .value = label->value,
                                 .is_name = number == NAME,
                                 .is_own = labels->own && number == OWN};
    return true;
}
