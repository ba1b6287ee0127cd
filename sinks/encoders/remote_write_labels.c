#include "sinks/encoders/remote_write_labels.h"

#include <string.h>

#include "collector/base/rule.h"
#include "sinks/encoders/exposition.h"
#include "sinks/encoders/remote_write_sample.h"
#include "sinks/encoders/wire_output.h"

/* These labels come first in the list. */
enum { NAME, OWN, SENT };

static const char metric_name[] = "__name__";

/* --- their order ------------------------------------------------------------------------------ */

static int compare(const struct text *a, const struct text *b)
{
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/*
 * Inserts label `number` into the `count` ordered labels. Returns false if one of them has its
 * name. Adds the steps taken to *steps.
 */
static bool insert(struct remote_write_labels *labels, size_t count, size_t number, size_t *steps)
{
    RULE(number <= REMOTE_WRITE_MOST_LABELS, "a label has an entry in the list");
    RULE(count <= number, "labels are ordered after they are listed");
    const struct text *name = &labels->list[number].name;
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct text *other = &labels->list[labels->order[middle]].name;
        int order = compare(name, other);
        *steps += 1 + (name->size < other->size ? name->size : other->size) / 8;
        if (order == 0)
            return false;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    memmove(labels->order + low + 1, labels->order + low, (count - low) * sizeof *labels->order);
    labels->order[low] = (uint16_t)number;
    return true;
}

/* --- what was sent ---------------------------------------------------------------------------- */

static struct text text_from(const struct output *texts, size_t at)
{
    return (struct text){texts->data + at, texts->used - at};
}

static bool is_called(const struct text *name, const char *other)
{
    return other != NULL && name->size == strlen(other) &&
           memcmp(name->data, other, name->size) == 0;
}

/* A label with the name of one of the format's own is renamed in Prometheus's way. */
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
 * A generated value is valid only until the next label is requested, so it is copied; a sent one is
 * valid as long as the message. Invalid UTF-8 is replaced when it is written.
 */
static struct text keep_value(struct output *texts, const struct text *value, bool made)
{
    if (!made)
        return *value;
    size_t at = texts->used;
    output_bytes(texts, value->data, value->size);
    return text_from(texts, at);
}

static void series_labels_add(struct remote_write_labels *labels, struct sample_labels *walk,
                              const struct label *label, const char *own, struct output *out)
{
    struct output *texts = &labels->texts;
    size_t at = texts->used;
    size_t number = labels->count;
    labels->list[number].name = fit_name(texts, &label->key, own);
    size_t present = number - (own == NULL); /* if there is none, its position is not used */
    if (!insert(labels, present, number, &walk->steps)) {
        texts->used = at;
        return;
    }
    if (number == REMOTE_WRITE_MOST_LABELS) {
        out->overflow = true;
        return;
    }
    bool made = walk->cursor.made != 0 || walk->made != 0;
    labels->list[number].value = keep_value(texts, &label->value, made);
    labels->count++;
}

void remote_write_labels_prepare(struct remote_write_labels *labels, struct sample_labels *walk,
                                 const struct record *record, const struct sample *sample,
                                 const char *own, struct output *out)
{
    struct label label;
    size_t present = 0;
    labels->texts.used = 0;
    labels->texts.overflow = false;
    exposition_name(&labels->texts, &sample->name, true);
    labels->list[NAME] = (struct remote_write_label){{metric_name, sizeof metric_name - 1},
                                                     text_from(&labels->texts, 0)};
    insert(labels, present++, NAME, &walk->steps);
    if (own != NULL) {
        labels->list[OWN] = (struct remote_write_label){{own, strlen(own)}, {"", 0}};
        insert(labels, present, OWN, &walk->steps);
    }
    labels->count = SENT;
    sample_labels_begin(walk, record, sample, NULL);
    while (sample_labels_next(walk, &label, out)) {
        if (label.key.size != 0 && label.value.size != 0)
            series_labels_add(labels, walk, &label, own, out);
        out->overflow = out->overflow || labels->texts.overflow;
    }
    labels->own = own != NULL;
    out->overflow = out->overflow || labels->texts.overflow;
}

/* --- those of a series ------------------------------------------------------------------------ */

static void put_label(const struct text *name, const struct text *value, struct output *out)
{
    size_t label = wire_begin_message(out, SERIES_LABELS);
    wire_add_bytes_field(out, LABEL_NAME, name);
    wire_add_text_field(out, LABEL_VALUE, value);
    wire_end_message(out, label);
}

/* The name of the series: the metric's, in ASCII, and its suffix. */
static void put_metric_name(const struct remote_write_label *label, const char *suffix,
                            struct output *out)
{
    size_t suffix_size = strlen(suffix);
    size_t begun = wire_begin_message(out, SERIES_LABELS);
    wire_add_bytes_field(out, LABEL_NAME, &label->name);
    wire_add_varint_field(out, LABEL_VALUE, label->value.size + suffix_size);
    output_bytes(out, label->value.data, label->value.size);
    output_bytes(out, suffix, suffix_size);
    wire_end_message(out, begun);
}

size_t remote_write_labels_put(struct remote_write_labels *labels, const char *suffix,
                               const struct text *own, struct output *out)
{
    size_t present = labels->count - !labels->own;
    size_t put = 0;
    for (size_t i = 0; i < present; i++) {
        size_t number = labels->order[i];
        const struct remote_write_label *label = &labels->list[number];
        if (number == OWN && own == NULL)
            continue;
        if (number == NAME)
            put_metric_name(label, suffix, out);
        else
            put_label(&label->name, number == OWN ? own : &label->value, out);
        put++;
    }
    return put;
}
