/*
 * The encoder `text` writes lines for people, of at most 80 columns: time, source, name, value with
 * its unit, the sender's name if it has one, and the labels that fit.
 *
 * 10:30:04.123 192.0.2.1 nginx.requests 4711 {request} status=2xx
 *
 * Texts of senders cannot control a terminal (collector/text/cell.h). The only control characters
 * are those of colours, which are written if the sink's options request them.
 */
#include <string.h>

#include "collector/contract/sender_name.h"
#include "collector/text/cell.h"
#include "collector/text/number.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/line_mark.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/time_text.h"
#include "sinks/encoders/whole_lines.h"

/*
 * Widths of the columns, without the space after each. A value with more digits makes its column
 * wider.
 */
#define LINE_COLUMNS   80
#define TIME_COLUMNS   12
#define SOURCE_COLUMNS 15
#define NAME_COLUMNS   20
#define VALUE_COLUMNS  9

#define SENDER_KEY "sender"

/*
 * Maximum bytes of unit and labels: enough for a full line, because a column takes at most four
 * bytes.
 */
#define REST_SIZE (4 * (size_t)LINE_COLUMNS)

/* Maximum bytes of a message's JSON. A longer one is omitted. */
#define JSON_SIZE ((size_t)16 * 1024)

struct text_encoder {
    struct sample_encoder base;
    enum sink_view view;
    struct json_style json;
    bool colour;

    /* Values of the current record. */
    char source[ADDRESS_TEXT_SIZE]; /* without port */
    size_t source_size;
    int64_t received_ns;
    struct time_text time;
};

/* A line that is being written; `column` columns are used. */
struct line {
    struct output *out;
    bool colour;
    size_t column;
};

/* --- parts of a line -------------------------------------------------------------------------- */

/* ECMA-48 sequences (SGR). */
static const char plain[] = ""; /* no sequence, so that a file does not begin with one */
static const char dim[] = "\x1b[2m";
static const char cyan[] = "\x1b[36m";
static const char bold[] = "\x1b[1m";
static const char green[] = "\x1b[32m";

static void put_spaces(struct line *line, size_t count)
{
    char *at = output_reserve(line->out, count);
    if (at != NULL)
        memset(at, ' ', count);
    line->column += count;
}

/*
 * Appends a part in its colour, cut off at the end of the line or after `most` columns. Returns its
 * width in columns.
 */
static size_t put_part(struct line *line, const char *colour, const struct text *text, size_t most,
                       bool more)
{
    size_t left = LINE_COLUMNS - line->column;
    bool coloured = line->colour && text->size != 0 && *colour != '\0';
    if (coloured)
        output_bytes(line->out, colour, strlen(colour));
    size_t columns = cell_put(line->out, text->data, text->size, most < left ? most : left, more);
    if (coloured)
        output_literal(line->out, "\x1b[0m");
    line->column += columns;
    return columns;
}

static void put_column(struct line *line, const char *colour, const struct text *text, size_t width)
{
    size_t columns = put_part(line, colour, text, width, false);
    put_spaces(line, width - columns + 1);
}

/* Writes the UTC time of day, or the date if the time is a day or more from the arrival. */
static void put_time(struct text_encoder *text, struct line *line, int64_t time_ns)
{
    const uint64_t day = UINT64_C(86400) * 1000000000;
    time_text_update(&text->time, time_ns);
    uint64_t apart = time_ns < text->received_ns ? (uint64_t)text->received_ns - (uint64_t)time_ns
                                                 : (uint64_t)time_ns - (uint64_t)text->received_ns;
    const struct text date = {text->time.text + 1, 10};
    const struct text clock = {text->time.text + 12, TIME_COLUMNS};
    put_column(line, plain, apart >= day ? &date : &clock, TIME_COLUMNS);
}

/*
 * An address that is too long for the column is cut in the middle, because its beginning and its
 * end identify it.
 */
static void put_source(const struct text_encoder *text, struct line *line)
{
    const size_t half = SOURCE_COLUMNS / 2;
    char cut[SOURCE_COLUMNS + 2];
    struct text source = {text->source, text->source_size};
    if (source.size > SOURCE_COLUMNS) {
        struct output out = {.data = cut, .capacity = sizeof cut};
        output_bytes(&out, text->source, half);
        output_literal(&out, "\xe2\x80\xa6");
        output_bytes(&out, text->source + text->source_size - half, half);
        source = (struct text){cut, out.used};
    }
    put_column(line, cyan, &source, SOURCE_COLUMNS);
}

static struct line begin_line(struct text_encoder *text, int64_t time_ns, struct output *out)
{
    struct line line = {.out = out, .colour = text->colour};
    put_time(text, &line, time_ns);
    put_source(text, &line);
    return line;
}

