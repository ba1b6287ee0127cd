/*
 * The encoder `influx` writes line protocol: one line for each sample, with times in nanoseconds.
 * The measurement is the sample's name and the tags are its labels. A number is the field "value".
 * Each part of a histogram or summary is a field, with the name that Telegraf's prometheus input
 * gives it (metric_version = 1).
 *
 * Readers of line protocol differ in how they interpret two backslashes, and backslashes before an
 * escaped character. So a backslash in such a position or at the end of a text is removed. More in
 * sinks/README.md.
 */
#include <math.h>
#include <string.h>

#include "collector/text/compiler.h"
#include "collector/text/escaped.h"
#include "collector/text/number.h"
#include "collector/text/plain_text.h"
#include "sinks/encoders/classic_buckets.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/line_mark.h"
#include "sinks/encoders/line_time.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/whole_lines.h"

struct influx_encoder {
    struct sample_encoder base;
    struct line_time end;
};

/* --- text ------------------------------------------------------------------------------------- */

static const struct escapes measurement_escapes = {
    {ESCAPES_OF_CONTROLS, [' '] = {"\\ ", 2}, [','] = {"\\,", 2}}};
static const struct escapes tag_escapes = {
    {ESCAPES_OF_CONTROLS, [' '] = {"\\ ", 2}, [','] = {"\\,", 2}, ['='] = {"\\=", 2}}};

static struct text skip(struct text text, size_t size)
{
    return (struct text){text.data + size, text.size - size};
}

static size_t count_backslashes(struct text text)
{
    size_t count = 0;
    while (count < text.size && text.data[count] == '\\')
        count++;
    return count;
}

/*
 * Returns true if some reader treats a backslash before the character as an escape, in names or
 * tags.
 */
static bool is_special(char c)
{
    unsigned char byte = (unsigned char)c;
    return byte < 0x80 && tag_escapes.of[byte].size != 0;
}

static bool is_plain(struct text text)
{
    return plain_text_is(text.data, text.size, (struct plain_rule){0x21, {',', '=', '\\'}});
}

static void put_text(struct output *out, struct text text, const struct escapes *escapes)
{
    if (is_plain(text)) {
        output_bytes(out, text.data, text.size);
        return;
    }
    while (text.size != 0) {
        const char *backslash = memchr(text.data, '\\', text.size);
        size_t plain = backslash != NULL ? (size_t)(backslash - text.data) : text.size;
        escaped_put(out, text.data, plain, escapes);
        text = skip(text, plain);
        size_t run = count_backslashes(text);
        if (run < text.size && !is_special(text.data[run]))
            output_bytes(out, text.data, run);
        text = skip(text, run);
    }
}

static bool is_empty(struct text text)
{
    return count_backslashes(text) == text.size;
}

/* --- measurement and tags --------------------------------------------------------------------- */

static void write_measurement(struct output *out, struct text name)
{
    if (is_empty(name)) {
        output_char(out, '_');
        return;
    }
    if (name.data[0] == '#') { /* it would make the line a comment */
        output_char(out, '_');
        name = skip(name, 1);
    }
    put_text(out, name, &measurement_escapes);
}

/* Returns true if InfluxDB refuses a tag with the key that was written at byte `at`. */
static bool is_reserved(const struct output *out, size_t at)
{
    static const struct text reserved[] = {{"time", 4}, {"_field", 6}, {"_measurement", 12}};
    size_t size = out->used - at;
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (reserved[i].size == size && memcmp(out->data + at, reserved[i].data, size) == 0)
            return true;
    return false;
}

static void write_tag(struct sample_labels *labels, const struct label *label, struct output *out)
{
    size_t start = out->used;
    if (labels->count != 0)
        output_char(out, ',');
    size_t at = out->used;
    put_text(out, label->key, &tag_escapes);
    if (is_reserved(out, at))
        output_char(out, '_');
    if (!sample_labels_keep(labels, at, out->used - at, out)) {
        out->used = start;
        return;
    }
    output_char(out, '=');
    put_text(out, label->value, &tag_escapes);
}

