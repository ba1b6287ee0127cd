/*
 * The encoder `openmetrics` writes the text format of OpenMetrics 1.0: a complete exposition for
 * each block. encode() writes the lines of each sample (sinks/encoders/openmetrics_sample.h);
 * arrange() makes a file of them.
 *
 * Each sample is written with a type that allows its values; values that the type does not allow
 * are omitted. Labels are sorted, so that a series is always spelled in the same way. More in
 * sinks/README.md.
 */
#include <math.h>
#include <string.h>

#include "collector/text/number.h"
#include "sinks/encoders/canonical_number.h"
#include "sinks/encoders/classic_buckets.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/exposition.h"
#include "sinks/encoders/line_time.h"
#include "sinks/encoders/openmetrics_arrange.h"
#include "sinks/encoders/openmetrics_sample.h"
#include "sinks/encoders/sample_encoder.h"

/* --- types and names -------------------------------------------------------------------------- */

/* Returns true if the value may be that of a counter: NaN and negative numbers are not allowed. */
static bool is_countable(const struct sample *sample)
{
    if (sample->type == SAMPLE_INT64)
        return sample->value.int64 >= 0;
    return sample->type == SAMPLE_UINT64 || sample->value.number >= 0;
}

/*
 * Returns the type for a number. A value that is or may be a delta cannot be a counter of
 * OpenMetrics; only the type "unknown" allows it.
 */
static enum openmetrics_type type_of_number(const struct sample *sample)
{
    if (sample->kind == SAMPLE_GAUGE)
        return OPENMETRICS_GAUGE;
    if (sample->temporality != SAMPLE_CUMULATIVE)
        return OPENMETRICS_UNKNOWN;
    if (sample->kind == SAMPLE_UPDOWN_COUNTER)
        return OPENMETRICS_GAUGE;
    return is_countable(sample) ? OPENMETRICS_COUNTER : OPENMETRICS_UNKNOWN;
}

static enum openmetrics_type type_of(const struct sample *sample)
{
    switch (sample->type) {
    case SAMPLE_HISTOGRAM:
    case SAMPLE_EXPONENTIAL_HISTOGRAM:
        return sample->temporality == SAMPLE_CUMULATIVE ? OPENMETRICS_HISTOGRAM
                                                        : OPENMETRICS_GAUGEHISTOGRAM;
    case SAMPLE_SUMMARY:
        return OPENMETRICS_SUMMARY;
    default:
        return type_of_number(sample);
    }
}

static bool ends_with(const char *text, size_t size, const char *end, size_t end_size)
{
    return size > end_size && memcmp(text + size - end_size, end, end_size) == 0;
}

static size_t put_family(struct output *out, const struct sample *sample,
                         enum openmetrics_type type)
{
    static const char total[] = "_total";
    const size_t total_size = sizeof total - 1;
    size_t at = out->used;
    exposition_name(out, &sample->name, true);
    if (type == OPENMETRICS_COUNTER && !out->overflow &&
        ends_with(out->data + at, out->used - at, total, total_size))
        out->used -= total_size;
    return out->used - at;
}

/*
 * Returns the size of the unit, or 0 if it must be omitted: the name must end with an underscore
 * and the unit.
 */