/* --- one line for each sample ----------------------------------------------------------------- */

static void write_totals(struct output *out, const struct sample_totals *totals)
{
    output_literal(out, "count=");
    number_uint64(out, totals->count);
    if (!totals->has_sum)
        return;
    output_literal(out, " sum=");
    number_or_word_double(out, totals->sum);
}

static void write_value(struct output *out, const struct sample *sample)
{
    switch (sample->type) {
    case SAMPLE_DOUBLE:
        number_or_word_double(out, sample->value.number);
        break;
    case SAMPLE_FLOAT:
        number_or_word_float(out, (float)sample->value.number);
        break;
    case SAMPLE_INT64:
        number_int64(out, sample->value.int64);
        break;
    case SAMPLE_UINT64:
        number_uint64(out, sample->value.uint64);
        break;
    case SAMPLE_HISTOGRAM:
        write_totals(out, &sample->value.histogram.totals);
        break;
    case SAMPLE_EXPONENTIAL_HISTOGRAM:
        write_totals(out, &sample->value.exponential_histogram.totals);
        break;
    case SAMPLE_SUMMARY:
        write_totals(out, &sample->value.summary.totals);
        break;
    }
}

static void put_value(struct line *line, const struct sample *sample)
{
    char number[64];
    struct output out = {.data = number, .capacity = sizeof number};
    write_value(&out, sample);
    const struct text value = {number, out.used};
    if (value.size < VALUE_COLUMNS)
        put_spaces(line, VALUE_COLUMNS - value.size);
    put_part(line, green, &value, LINE_COLUMNS, false);
}

static bool text_add(struct output *to, const char *bytes, size_t size)
{
    size_t room = to->capacity - to->used;
    output_bytes(to, bytes, size < room ? size : room);
    return size <= room;
}

static bool add_label(struct output *to, const struct label *label)
{
    return (to->used == 0 || text_add(to, " ", 1)) &&
           text_add(to, label->key.data, label->key.size) && text_add(to, "=", 1) &&
           text_add(to, label->value.data, label->value.size);
}

static bool add_sender(struct output *to, const struct record *record)
{
    static const struct text key = {SENDER_KEY, sizeof SENDER_KEY - 1};
    return record->sender == NULL ||
           add_label(
               to, &(struct label){.key = key, .value = {record->sender, strlen(record->sender)}});
}

/* Returns false if not all labels fit. Frees the scratch memory of a walk that ends early. */
static bool add_labels(struct text_encoder *text, const struct record *record,
                       const struct sample *sample, struct output *rest, struct output *out)
{
    struct sample_labels *labels = &text->base.labels;
    struct label label;
    size_t scratch = text->base.scratch.used;
    bool all = true;
    sample_labels_begin(labels, record, sample, NULL);
    while (all && sample_labels_next(labels, &label, out))
        if (sample_labels_note(labels, &label.key, out))
            all = add_label(rest, &label);
    text->base.scratch.used = scratch;
    return all;
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct text_encoder *text = (struct text_encoder *)encoder;
    int64_t time_ns = sample->time_ns != 0 ? sample->time_ns : record->received_ns;
    struct line line = begin_line(text, time_ns, out);
    char room[REST_SIZE];
    struct output rest = {.data = room, .capacity = sizeof room};
    put_column(&line, bold, &sample->name, NAME_COLUMNS);
    put_value(&line, sample);
    bool all = text_add(&rest, sample->unit.data, sample->unit.size) && add_sender(&rest, record) &&
               add_labels(text, record, sample, &rest, out);
    if (rest.used != 0 && line.column + 1 < LINE_COLUMNS) {
        put_spaces(&line, 1);
        put_part(&line, dim, &(struct text){rest.data, rest.used}, LINE_COLUMNS, !all);
    }
    output_char(out, '\n');
    return 1;
}

/* --- one line for each message, or for each of its items -------------------------------------- */

/*
 * Returns room for JSON in the scratch arena, which is freed with the line; capacity 0 if out of
 * memory.
 */
static struct output json_room(struct text_encoder *text)
{
    char *room = arena_allocate(&text->base.scratch, JSON_SIZE);
    return (struct output){.data = room, .capacity = room != NULL ? JSON_SIZE : 0};
}

static void put_sender(struct line *line, const struct record *record)
{
    char room[sizeof SENDER_KEY + 1 + SENDER_NAME_MAX];
    struct output part = {.data = room, .capacity = sizeof room};
    if (record->sender == NULL)
        return;
    add_sender(&part, record);
    size_t most = LINE_COLUMNS - line->column - 1;
    put_part(line, dim, &(struct text){part.data, part.used}, most, false);
    put_spaces(line, 1);
}