static void write_tags(struct sample_labels *labels, const struct record *record,
                       const struct sample *sample, struct output *out)
{
    struct label label;
    size_t start = out->used;
    output_char(out, ',');
    sample_labels_begin(labels, record, sample, NULL);
    while (sample_labels_next(labels, &label, out)) {
        if (is_empty(label.key) || is_empty(label.value))
            continue;
        if (label.shared != NULL && sample_labels_repeat(labels, &label, ',', out))
            break;
        write_tag(labels, &label, out);
    }
    sample_labels_remember(labels, out);
    if (!out->overflow && out->used == start + 1)
        out->used = start;
}

/* --- fields ----------------------------------------------------------------------------------- */

/* Omits numbers that line protocol cannot represent. */
static void write_double_field(struct output *out, const char *key, size_t key_size, double value)
{
    if (!isfinite(value))
        return;
    output_bytes(out, key, key_size);
    number_double(out, value);
}

#define write_double_field_literal(out, key, value)                                                \
    write_double_field((out), "" key, sizeof(key) - 1, (value))

/*
 * Counts are doubles, written with all their digits: Telegraf's counts are doubles, and a field
 * must have one type.
 */
static void write_totals(struct output *out, const struct sample_totals *totals)
{
    output_literal(out, "count=");
    number_uint64(out, totals->count);
    if (totals->has_sum)
        write_double_field_literal(out, ",sum=", totals->sum);
    if (totals->has_min)
        write_double_field_literal(out, ",min=", totals->min);
    if (totals->has_max)
        write_double_field_literal(out, ",max=", totals->max);
}

static void write_histogram(struct output *out, const struct sample *sample,
                            const struct sample_totals *totals, uint64_t buckets)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    write_totals(out, totals);
    classic_buckets_begin(&walk, sample, buckets);
    while (!out->overflow && classic_buckets_next(&walk, &bucket)) {
        output_char(out, ',');
        number_double(out, bucket.bound);
        output_char(out, '=');
        number_uint64(out, bucket.count);
    }
    output_literal(out, ",+Inf=");
    number_uint64(out, totals->count);
}

static void write_summary(struct output *out, const struct record *record,
                          const struct sample *sample, struct arena *scratch)
{
    const struct schema_ops *ops = record->schema->ops;
    struct schema_cursor cursor = {.scratch = scratch};
    struct sample_quantile quantile;
    write_totals(out, &sample->value.summary.totals);
    while (!out->overflow &&
           ops->next_quantile(record->schema, record->message, sample, &cursor, &quantile)) {
        if (!isfinite(quantile.quantile) || !isfinite(quantile.value))
            continue;
        output_char(out, ',');
        number_double(out, quantile.quantile);
        output_char(out, '=');
        number_double(out, quantile.value);
    }
}

static void write_integer(struct output *out, uint64_t value)
{
    number_uint64(out, value);
    /* values above INT64_MAX are written as unsigned integers, which is exact, unlike a double */
    output_char(out, value <= INT64_MAX ? 'i' : 'u');
}

static double as_double(const struct sample *sample)
{
    return sample->type == SAMPLE_UINT64 ? (double)sample->value.uint64
                                         : (double)sample->value.int64;
}

static void write_number(struct output *out, const struct sample *sample, bool as_float)
{
    output_literal(out, "value=");
    if (as_float && (sample->type == SAMPLE_UINT64 || sample->type == SAMPLE_INT64)) {
        number_double(out, as_double(sample));
    } else if (sample->type == SAMPLE_FLOAT) {
        number_float(out, (float)sample->value.number);
    } else if (sample->type == SAMPLE_DOUBLE) {
        number_double(out, sample->value.number);
    } else if (sample->type == SAMPLE_UINT64) {
        write_integer(out, sample->value.uint64);
    } else {
        number_int64(out, sample->value.int64);
        output_char(out, 'i');
    }
}

