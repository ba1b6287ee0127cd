#include "sinks/encoders/remote_write_exemplars.h"

#include <math.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/text/hex.h"
#include "collector/text/utf8.h"
#include "sinks/encoders/exposition_name.h"
#include "sinks/encoders/remote_write_number.h"
#include "sinks/encoders/remote_write_sample.h"
#include "sinks/encoders/wire_output.h"

/* Limit of all labels of an exemplar: characters of their names and values. */
#define MOST_CHARACTERS 128
#define MOST_LABELS     (MOST_CHARACTERS / 2)
#define MOST_BYTES      ((size_t)4 * MOST_CHARACTERS)

/* The labels of one exemplar, ordered by name. */
struct exemplar_labels {
    size_t count, characters;
    struct {
        struct text name, value;
    } list[MOST_LABELS];
    struct output texts;
    char memory[MOST_BYTES];
};

static double value_of(const struct sample_exemplar *exemplar)
{
    return exemplar->type == SAMPLE_INT64 ? (double)exemplar->value.int64 : exemplar->value.number;
}

/* --- their order ------------------------------------------------------------------------------ */

/* Compares exemplars by their values, of which NaN is the last, or by their times. */
static bool is_before(const struct sample_exemplar *a, const struct sample_exemplar *b,
                      bool by_value)
{
    double of_a = value_of(a);
    double of_b = value_of(b);
    if (by_value && (isnan(of_a) || isnan(of_b)))
        return !isnan(of_a);
    return by_value ? of_a < of_b : a->time_ns < b->time_ns;
}

static void sort_exemplars(struct sample_exemplar *list, size_t count, bool by_value)
{
    for (size_t i = 1; i < count; i++) {
        const struct sample_exemplar moved = list[i];
        size_t at = i;
        for (; at != 0 && is_before(&moved, &list[at - 1], by_value); at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

void remote_write_exemplars_begin(struct remote_write_exemplars *exemplars,
                                  struct sample_labels *labels, const struct record *record,
                                  const struct sample *sample, int64_t time_ns, struct output *out)
{
    const struct schema *schema = record->schema;
    struct schema_cursor cursor = {.scratch = labels->scratch};
    struct sample_exemplar exemplar;
    exemplars->labels = labels;
    exemplars->record = record;
    exemplars->sample = sample;
    exemplars->time_ns = time_ns;
    exemplars->count = exemplars->next = 0;
    if (schema->ops->next_exemplar == NULL)
        return;
    while (schema->ops->next_exemplar(schema, record->message, sample, &cursor, &exemplar)) {
        if (exemplars->count == REMOTE_WRITE_MOST_EXEMPLARS) {
            out->overflow = true;
            return;
        }
        if (exemplar.time_ns == 0)
            exemplar.time_ns = time_ns;
        exemplars->list[exemplars->count++] = exemplar;
    }
    sort_exemplars(exemplars->list, exemplars->count, true);
}

/* --- labels ----------------------------------------------------------------------------------- */

static size_t characters_of(const struct text *text)
{
    size_t count = 0;
    for (size_t at = 0; at < text->size && count <= MOST_CHARACTERS; count++) {
        bool valid;
        at += utf8_sequence((const uint8_t *)text->data + at, text->size - at, &valid);
    }
    return count;
}

static int compare_names(const struct text *a, const struct text *b)
{
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* Adds a label, unless its name exists or there is no room. Copies the texts. */
static void add_label(struct exemplar_labels *labels, const struct text *key,
                      const struct text *value)
{
    struct output *texts = &labels->texts;
    size_t used = texts->used;
    size_t characters = characters_of(value);
    if (key->size == 0 || value->size == 0 || key->size > MOST_BYTES ||
        labels->characters + characters >= MOST_CHARACTERS)
        return;
    exposition_name(texts, key, false);
    const struct text name = {texts->data + used, texts->used - used};
    const struct text kept = {texts->data + texts->used, value->size};
    output_bytes(texts, value->data, value->size);
    size_t at = labels->count;
    while (!texts->overflow && at != 0 && compare_names(&name, &labels->list[at - 1].name) < 0)
        at--;
    bool known = at != 0 && compare_names(&name, &labels->list[at - 1].name) == 0;
    if (texts->overflow || known || labels->characters + name.size + characters > MOST_CHARACTERS) {
        texts->used = used;
        texts->overflow = false;
        return;
    }
    RULE(labels->count < MOST_LABELS, "each label has two characters");
    memmove(labels->list + at + 1, labels->list + at,
            (labels->count - at) * sizeof labels->list[0]);
    labels->list[at].name = name;
    labels->list[at].value = kept;
    labels->characters += name.size + characters;
    labels->count++;
}

static void add_identifier(struct exemplar_labels *labels, const char *name,
                           const struct text *bytes)
{
    const struct text key = {name, strlen(name)};
    char text[MOST_CHARACTERS];
    if (bytes->size == 0 || bytes->size > sizeof text / 2)
        return;
    struct output hex = {.data = text, .capacity = sizeof text};
    hex_put(&hex, bytes->data, bytes->size);
    const struct text value = {text, hex.used};
    add_label(labels, &key, &value);
}

static void add_sent(struct remote_write_exemplars *exemplars,
                     const struct sample_exemplar *exemplar, struct exemplar_labels *labels,
                     struct output *out)
{
    struct label label;
    sample_labels_begin(exemplars->labels, exemplars->record, exemplars->sample, exemplar);
    while (sample_labels_next(exemplars->labels, &label, out))
        add_label(labels, &label.key, &label.value);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void put_exemplar_label(const struct text *name, const struct text *value,
                               struct output *out)
{
    size_t label = wire_begin_message(out, EXEMPLAR_LABELS);
    wire_add_bytes_field(out, LABEL_NAME, name);
    wire_add_text_field(out, LABEL_VALUE, value);
    wire_end_message(out, label);
}

static void put_one(struct remote_write_exemplars *exemplars,
                    const struct sample_exemplar *exemplar, struct output *out)
{
    struct exemplar_labels labels;
    labels.count = labels.characters = 0;
    labels.texts = (struct output){.data = labels.memory, .capacity = sizeof labels.memory};
    add_identifier(&labels, "trace_id", &exemplar->trace_id);
    add_identifier(&labels, "span_id", &exemplar->span_id);
    add_sent(exemplars, exemplar, &labels, out);
    size_t begun = wire_begin_message(out, SAMPLE_EXEMPLAR);
    for (size_t i = 0; i < labels.count; i++)
        put_exemplar_label(&labels.list[i].name, &labels.list[i].value, out);
    wire_add_double_field(out, EXEMPLAR_VALUE, remote_write_number(value_of(exemplar)));
    wire_add_varint_field(out, EXEMPLAR_TIME,
                          (uint64_t)remote_write_milliseconds(exemplar->time_ns));
    wire_end_message(out, begun);
}

void remote_write_exemplars_put(struct remote_write_exemplars *exemplars, double bound,
                                struct output *out)
{
    size_t first = exemplars->next;
    size_t end = first;
    while (end < exemplars->count && (isnan(bound) || value_of(&exemplars->list[end]) <= bound))
        end++;
    exemplars->next = end;
    sort_exemplars(exemplars->list + first, end - first, false);
    for (size_t i = first; i < end && !out->overflow; i++)
        put_one(exemplars, &exemplars->list[i], out);
}