static size_t unit_size(const char *name, size_t size, const struct text *unit)
{
    bool named = unit->size != 0 && ends_with(name, size, unit->data, unit->size) &&
                 size > unit->size + 1 && name[size - unit->size - 1] == '_';
    return named ? unit->size : 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* The lines of one sample. */
struct lines {
    struct exposition text;
    uint64_t buckets; /* see struct encoder_options */
    enum openmetrics_type type;
    int64_t time_ns;
    struct line_time *end;
};

/* Writes a time in seconds, exactly, with as few decimals as possible. */
static void put_time(struct output *out, int64_t time_ns)
{
    const uint64_t second = 1000000000;
    uint64_t magnitude = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
    uint64_t fraction = magnitude % second;
    if (time_ns < 0)
        output_char(out, '-');
    number_uint64(out, magnitude / second);
    if (fraction == 0)
        return;
    output_char(out, '.');
    for (uint64_t place = second / 10; fraction != 0; place /= 10) {
        output_char(out, (char)('0' + fraction / place));
        fraction %= place;
    }
}

static void end_line(const struct lines *lines)
{
    line_time_put(lines->end, lines->time_ns, put_time, lines->text.out);
}

static void write_number(struct lines *lines)
{
    exposition_begin_plain(&lines->text, lines->type == OPENMETRICS_COUNTER ? "_total" : "");
    exposition_number(lines->text.out, lines->text.sample);
    end_line(lines);
}

static void write_count(struct lines *lines, const char *suffix, uint64_t count)
{
    exposition_begin_plain(&lines->text, suffix);
    number_uint64(lines->text.out, count);
    end_line(lines);
}

static void write_sum(struct lines *lines, const char *suffix, double sum)
{
    exposition_begin_plain(&lines->text, suffix);
    exposition_double(lines->text.out, sum);
    end_line(lines);
}

/* --- histograms and summaries ----------------------------------------------------------------- */

static void write_bucket(struct lines *lines, double bound, uint64_t count)
{
    exposition_begin_own(&lines->text, "_bucket");
    canonical_number(lines->text.out, bound);
    output_literal(lines->text.out, "\"} ");
    number_uint64(lines->text.out, count);
    end_line(lines);
}

/*
 * Writes the sum and the count, or neither, if the type does not allow the sum. The sum of a
 * histogram is a counter, so there must be no negative values. The sum of a gaugehistogram may be
 * negative only if there are negative values.
 */
static void write_sum_of_buckets(struct lines *lines, const struct sample_totals *totals,
                                 bool below_zero)
{
    bool gauge = lines->type == OPENMETRICS_GAUGEHISTOGRAM;
    bool allowed = gauge ? totals->sum >= 0 || (totals->sum < 0 && below_zero)
                         : totals->sum >= 0 && !below_zero;
    if (!totals->has_sum || !allowed)
        return;
    write_count(lines, gauge ? "_gcount" : "_count", totals->count);
    write_sum(lines, gauge ? "_gsum" : "_sum", totals->sum);
}

/* A bucket never exceeds the total count, even if a sender's buckets do. */
static void write_histogram(struct lines *lines, const struct sample_totals *totals)
{
    struct classic_buckets walk;
    struct classic_bucket bucket;
    bool below_zero = false;
    lines->text.own_label = "le";
    classic_buckets_begin(&walk, lines->text.sample, lines->buckets);
    while (!lines->text.out->overflow && classic_buckets_next(&walk, &bucket)) {
        below_zero = below_zero || bucket.bound < 0;
        write_bucket(lines, bucket.bound,
                     bucket.count < totals->count ? bucket.count : totals->count);
    }
    write_bucket(lines, (double)INFINITY, totals->count);
    write_sum_of_buckets(lines, totals, below_zero);
}

/*
 * Writes the line of a quantile, and removes it again if the sample already has the quantile. The
 * quantiles are compared as keys of the sample's labels, all of which are written at that time.
 */
static void write_quantile(struct lines *lines, const struct sample_quantile *quantile)
{
    struct output *out = lines->text.out;
    size_t start = out->used;
    bool first = lines->text.count == 0;
    exposition_begin_own(&lines->text, "");
    if (first)
        sample_labels_begin(lines->text.labels, lines->text.record, lines->text.sample, NULL);
    size_t at = out->used;
    canonical_number(out, quantile->quantile);
    if (!sample_labels_keep(lines->text.labels, at, out->used - at, out)) {
        if (!out->overflow)
            lines->text.count--;
        out->used = start;
        return;
    }
    output_literal(out, "\"} ");
    exposition_double(out, quantile->value);
    end_line(lines);
}

static void write_summary(struct lines *lines, struct arena *scratch)
{
    const struct sample *sample = lines->text.sample;
    const struct sample_totals *totals = &sample->value.summary.totals;
    const struct record *record = lines->text.record;
    const struct schema *schema = record->schema;
    struct schema_cursor cursor = {.scratch = scratch};
    struct sample_quantile quantile;
    lines->text.own_label = "quantile";
    while (!lines->text.out->overflow &&
           schema->ops->next_quantile(schema, record->message, sample, &cursor, &quantile)) {
        bool allowed = quantile.quantile >= 0 && quantile.quantile <= 1 && !(quantile.value < 0);
        if (allowed)
            write_quantile(lines, &quantile);
    }
    write_count(lines, "_count", totals->count);
    if (totals->has_sum && totals->sum >= 0)
        write_sum(lines, "_sum", totals->sum);
}

static void write_lines(struct lines *lines, struct arena *scratch)
{
    const struct sample *sample = lines->text.sample;
    if (sample->type == SAMPLE_HISTOGRAM)
        write_histogram(lines, &sample->value.histogram.totals);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        write_histogram(lines, &sample->value.exponential_histogram.totals);
    else if (sample->type == SAMPLE_SUMMARY)
        write_summary(lines, scratch);
    else
        write_number(lines);
}

/* --- a sample of a block ---------------------------------------------------------------------- */

struct openmetrics {
    struct sample_encoder base;
    struct line_time end;
    struct series_labels series;
    size_t arranged; /* maximum bytes of a file for the current record */
};

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    static const char name_room[OPENMETRICS_NAME_ROOM];
    struct openmetrics *openmetrics = (struct openmetrics *)encoder;
    struct openmetrics_sample head = {.time_ns = sample->time_ns != 0 ? sample->time_ns
                                                                      : record->received_ns};
    struct lines lines = {.text = {.labels = &encoder->labels,
                                   .record = record,
                                   .sample = sample,
                                   .out = out,
                                   .nameless = true,
                                   .sorted = true,
                                   .series = &openmetrics->series},
                          .buckets = encoder->buckets,
                          .type = type_of(sample),
                          .time_ns = head.time_ns,
                          .end = &openmetrics->end};
    size_t start = out->used;
    output_reserve(out, sizeof head);
    head.type = (uint16_t)lines.type;
    head.name_size = (uint32_t)put_family(out, sample, lines.type);
    output_bytes(out, name_room, sizeof name_room);
    head.lines_at = (uint32_t)(out->used - start);
    write_lines(&lines, &encoder->scratch);
    encoder->joined += lines.text.joined;
    if (out->overflow)
        return lines.text.count;
    head.size = (uint32_t)(out->used - start);
    head.unit_size =
        (uint32_t)unit_size(out->data + start + sizeof head, head.name_size, &sample->unit);
    head.labels_at = (uint32_t)(lines.text.labels_at - start);
    head.labels_size = (uint32_t)lines.text.labels_size;
    head.lines = (uint32_t)lines.text.count;
    openmetrics_sample_store(out->data + start, &head);
    openmetrics->arranged += openmetrics_sample_arranged(&head);
    return lines.text.count;
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    (void)listener;
    struct openmetrics *openmetrics = (struct openmetrics *)encoder;
    sample_encoder_begin_record(&openmetrics->base);
    openmetrics->arranged = sizeof OPENMETRICS_END - 1;
    struct encoded encoded = sample_encoder_write(&openmetrics->base, record, write_sample, out);
    encoded.arranged = openmetrics->arranged;
    if (encoded.arranged > ARRANGED_SIZE)
        out->overflow = true;
    return encoded;
}