static void write_fields(struct sample_encoder *encoder, struct output *out,
                         const struct record *record, const struct sample *sample)
{
    if (sample->type == SAMPLE_HISTOGRAM)
        write_histogram(out, sample, &sample->value.histogram.totals, encoder->buckets);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        write_histogram(out, sample, &sample->value.exponential_histogram.totals, encoder->buckets);
    else if (sample->type == SAMPLE_SUMMARY)
        write_summary(out, record, sample, &encoder->scratch);
    else
        write_number(out, sample, encoder->float_numbers);
}

/* --- the encoder ------------------------------------------------------------------------------ */

static bool has_no_form(const struct sample *sample)
{
    return (sample->type == SAMPLE_DOUBLE || sample->type == SAMPLE_FLOAT) &&
           !isfinite(sample->value.number);
}

/* Writes a line up to its fields, and keeps this part. */
static NEVER_INLINE void write_new(struct sample_encoder *encoder, const struct record *record,
                                   const struct sample *sample, struct output *out)
{
    size_t begin = out->used;
    write_measurement(out, sample->name);
    write_tags(&encoder->labels, record, sample, out);
    output_char(out, ' ');
    if (!out->overflow)
        sample_encoder_keep(encoder, (struct text){out->data + begin, out->used - begin},
                            (struct text){"", 0});
}

static void write_series(struct sample_encoder *encoder, const struct record *record,
                         const struct sample *sample, struct output *out)
{
    const struct part_entry *known = sample_encoder_find(encoder, record, sample, out);
    if (known == NULL)
        write_new(encoder, record, sample, out);
    else
        output_bytes(out, part_entry_before(known), known->before_size);
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct influx_encoder *influx = (struct influx_encoder *)encoder;
    if (has_no_form(sample))
        return 0;
    write_series(encoder, record, sample, out);
    write_fields(encoder, out, record, sample);
    line_time_put(&influx->end, sample->time_ns != 0 ? sample->time_ns : record->received_ns,
                  number_int64, out);
    return 1;
}

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)listener;
    struct sample_encoder *influx = (struct sample_encoder *)encoder;
    sample_encoder_begin_record(influx);
    return sample_encoder_write(influx, record, write_sample, out);
}

/*
 * Returns true if the bytes can be the fields of a line of this encoder, or the beginning of them:
 * its first field is "value" or "count".
 */
static bool are_fields(const uint8_t *bytes, size_t size)
{
    static const char value[] = "value=";
    static const char count[] = "count=";
    const size_t compared = size < sizeof value - 1 ? size : sizeof value - 1;
    return memcmp(bytes, value, compared) == 0 || memcmp(bytes, count, compared) == 0;
}

/*
 * Other programs write this protocol, too. Only a complete line with a time, whose first field is
 * one that this encoder writes, is identified as the sink's own.
 */
static enum output_line line(const uint8_t *bytes, size_t size)
{
    size_t space = 0;
    while (space < size && bytes[space] > ' ')
        space += bytes[space] == '\\' && space + 1 < size ? 2 : 1;
    if (space == 0 || bytes[0] == '#' || bytes[0] == ',')
        return OUTPUT_LINE_FOREIGN;
    if (space >= size)
        return OUTPUT_LINE_LIKELY;
    if (bytes[space] != ' ' || !are_fields(bytes + space + 1, size - space - 1))
        return OUTPUT_LINE_FOREIGN;
    return line_mark_ends_with_time(bytes, size);
}

static struct encoder *create(const struct encoder_options *options)
{
    return sample_encoder_create(&encoder_influx, sizeof(struct influx_encoder), options);
}

const struct encoder_ops encoder_influx = {
    .name = "influx",
    .media_type = "text/plain; charset=utf-8",
    .overwrites = true,
    .needs_samples = true,
    .has_buckets = true,
    .has_typed_numbers = true,
    .caches_parts = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .whole = whole_lines,
    .line = line,
};
