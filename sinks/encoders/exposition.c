#include "sinks/encoders/exposition.h"

#include <math.h>
#include <string.h>

#include "collector/text/digit.h"
#include "collector/text/escaped.h"
#include "collector/text/number.h"
#include "collector/text/plain_text.h"

/* --- names and values ------------------------------------------------------------------------- */

static bool is_kept(char c)
{
    return is_digit(c) || c == ':' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

const char *exposition_suffix(const struct sample *sample)
{
    static const char total[] = "total";
    const size_t size = sizeof total - 1;
    const struct text *name = &sample->name;
    if (sample->kind != SAMPLE_COUNTER || sample->temporality != SAMPLE_CUMULATIVE)
        return "";
    bool has = name->size > size + 1 && memcmp(name->data + name->size - size, total, size) == 0 &&
               !is_kept(name->data[name->size - size - 1]);
    return has ? "" : "_total";
}

void exposition_double(struct output *out, double value)
{
    if (isfinite(value))
        number_double(out, value);
    else if (isnan(value))
        output_literal(out, "NaN");
    else if (value > 0)
        output_literal(out, "+Inf");
    else
        output_literal(out, "-Inf");
}

void exposition_number(struct output *out, const struct sample *sample)
{
    if (sample->type == SAMPLE_INT64)
        number_int64(out, sample->value.int64);
    else if (sample->type == SAMPLE_UINT64)
        number_uint64(out, sample->value.uint64);
    else if (sample->type == SAMPLE_FLOAT && isfinite(sample->value.number))
        number_float(out, (float)sample->value.number);
    else
        exposition_double(out, sample->value.number);
}

/* --- labels ----------------------------------------------------------------------------------- */

static const struct escapes value_escapes = {
    {['\n'] = {"\\n", 2}, ['"'] = {"\\\"", 2}, ['\\'] = {"\\\\", 2}}};

static void put_value(struct output *out, const struct text *value)
{
    if (plain_text_is(value->data, value->size, (struct plain_rule){0x20, {'"', '\\', '\\'}}))
        output_bytes(out, value->data, value->size);
    else
        escaped_put(out, value->data, value->size, &value_escapes);
}

static bool is_at(const struct output *out, size_t at, const char *text)
{
    size_t size = strlen(text);
    return out->used - at == size && memcmp(out->data + at, text, size) == 0;
}

/*
 * Writes the name of a label. A label with the name of the format's own label, or __name__, is
 * renamed as Prometheus does.
 */
static void put_label_name(const struct exposition *lines, const struct text *name)
{
    struct output *out = lines->out;
    size_t at = out->used;
    exposition_name(out, name, false);
    if (is_at(out, at, "__name__") ||
        (lines->own_label != NULL && is_at(out, at, lines->own_label))) {
        out->used = at;
        output_literal(out, "exported_");
        exposition_name(out, name, false);
    }
}

/* Returns false, without output, if a label with the same name was written before. */
static bool write_label(const struct exposition *lines, const struct label *label)
{
    struct output *out = lines->out;
    size_t start = out->used;
    if (lines->labels->count != 0)
        output_char(out, ',');
    size_t at = out->used;
    put_label_name(lines, &label->key);
    if (!sample_labels_keep(lines->labels, at, out->used - at, out)) {
        out->used = start;
        return false;
    }
    output_literal(out, "=\"");
    put_value(out, &label->value);
    output_char(out, '"');
    return true;
}

/*
 * Copies shared labels from an earlier sample. Not done if the format adds a label, because that
 * may rename other labels.
 */
static bool repeat_shared(const struct exposition *lines, const struct label *label)
{
    return label->shared != NULL && lines->own_label == NULL &&
           sample_labels_repeat(lines->labels, label, ',', lines->out);
}

/* Writes the labels as sent. Returns false if two of them have the same name. */
static bool write_sent(struct exposition *lines)
{
    struct label label;
    bool each_once = true;
    sample_labels_begin(lines->labels, lines->record, lines->sample, NULL);
    while (sample_labels_next(lines->labels, &label, lines->out)) {
        if (label.key.size == 0 || label.value.size == 0)
            continue;
        if (repeat_shared(lines, &label))
            break;
        each_once &= write_label(lines, &label);
    }
    sample_labels_remember(lines->labels, lines->out);
    return each_once;
}

/*
 * Writes the labels again, over those of write_sent: ordered by name, with the values of each name
 * joined.
 */
static void write_joined(struct exposition *lines)
{
    struct series_labels *series = lines->series;
    struct output *out = lines->out;
    struct series_pair label;
    size_t at = 0;
    out->used = lines->labels_at;
    lines->in_order = true;
    while (series_labels_next(series, &at, &label) && !out->overflow) {
        if (label.is_name || label.is_own)
            continue;
        if (out->used != lines->labels_at)
            output_char(out, ',');
        output_bytes(out, label.name.data, label.name.size);
        output_literal(out, "=\"");
        put_value(out, &label.value);
        output_char(out, '"');
    }
}

/*
 * Labels that get the same name were sent with one key, of which the first label counts, or with
 * different keys, whose values are joined. Only series_labels.h has the keys as sent, so it
 * decides.
 */
static void write_labels(struct exposition *lines)
{
    struct series_labels *series = lines->series;
    lines->labels_at = lines->out->used;
    if (!write_sent(lines) && !lines->out->overflow) {
        series_labels_prepare(series, lines->labels, lines->record, lines->sample, lines->own_label,
                              lines->out);
        lines->joined = series->joined;
        if (lines->joined != 0 || lines->sorted)
            write_joined(lines);
    }
    lines->labels_size = lines->out->used - lines->labels_at;
}

/* --- the order of labels ---------------------------------------------------------------------- */

/* Returns the position of key `i` in `order`, which has the keys before it. Counts the steps. */
static size_t exposition_place_of(struct sample_labels *labels, const uint16_t *order, size_t i)
{
    const struct text *key = &labels->keys[i];
    size_t low = 0;
    size_t high = i;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct text *other = &labels->keys[order[middle]];
        size_t size = key->size < other->size ? key->size : other->size;
        int before = memcmp(key->data, other->data, size);
        labels->steps += 1 + size / 8;
        if (before < 0 || (before == 0 && key->size < other->size))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool find_order(struct sample_labels *labels, uint16_t order[MAX_LABELS])
{
    bool sorted = true;
    for (size_t i = 0; i < labels->count; i++) {
        size_t place = exposition_place_of(labels, order, i);
        sorted = sorted && place == i;
        memmove(order + place + 1, order + place, (i - place) * sizeof *order);
        order[place] = (uint16_t)i;
    }
    return sorted;
}

/* Writes the labels again in this order, from a copy in the scratch arena. */
static void put_in_order(struct exposition *lines, const uint16_t *order)
{
    struct output *out = lines->out;
    const struct sample_labels *labels = lines->labels;
    struct arena *scratch = labels->scratch;
    size_t used = scratch->used;
    char *copy = arena_allocate(scratch, lines->labels_size);
    if (copy == NULL) {
        out->overflow = true;
        return;
    }
    memcpy(copy, out->data + lines->labels_at, lines->labels_size);
    scratch->used = used;
    out->used = lines->labels_at;
    const char *labels_at = out->data + lines->labels_at;
    for (size_t i = 0; i < labels->count; i++) {
        const struct text *key = &labels->keys[order[i]];
        size_t at = (size_t)(key->data - labels_at);
        bool last = (size_t)order[i] + 1 == labels->count;
        size_t end = last ? lines->labels_size : (size_t)(key[1].data - 1 - labels_at);
        if (i != 0)
            output_char(out, ',');
        output_bytes(out, copy + at, end - at);
    }
}

static void sort_labels(struct exposition *lines)
{
    uint16_t order[MAX_LABELS];
    sample_labels_add_repeated(lines->labels);
    if (!lines->out->overflow && !find_order(lines->labels, order))
        put_in_order(lines, order);
}

/* --- the beginning of a line ------------------------------------------------------------------ */

static void put_metric_name(struct exposition *lines)
{
    struct output *out = lines->out;
    if (lines->count != 0) {
        output_repeat(out, lines->name_at, lines->name_size);
        return;
    }
    lines->name_at = out->used;
    exposition_name(out, &lines->sample->name, true);
    lines->name_size = out->used - lines->name_at;
}

static void put_labels(struct exposition *lines)
{
    if (lines->count != 0) {
        output_repeat(lines->out, lines->labels_at, lines->labels_size);
        return;
    }
    write_labels(lines);
    if (lines->sorted && !lines->in_order)
        sort_labels(lines);
}

static void begin_line(struct exposition *lines, const char *suffix)
{
    if (!lines->nameless)
        put_metric_name(lines);
    output_bytes(lines->out, suffix, strlen(suffix));
    output_char(lines->out, '{');
    put_labels(lines);
    lines->count++;
}

void exposition_begin_plain(struct exposition *lines, const char *suffix)
{
    begin_line(lines, suffix);
    if (lines->labels_size != 0)
        output_char(lines->out, '}');
    else if (!lines->out->overflow)
        lines->out->used--; /* removes the brace if there are no labels */
    output_char(lines->out, ' ');
}

void exposition_begin_own(struct exposition *lines, const char *suffix)
{
    begin_line(lines, suffix);
    if (lines->labels_size != 0)
        output_char(lines->out, ',');
    output_bytes(lines->out, lines->own_label, strlen(lines->own_label));
    output_literal(lines->out, "=\"");
}