static void put_json(struct line *line, const struct record *record, const struct output *json)
{
    const struct text name = {record->schema->name, strlen(record->schema->name)};
    put_part(line, bold, &name, NAME_COLUMNS, false);
    put_spaces(line, 1);
    put_sender(line, record);
    if (line->column < LINE_COLUMNS)
        put_part(line, green, &(struct text){json->data, json->used}, LINE_COLUMNS, json->overflow);
    output_char(line->out, '\n');
}

static struct encoded encode_message(struct text_encoder *text, const struct record *record,
                                     struct output *out)
{
    const struct schema *schema = record->schema;
    size_t scratch = text->base.scratch.used;
    struct output json = json_room(text);
    size_t fallbacks =
        schema->ops->write_json(schema, record->message, &text->json, &text->base.scratch, &json);
    struct line line = begin_line(text, record->received_ns, out);
    put_json(&line, record, &json);
    text->base.scratch.used = scratch;
    return (struct encoded){.lines = 1, .json_fallbacks = fallbacks};
}

static struct encoded encode_items(struct text_encoder *text, const struct record *record,
                                   struct output *out)
{
    const struct schema *schema = record->schema;
    size_t scratch = text->base.scratch.used;
    struct output json = json_room(text);
    struct schema_cursor cursor = {.scratch = &text->base.scratch};
    struct encoded encoded = {0};
    int64_t time_ns;
    while (!out->overflow && schema->ops->next_item(schema, record->message, &cursor, &time_ns)) {
        json.used = 0;
        json.overflow = false;
        output_char(&json, '{');
        schema->ops->write_item(schema, record->message, &cursor, &json);
        output_char(&json, '}');
        struct line line = begin_line(text, time_ns != 0 ? time_ns : record->received_ns, out);
        put_json(&line, record, &json);
        encoded.lines++;
    }
    text->base.scratch.used = scratch;
    return encoded;
}

/* --- the encoder ------------------------------------------------------------------------------ */

/*
 * Returns true if lines show log records or spans, which are more useful on a line than the whole
 * message.
 */
static bool has_items(const struct text_encoder *text, const struct schema *schema)
{
    return schema->ops->next_item != NULL &&
           (text->view == VIEW_RECORD || (text->view == VIEW_AUTO && !schema->has_samples));
}

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    struct text_encoder *text = (struct text_encoder *)encoder;
    (void)listener;
    sample_encoder_begin_record(&text->base);
    text->source_size = address_format_host(&record->source, text->source);
    text->received_ns = record->received_ns;
    if (has_items(text, record->schema))
        return encode_items(text, record, out);
    if (text->view == VIEW_MESSAGE || !record->schema->has_samples)
        return encode_message(text, record, out);
    return sample_encoder_write(&text->base, record, write_sample, out);
}

/*
 * Returns true if the bytes can be the column of the source, with or without its colour. The time
 * before it is not enough, because lines of other programs often begin with a time.
 */
static bool is_source(const uint8_t *bytes, size_t size)
{
    const size_t colour = sizeof cyan - 1;
    size_t compared = size < colour ? size : colour;
    if (size != 0 && memcmp(bytes, cyan, compared) == 0) {
        bytes += compared;
        size -= compared;
    }
    size_t end = 0;
    while (end < size && memchr(" \x1b\r\n", bytes[end], 4) == NULL)
        end++;
    bool dotted = false;
    for (size_t i = 0; i < end; i++) {
        if (bytes[i] < 0x80 && strchr("0123456789abcdef.:%", bytes[i]) == NULL)
            return false;
        dotted = dotted || memchr(".:", bytes[i], 2) != NULL;
    }
    return end == size || dotted;
}

static enum output_line line(const uint8_t *bytes, size_t size)
{
    static const char *const times[] = {"99:99:99.999 ", "9999-99-99   "};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        enum output_line like = line_mark(bytes, size, times[i]);
        if (like == OUTPUT_LINE_OWN)
            return is_source(bytes + TIME_COLUMNS + 1, size - TIME_COLUMNS - 1)
                       ? OUTPUT_LINE_OWN
                       : OUTPUT_LINE_FOREIGN;
        if (like != OUTPUT_LINE_FOREIGN)
            return like;
    }
    return OUTPUT_LINE_FOREIGN;
}

static struct encoder *create(const struct encoder_options *options)
{
    struct text_encoder *text = sample_encoder_create(&encoder_text, sizeof *text, options);
    if (text == NULL)
        return NULL;
    text->view = options->view;
    text->json = options->json;
    text->colour = options->colour;
    time_text_init(&text->time);
    return &text->base.encoder;
}

const struct encoder_ops encoder_text = {
    .name = "text",
    .has_json = true,
    .for_people = true,
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .whole = whole_lines,
    .line = line,
};