static struct encoded arrange(struct encoder *encoder, char *block, size_t size, struct output *out)
{
    /* The arena includes the memory of `series`, which is used only while a record is encoded. */
    return openmetrics_arrange(&((struct openmetrics *)encoder)->base.scratch, block, size, out);
}

/* A file is written in one piece, so a file without "# EOF" at its end is incomplete. */
static size_t whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign)
{
    static const char type[] = "# TYPE ";
    static const char end[] = "\n" OPENMETRICS_END;
    const size_t begin_size = sizeof type - 1;
    const size_t end_size = sizeof end - 1;
    *foreign = !at_start || memcmp(bytes, type, size < begin_size ? size : begin_size) != 0;
    bool complete = size >= end_size && memcmp(bytes + size - end_size, end, end_size) == 0;
    return !*foreign && complete ? size : 0;
}

static struct encoder *create(const struct encoder_options *options)
{
    struct openmetrics *made = sample_encoder_create(&encoder_openmetrics, sizeof *made, options);
    if (made == NULL)
        return NULL;
    series_labels_init(&made->series, &made->base.scratch);
    return &made->base.encoder;
}

const struct encoder_ops encoder_openmetrics = {
    .name = "openmetrics",
    .needs_samples = true,
    .has_buckets = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .arrange = arrange,
    .whole = whole,
};
