#include "sinks/encoders/json_sample.h"

#include <string.h>

#include "collector/text/json_writer.h"

static void write_doubles(struct output *out, const double *values, size_t count)
{
    json_array_begin(out);
    for (size_t i = 0; i < count && !out->overflow; i++)
        json_double(out, values[i]);
    json_array_end(out);
}

static void write_counts(struct output *out, const uint64_t *values, size_t count)
{
    json_array_begin(out);
    for (size_t i = 0; i < count && !out->overflow; i++)
        json_uint64(out, values[i]);
    json_array_end(out);
}

/* --- values ----------------------------------------------------------------------------------- */

static void write_totals(struct output *out, const struct sample_totals *totals)
{
    json_key_literal(out, "count");
    json_uint64(out, totals->count);
    if (totals->has_sum) {
        json_key_literal(out, "sum");
        json_double(out, totals->sum);
    }
    if (totals->has_min) {
        json_key_literal(out, "min");
        json_double(out, totals->min);
    }
    if (totals->has_max) {
        json_key_literal(out, "max");
        json_double(out, totals->max);
    }
}

static void write_histogram(struct output *out, const struct sample_histogram *histogram)
{
    json_object_begin(out);
    write_totals(out, &histogram->totals);
    json_key_literal(out, "bounds");
    write_doubles(out, histogram->bounds, histogram->bound_count);
    json_key_literal(out, "counts");
    write_counts(out, histogram->counts, histogram->count_count);
    json_object_end(out);
}

static void write_buckets(struct output *out, const struct sample_buckets *buckets)
{
    json_object_begin(out);
    json_key_literal(out, "offset");
    json_int64(out, buckets->offset);
    json_key_literal(out, "counts");
    write_counts(out, buckets->counts, buckets->count_count);
    json_object_end(out);
}

static void write_exponential_histogram(struct output *out,
                                        const struct sample_exponential_histogram *histogram)
{
    json_object_begin(out);
    write_totals(out, &histogram->totals);
    json_key_literal(out, "scale");
    json_int64(out, histogram->scale);
    json_key_literal(out, "zero_count");
    json_uint64(out, histogram->zero_count);
    json_key_literal(out, "zero_threshold");
    json_double(out, histogram->zero_threshold);
    json_key_literal(out, "positive");
    write_buckets(out, &histogram->positive);
    json_key_literal(out, "negative");
    write_buckets(out, &histogram->negative);
    json_object_end(out);
}

static void write_summary(struct output *out, const struct record *record,
                          const struct sample *sample, struct arena *scratch)
{
    const struct schema_ops *ops = record->schema->ops;
    struct schema_cursor cursor = {.scratch = scratch};
    struct sample_quantile quantile;
    json_object_begin(out);
    write_totals(out, &sample->value.summary.totals);
    json_key_literal(out, "quantiles");
    json_array_begin(out);
    while (!out->overflow &&
           ops->next_quantile(record->schema, record->message, sample, &cursor, &quantile)) {
        json_object_begin(out);
        json_key_literal(out, "quantile");
        json_double(out, quantile.quantile);
        json_key_literal(out, "value");
        json_double(out, quantile.value);
        json_object_end(out);
    }
    json_array_end(out);
    json_object_end(out);
}

static NEVER_INLINE void write_distribution(struct output *out, const struct record *record,
                                            const struct sample *sample, struct arena *scratch)
{
    if (sample->type == SAMPLE_HISTOGRAM)
        write_histogram(out, &sample->value.histogram);
    else if (sample->type == SAMPLE_EXPONENTIAL_HISTOGRAM)
        write_exponential_histogram(out, &sample->value.exponential_histogram);
    else
        write_summary(out, record, sample, scratch);
}

void json_sample_value(struct output *out, const struct record *record, const struct sample *sample,
                       struct arena *scratch)
{
    switch (sample->type) {
    case SAMPLE_DOUBLE:
        json_double(out, sample->value.number);
        break;
    case SAMPLE_FLOAT:
        json_float(out, (float)sample->value.number);
        break;
    case SAMPLE_INT64:
        json_int64(out, sample->value.int64);
        break;
    case SAMPLE_UINT64:
        json_uint64(out, sample->value.uint64);
        break;
    case SAMPLE_HISTOGRAM:
    case SAMPLE_EXPONENTIAL_HISTOGRAM:
    case SAMPLE_SUMMARY:
        write_distribution(out, record, sample, scratch);
        break;
    }
}

/* --- exemplars -------------------------------------------------------------------------------- */

static void write_exemplar(struct output *out, const struct record *record,
                           const struct sample *sample, const struct sample_exemplar *exemplar,
                           struct sample_labels *labels)
{
    json_object_begin(out);
    if (exemplar->time_ns != 0) {
        json_key_literal(out, "time");
        json_time(out, exemplar->time_ns);
    }
    json_key_literal(out, "value");
    if (exemplar->type == SAMPLE_INT64)
        json_int64(out, exemplar->value.int64);
    else
        json_double(out, exemplar->value.number);
    if (exemplar->trace_id.size != 0) {
        json_key_literal(out, "trace_id");
        json_hex(out, exemplar->trace_id.data, exemplar->trace_id.size);
    }
    if (exemplar->span_id.size != 0) {
        json_key_literal(out, "span_id");
        json_hex(out, exemplar->span_id.data, exemplar->span_id.size);
    }
    json_key_literal(out, "labels");
    json_labels_write(labels, record, sample, exemplar, out);
    json_object_end(out);
}

void json_sample_exemplars_write(struct output *out, const struct record *record,
                                 const struct sample *sample, struct sample_labels *labels,
                                 const char *before)
{
    const struct schema_ops *ops = record->schema->ops;
    struct schema_cursor cursor = {.scratch = labels->scratch};
    struct sample_exemplar exemplar;
    size_t count = 0;
    while (!out->overflow &&
           ops->next_exemplar(record->schema, record->message, sample, &cursor, &exemplar)) {
        if (count++ == 0) {
            output_bytes(out, before, strlen(before));
            output_char(out, '[');
        }
        write_exemplar(out, record, sample, &exemplar, labels);
    }
    if (count != 0)
        json_array_end(out);
}
