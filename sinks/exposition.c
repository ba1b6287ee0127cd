#include "sinks/exposition.h"

#include <math.h>
#include <string.h>

#include "collector/text/escaped.h"
#include "collector/text/number.h"
#include "collector/text/utf8.h"

/* --- names and values ------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c, bool colon)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           (colon && c == ':');
}

void exposition_name(struct output *out, const struct text *name, bool colon)
{
    const char *text = name->data;
    size_t size = name->size;
    if (size == 0 || is_digit(text[0]))
        output_char(out, '_');
    while (size != 0 && !out->overflow) {
        size_t run = 0;
        while (run < size && is_name_char(text[run], colon))
            run++;
        output_bytes(out, text, run);
        text += run;
        size -= run;
        if (size == 0)
            break;
        bool valid;
        run = utf8_sequence((const uint8_t *)text, size, &valid);
        output_char(out, '_');
        text += run;
        size -= run;
    }
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

static bool is_at(const struct output *out, size_t at, const char *text)
{
    size_t size = strlen(text);
    return out->used - at == size && memcmp(out->data + at, text, size) == 0;
}

/* A label that is called as one of the format's own is called as Prometheus calls it then. */
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

static void write_label(const struct exposition *lines, const struct label *label, bool first)
{
    struct output *out = lines->out;
    size_t start = out->used;
    if (label->key.size == 0 || label->value.size == 0)
        return;
    if (!first)
        output_char(out, ',');
    size_t at = out->used;
    put_label_name(lines, &label->key);
    if (!sample_labels_keep(lines->labels, at, out->used - at, out)) {
        out->used = start;
        return;
    }
    output_literal(out, "=\"");
    escaped_put(out, label->value.data, label->value.size, &value_escapes);
    output_char(out, '"');
}

static void write_labels(struct exposition *lines)
{
    struct label label;
    lines->labels_at = lines->out->used;
    sample_labels_begin(lines->labels, lines->record, lines->sample, NULL);
    while (sample_labels_next(lines->labels, &label, lines->out))
        write_label(lines, &label, lines->out->used == lines->labels_at);
    lines->labels_size = lines->out->used - lines->labels_at;
}

/* --- their order ------------------------------------------------------------------------------ */

/* The place of key `i` in the order of those before it, which `order` has; counts the steps. */
static size_t place_of(struct sample_labels *labels, const uint16_t *order, size_t i)
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

/* Returns whether they are in order as they stand. */
static bool find_order(struct sample_labels *labels, uint16_t order[MAX_LABELS])
{
    bool sorted = true;
    for (size_t i = 0; i < labels->count; i++) {
        size_t place = place_of(labels, order, i);
        sorted = sorted && place == i;
        memmove(order + place + 1, order + place, (i - place) * sizeof *order);
        order[place] = (uint16_t)i;
    }
    return sorted;
}

/* Copies them in that order, by way of the scratch arena. */
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
    if (!lines->out->overflow && !find_order(lines->labels, order))
        put_in_order(lines, order);
}

/* --- the beginning of a line ------------------------------------------------------------------ */

/* Appends what stands in the output already. */
static void repeat(struct output *out, size_t at, size_t size)
{
    char *to = output_reserve(out, size);
    if (to != NULL)
        memcpy(to, out->data + at, size);
}

static void put_metric_name(struct exposition *lines)
{
    struct output *out = lines->out;
    if (lines->count != 0) {
        repeat(out, lines->name_at, lines->name_size);
        return;
    }
    lines->name_at = out->used;
    exposition_name(out, &lines->sample->name, true);
    lines->name_size = out->used - lines->name_at;
}

static void put_labels(struct exposition *lines)
{
    if (lines->count != 0) {
        repeat(lines->out, lines->labels_at, lines->labels_size);
        return;
    }
    write_labels(lines);
    if (lines->sorted)
        sort_labels(lines);
}

/* Name, suffix, an open brace and the labels. */
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
        lines->out->used--; /* the brace: there is nothing in it */
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
