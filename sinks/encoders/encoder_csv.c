/*
 * The encoder `csv` writes a table (RFC 4180): one row for each sample, after a header line in each
 * file. Values other than numbers and texts are JSON in their field. An empty field means that
 * there is no value.
 *
 * A row is one line of text: in a name or a unit a line end becomes two characters, as in JSON.
 * Otherwise a torn row could not be distinguished from a line end within a field.
 */
#include <string.h>

#include "collector/text/escaped.h"
#include "collector/text/json_writer.h"
#include "collector/text/number.h"
#include "collector/text/plain_text.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/json_sample.h"
#include "sinks/encoders/line_mark.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/sample_kind.h"
#include "sinks/encoders/time_text.h"
#include "sinks/encoders/whole_lines.h"

#define HEADER                                                                                     \
    "time,name,kind,temporality,value,start_time,unit,labels,exemplars,received,source,listener"
#define HEADER_SENDER ",sender"

struct csv_encoder {
    struct sample_encoder base;
    bool sender_column; /* rows have a last column with the sender's name */

    /* Values of the current record. */
    const struct listener *listener;
    const char *sender; /* NULL if the sender has no name */
    struct time_text received;
    char source[ADDRESS_TEXT_SIZE];
    size_t source_size;
    size_t facts_at, facts_size; /* the end of the record's first row, which its other rows repeat;
                                    size 0: not written yet */

    /* Values of the current sample. */
    struct time_text sampled;
    struct time_text started;

    struct sample_kinds kinds; /* ",kind,temporality,", between name and value */
};

/* --- fields ----------------------------------------------------------------------------------- */

static const struct escapes text_escapes = {{ESCAPES_OF_CONTROLS, ['"'] = {"\"\"", 2}}};

