#include "sinks/encoders/exposition.h"

#include <math.h>
#include <string.h>

#include "collector/text/digit.h"
#include "collector/text/escaped.h"
#include "collector/text/number.h"
#include "collector/text/plain_text.h"
#include "collector/text/utf8.h"

/* --- names and values ------------------------------------------------------------------------- */

#define ONES UINT64_C(0x0101010101010101)

/* For eight ASCII characters: the top bit of each that is in the range from `first` to `last`. */
static inline uint64_t is_between(uint64_t word, unsigned char first, unsigned char last)
{
    return (word + ONES * (0x80u - first)) & ~(word + ONES * (0x7fu - last)) & ONES * 0x80;
}

/* Eight ASCII characters, with underscores for those outside the alphabet. */
static inline uint64_t fit_word(uint64_t word, bool colon)
{
    _Static_assert(':' == '9' + 1, "a colon follows the digits");
    uint64_t kept = is_between(word | ONES * 0x20, 'a', 'z') |
                    (colon ? is_between(word, '0', ':') : is_between(word, '0', '9'));
    uint64_t mask = (kept >> 7) * 0xff;
    return (word & mask) | (ONES * '_' & ~mask);
}

static void put_4(char *to, uint32_t characters)
{
    memcpy(to, &characters, sizeof characters);
}

/* The functions below return 0 if all is ASCII; otherwise their output is invalid. */

static uint64_t fit_short(char *to, const unsigned char *text, size_t size, bool colon)
{
    uint64_t sent = plain_text_load_short(text, size);
    uint64_t word = fit_word(sent, colon);
    if (size >= 4) {
        put_4(to, (uint32_t)(word >> 32));
        put_4(to + size - 4, (uint32_t)word);
    } else {
        to[0] = (char)(word >> 16);
        to[size / 2] = (char)(word >> 8);
        to[size - 1] = (char)word;
    }
    return sent & ONES * 0x80;
}

static inline uint64_t fit_8(char *to, const unsigned char *text, bool colon)
{
    uint64_t sent = plain_text_load_8(text);
    uint64_t word = fit_word(sent, colon);
    memcpy(to, &word, sizeof word);
    return sent & ONES * 0x80;
}

static inline uint64_t fit_long(char *to, const unsigned char *text, size_t size, bool colon)
{
    uint64_t strange = 0;
    for (size_t at = 0; at + 8 < size; at += 8)
        strange |= fit_8(to + at, text + at, colon);
    return strange | fit_8(to + size - 8, text + size - 8, colon); /* overlaps the last word */
}

/* Appends an ASCII name. Returns false if it is not ASCII, or does not fit. */
static bool put_ascii(struct output *out, const struct text *name, bool colon)
{
    const unsigned char *text = (const unsigned char *)name->data;
    size_t size = name->size;
    if (size == 0 || out->overflow || size > out->capacity - out->used)
        return false;
    char *to = out->data + out->used;
    uint64_t strange =
        size < 8 ? fit_short(to, text, size, colon) : fit_long(to, text, size, colon);
    if (strange != 0)
        return false;
    out->used += size;
    return true;
}

/* The same for any name, character by character. */
static void put_any(struct output *out, const struct text *name, bool colon)
{
    const unsigned char *text = (const unsigned char *)name->data;
    size_t length;
    for (size_t at = 0; at < name->size && !out->overflow; at += length) {
        bool valid;
        length = utf8_sequence(text + at, name->size - at, &valid);
        output_char(out, text[at] < 0x80 ? (char)fit_word(text[at], colon) : '_');
    }
}

void exposition_name(struct output *out, const struct text *name, bool colon)
{
    if (name->size == 0 || is_digit(name->data[0]))
        output_char(out, '_');
    if (!put_ascii(out, name, colon))
        put_any(out, name, colon);
}

/* Whether a name has that character unchanged, and not as an underscore. */
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

/* A label with the name of one of the format's own is renamed in Prometheus's way. */
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

static void write_label(const struct exposition *lines, const struct label *label)
{
    struct output *out = lines->out;
    size_t start = out->used;
    if (lines->labels->count != 0)
        output_char(out, ',');
    size_t at = out->used;
    put_label_name(lines, &label->key);
    if (!sample_labels_keep(lines->labels, at, out->used - at, out)) {
        out->used = start;
        return;
    }
    output_literal(out, "=\"");
    put_value(out, &label->value);
    output_char(out, '"');
}

/* With a label of the format's own, other labels may be renamed, so no part is repeated. */
static bool repeat_shared(const struct exposition *lines, const struct label *label)
{
    return label->shared != NULL && lines->own_label == NULL &&
           sample_labels_repeat(lines->labels, label, ',', lines->out);
}

static void write_labels(struct exposition *lines)
{
    struct label label;
    lines->labels_at = lines->out->used;
    sample_labels_begin(lines->labels, lines->record, lines->sample, NULL);
    while (sample_labels_next(lines->labels, &label, lines->out)) {
        if (label.key.size == 0 || label.value.size == 0)
            continue;
        if (repeat_shared(lines, &label))
            break;
        write_label(lines, &label);
    }
    sample_labels_remember(lines->labels, lines->out);
    lines->labels_size = lines->out->used - lines->labels_at;
}

/* --- their order ------------------------------------------------------------------------------ */

/* The position of key `i` in the order of those before it, given by `order`; counts the steps. */
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

/* Returns whether they are already in order. */
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
        lines->out->used--; /* the brace: there are no labels */
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
