#include "sinks/json_sample.h"

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

static void write_histogram(struct output *out, const struct sample_histogram *histogram)
{
    json_object_begin(out);
    json_key_literal(out, "count");
    json_uint64(out, histogram->count);
    json_key_literal(out, "sum");
    json_double(out, histogram->sum);
    if (histogram->has_min) {
        json_key_literal(out, "min");
        json_double(out, histogram->min);
    }
    if (histogram->has_max) {
        json_key_literal(out, "max");
        json_double(out, histogram->max);
    }
    json_key_literal(out, "bounds");
    write_doubles(out, histogram->bounds, histogram->bound_count);
    json_key_literal(out, "counts");
    write_counts(out, histogram->counts, histogram->count_count);
    json_object_end(out);
}

void json_sample_kind(struct output *out, const struct sample *sample)
{
    if (sample->type == SAMPLE_HISTOGRAM)
        output_literal(out, ",\"kind\":\"histogram\"");
    else if (sample->kind == SAMPLE_GAUGE)
        output_literal(out, ",\"kind\":\"gauge\"");
    else if (sample->kind == SAMPLE_COUNTER)
        output_literal(out, ",\"kind\":\"counter\"");
    else
        output_literal(out, ",\"kind\":\"updown_counter\"");
    if (sample->temporality == SAMPLE_CUMULATIVE)
        output_literal(out, ",\"temporality\":\"cumulative\"");
    else if (sample->temporality == SAMPLE_DELTA)
        output_literal(out, ",\"temporality\":\"delta\"");
}

void json_sample_value(struct output *out, const struct sample *sample)
{
    output_literal(out, ",\"value\":");
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
        write_histogram(out, &sample->value.histogram);
        break;
    }
}