static void put_text(struct output *out, const char *text, size_t size)
{
    if (plain_text_is(text, size, (struct plain_rule){0x20, {',', '"', '"'}})) {
        output_bytes(out, text, size);
        return;
    }
    bool quoted = memchr(text, ',', size) != NULL || memchr(text, '"', size) != NULL;
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

static void double_quotes(struct output *out, size_t start)
{
    if (out->overflow)
        return;
    size_t from = out->used;
    size_t quotes = 0;
    for (size_t i = start; i < from; i++)
        quotes += out->data[i] == '"';
    if (output_reserve(out, quotes) == NULL)
        return;
    char *text = out->data;
    size_t to = out->used;
    while (from != to) {
        char c = text[--from];
        text[--to] = c;
        if (c == '"')
            text[--to] = '"';
    }
}

/*
 * Begins a field with JSON. The JSON is written directly, and its quotes are doubled afterwards.
 * Until then there is a colon instead of the opening quote, because the JSON functions write no
 * comma after a colon.
 */
static size_t begin_json(struct output *out)
{
    output_char(out, ':');
    return out->used - 1;
}

static void end_json(struct output *out, size_t start)
{
    double_quotes(out, start);
    output_char(out, '"');
    if (!out->overflow)
        out->data[start] = '"';
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

static void put_string(struct output *out, const struct text *text)
{
    if (json_is_plain(text->data, text->size)) {
        output_literal(out, "\"\"");
        output_bytes(out, text->data, text->size);
        output_literal(out, "\"\"");
        return;
    }
    size_t start = out->used;
    json_string_after(out, 0, text->data, text->size);
    double_quotes(out, start);
}

static void put_label(struct output *out, struct sample_labels *labels, const struct label *label)
{
    size_t start = out->used;
    if (labels->count != 0)
        output_char(out, ',');
    size_t at = out->used + 2; /* after the two quotes */
    put_string(out, &label->key);
    if (!sample_labels_keep(labels, at, out->used - 2 - at, out)) {
        out->used = start;
        return;
    }
    output_char(out, ':');
    put_string(out, &label->value);
}

/* Writes the same JSON object as json_labels_write, as a field. */
static void put_labels(struct output *out, const struct record *record, const struct sample *sample,
                       struct sample_labels *labels)
{
    struct label label;
    sample_labels_begin(labels, record, sample, NULL);
    output_literal(out, "\"{");
    while (sample_labels_next(labels, &label, out)) {
        if (label.shared != NULL && sample_labels_repeat(labels, &label, ',', out))
            break;
        put_label(out, labels, &label);
    }
    sample_labels_remember(labels, out);
    output_literal(out, "}\"");
}

static void put_exemplars(struct output *out, const struct record *record,
                          const struct sample *sample, struct sample_labels *labels)
{
    size_t start = out->used;
    json_sample_exemplars(out, record, sample, labels, ":"); /* ":" as in begin_json */
    if (out->used != start)
        end_json(out, start);
}

/* --- rows ------------------------------------------------------------------------------------- */

static void csv_begin(struct encoder *encoder, struct output *out)
{
    const struct csv_encoder *csv = (const struct csv_encoder *)encoder;
    output_literal(out, HEADER);
    if (csv->sender_column)
        output_literal(out, HEADER_SENDER);
    output_literal(out, "\r\n");
}

static void put_facts(struct csv_encoder *csv, struct output *out)
{
    if (csv->facts_size != 0) {
        output_repeat(out, csv->facts_at, csv->facts_size);
        return;
    }
    csv->facts_at = out->used;
    output_char(out, ',');
    put_time(out, &csv->received);
    output_char(out, ',');
    output_bytes(out, csv->source, csv->source_size);
    output_char(out, ',');
    put_text(out, csv->listener->name, strlen(csv->listener->name));
    if (csv->sender_column)
        output_char(out, ',');
    if (csv->sender_column && csv->sender != NULL)
        put_text(out, csv->sender, strlen(csv->sender));
    output_literal(out, "\r\n");
    csv->facts_size = out->used - csv->facts_at;
}

static void put_kind(struct output *out, const struct text *kind, const struct text *temporality)
{
    output_char(out, ',');
    output_bytes(out, kind->data, kind->size);
    output_char(out, ',');
    output_bytes(out, temporality->data, temporality->size);
    output_char(out, ',');
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct csv_encoder *csv = (struct csv_encoder *)encoder;
    time_text_update(&csv->sampled, sample->time_ns != 0 ? sample->time_ns : record->received_ns);
    put_time(out, &csv->sampled);
    output_char(out, ',');
    put_text(out, sample->name.data, sample->name.size);
    sample_kinds_put(&csv->kinds, sample, out);
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
    put_facts(csv, out);
    return 1;
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    struct csv_encoder *csv = (struct csv_encoder *)encoder;
    sample_encoder_begin_record(&csv->base);
    csv->listener = listener;
    csv->sender = record->sender;
    csv->facts_size = 0;
    csv->source_size = address_format(&record->source, csv->source);
    time_text_update(&csv->received, record->received_ns);
    return sample_encoder_write(&csv->base, record, write_sample, out);
}

#define HEADER_MARK       "time,name,kind,temporality,value,"
#define HEADER_MARK_LEAST (sizeof "time,name," - 1)

/*
 * Examines a line: the sink's own line begins with a time, or is the header. A torn header is
 * recognised as the sink's own if it reaches the third column.
 */
static enum output_line line(const uint8_t *bytes, size_t size)
{
    enum output_line row = line_mark(bytes, size, LINE_MARK_TIME ",");
    if (row != OUTPUT_LINE_FOREIGN)
        return row;
    enum output_line head = line_mark(bytes, size, HEADER_MARK);
    return head == OUTPUT_LINE_LIKELY && size > HEADER_MARK_LEAST ? OUTPUT_LINE_OWN : head;
}

static struct encoder *create(const struct encoder_options *options)
{
    struct csv_encoder *csv = sample_encoder_create(&encoder_csv, sizeof *csv, options);
    if (csv == NULL)
        return NULL;
    csv->sender_column = options->sender_column;
    time_text_init(&csv->received);
    time_text_init(&csv->sampled);
    time_text_init(&csv->started);
    sample_kinds_make(&csv->kinds, put_kind);
    return &csv->base.encoder;
}

const struct encoder_ops encoder_csv = {
    .name = "csv",
    .media_type = "text/csv; charset=utf-8",
    .needs_samples = true,
    .has_columns = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .begin = csv_begin,
    .encode = encode,
    .whole = whole_lines,
    .line = line,
};
