/*
 * csv: a table as RFC 4180 has it, one row a sample, behind a header line in each file. What is no
 * number or text of its own stands as JSON in its field. An empty field: it was not told.
 *
 * A row is one line of text: in a name or a unit a line's end becomes two characters, as in JSON.
 * Otherwise the end of a row that was torn by a crash could not be told from one within a field.
 */
#include <string.h>

#include "collector/text/escaped.h"
#include "collector/text/number.h"
#include "sinks/json_sample.h"
#include "sinks/sample_encoder.h"
#include "sinks/sample_kind.h"
#include "sinks/sinks.h"
#include "sinks/time_text.h"
#include "sinks/whole_lines.h"

struct csv_encoder {
    struct sample_encoder base;

    /* Of the record in hand. */
    const struct listener *listener;
    struct time_text received;
    char source[ADDRESS_TEXT_SIZE];
    size_t source_size;

    /* Of the sample in hand. */
    struct time_text sampled;
    struct time_text started;
};

/* --- fields ----------------------------------------------------------------------------------- */

static const struct escapes text_escapes = {{ESCAPES_OF_CONTROLS, ['"'] = {"\"\"", 2}}};

static void put_text(struct output *out, const char *text, size_t size)
{
    bool quoted = size != 0 && (memchr(text, ',', size) != NULL || memchr(text, '"', size) != NULL);
    if (quoted)
        output_char(out, '"');
    escaped_put(out, text, size, &text_escapes);
    if (quoted)
        output_char(out, '"');
}

static void put_time(struct output *out, const struct time_text *time)
{
    output_bytes(out, time->text + 1, TIME_TEXT_SIZE - 2); /* without its quotes */
}

/*
 * JSON is written in its place and then quoted there. Until then a colon stands for the opening
 * quote, behind which JSON's writers put no comma.
 */
static size_t begin_json(struct output *out)
{
    output_char(out, ':');
    return out->used - 1;
}

/* Doubles the quotes of what stands from byte `start` on and puts it between two. */
static void end_json(struct output *out, size_t start)
{
    if (out->overflow)
        return;
    size_t from = out->used;
    size_t quotes = 0;
    for (size_t i = start; i < from; i++)
        quotes += out->data[i] == '"';
    if (output_reserve(out, quotes + 1) == NULL)
        return;
    char *text = out->data;
    size_t to = out->used;
    text[--to] = '"';
    while (from != start + 1) {
        char c = text[--from];
        text[--to] = c;
        if (c == '"')
            text[--to] = '"';
    }
    text[start] = '"';
}

static void put_value(struct output *out, const struct record *record, const struct sample *sample,
                      struct arena *scratch)
{
    if (sample->type == SAMPLE_INT64) {
        number_int64(out, sample->value.int64);
    } else if (sample->type == SAMPLE_UINT64) {
        number_uint64(out, sample->value.uint64);
    } else if (sample->type == SAMPLE_DOUBLE) {
        number_or_word_double(out, sample->value.number);
    } else if (sample->type == SAMPLE_FLOAT) {
        number_or_word_float(out, (float)sample->value.number);
    } else {
        size_t start = begin_json(out);
        json_sample_value(out, record, sample, scratch);
        end_json(out, start);
    }
}

static void put_labels(struct output *out, const struct record *record, const struct sample *sample,
                       struct sample_labels *labels)
{
    size_t start = begin_json(out);
    json_labels_write(labels, record, sample, NULL, out);
    end_json(out, start);
}

static void put_exemplars(struct output *out, const struct record *record,
                          const struct sample *sample, struct sample_labels *labels)
{
    size_t start = out->used;
    json_sample_exemplars(out, record, sample, labels, ":"); /* as begin_json does */
    if (out->used != start)
        end_json(out, start);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void begin(struct encoder *encoder, struct output *out)
{
    (void)encoder;
    output_literal(out, "time,name,kind,temporality,value,start_time,unit,labels,exemplars,"
                        "received,source,listener\r\n");
}

static void put_facts(const struct csv_encoder *csv, struct output *out)
{
    put_time(out, &csv->received);
    output_char(out, ',');
    output_bytes(out, csv->source, csv->source_size);
    output_char(out, ',');
    put_text(out, csv->listener->name, strlen(csv->listener->name));
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct csv_encoder *csv = (struct csv_encoder *)encoder;
    struct text kind = sample_kind_name(sample);
    struct text temporality = sample_temporality_name(sample);
    time_text_update(&csv->sampled, sample->time_ns != 0 ? sample->time_ns : record->received_ns);
    put_time(out, &csv->sampled);
    output_char(out, ',');
    put_text(out, sample->name.data, sample->name.size);
    output_char(out, ',');
    output_bytes(out, kind.data, kind.size);
    output_char(out, ',');
    output_bytes(out, temporality.data, temporality.size);
    output_char(out, ',');
    put_value(out, record, sample, &encoder->scratch);
    output_char(out, ',');
    if (sample->start_time_ns != 0) {
        time_text_update(&csv->started, sample->start_time_ns);
        put_time(out, &csv->started);
    }
    output_char(out, ',');
    put_text(out, sample->unit.data, sample->unit.size);
    output_char(out, ',');
    put_labels(out, record, sample, &encoder->labels);
    output_char(out, ',');
    put_exemplars(out, record, sample, &encoder->labels);
    output_char(out, ',');
    put_facts(csv, out);
    output_literal(out, "\r\n");
    return 1;
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    struct csv_encoder *csv = (struct csv_encoder *)encoder;
    sample_encoder_begin_record(&csv->base);
    csv->listener = listener;
    csv->source_size = address_format(&record->source, csv->source);
    time_text_update(&csv->received, record->received_ns);
    return sample_encoder_write(&csv->base, record, write_sample, out);
}

static struct encoder *create(const struct encoder_options *options)
{
    struct csv_encoder *csv = sample_encoder_create(&encoder_csv, sizeof *csv, options);
    if (csv == NULL)
        return NULL;
    time_text_init(&csv->received);
    time_text_init(&csv->sampled);
    time_text_init(&csv->started);
    return &csv->base.encoder;
}

const struct encoder_ops encoder_csv = {
    .name = "csv",
    .needs_samples = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .begin = begin,
    .encode = encode,
    .whole = whole_lines,
};
