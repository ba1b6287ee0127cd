/*
 * The encoder `json` writes one line of JSON (RFC 8259) for each metric value, log record or span,
 * or for each datagram with its message in the protobuf JSON mapping. For any input, lines are
 * valid JSON and valid UTF-8, and no object has a key twice; see collector/text/json_writer.h for
 * ill-formed text.
 *
 * This code runs for each line, so it must be fast: it formats new parts, and copies repeated parts
 * in few pieces. The parts that are common to a record's lines ("received", "source", "listener")
 * are formatted once, as far as they differ from the previous record. The part about the kind is
 * formatted when the encoder is created.
 */
#include <string.h>

#include "collector/contract/sender_name.h"
#include "collector/text/compiler.h"
#include "collector/text/decimal.h"
#include "collector/text/json_writer.h"
#include "sinks/encoders/encoders.h"
#include "sinks/encoders/json_labels.h"
#include "sinks/encoders/json_sample.h"
#include "sinks/encoders/line_mark.h"
#include "sinks/encoders/sample_encoder.h"
#include "sinks/encoders/sample_kind.h"
#include "sinks/encoders/time_text.h"
#include "sinks/encoders/whole_lines.h"

/* Listener names shorter than this are cached as JSON. */
#define NAME_SIZE        512
#define QUOTED_NAME_SIZE (6 * NAME_SIZE + 2) /* each byte as \u00xx, and two quotes */

/*
 * The facts are the properties of a record at the end of each of its lines. They begin with the
 * time, whose size is constant.
 */
#define RECEIVED           ",\"received\":"
#define FACTS_TIME         (sizeof RECEIVED - 1)
#define QUOTED_SENDER_SIZE (6 * SENDER_NAME_MAX + 2)
#define FACTS_SIZE                                                                                 \
    (FACTS_TIME + TIME_TEXT_SIZE + 48 + ADDRESS_TEXT_SIZE + QUOTED_SENDER_SIZE + QUOTED_NAME_SIZE)
#define END_OF_LINE "}\n"

struct json_encoder {
    struct sample_encoder base;
    struct encoder_options options;

    /* Values of the current record. */
    struct time_text received;
    char facts[FACTS_SIZE]; /* ,"received":...,"source":...,"sender":...,"listener":...} and a line
                               end */
    size_t facts_size;
    size_t facts_before_port; /* size of the facts up to the colon before the port */
    size_t facts_before_listener;
    struct address source;
    char sender[SENDER_NAME_MAX + 1]; /* "" if there is no name; then the facts have none */
    char listener_name[NAME_SIZE];
    char listener[QUOTED_NAME_SIZE]; /* the cached listener name as JSON */
    size_t listener_size;
    const char *long_name; /* the listener's name if it is too long for the cache; otherwise NULL */

    struct time_text sampled;
    struct sample_kinds kinds; /* ,"kind":...,"value": for each kind of sample */
};

/* --- facts that records repeat ---------------------------------------------------------------- */

static size_t size_before_port(const char *text, size_t size)
{
    while (text[size - 1] != ':')
        size--;
    return size;
}

static void set_host(struct json_encoder *json, const struct address *source)
{
    char text[ADDRESS_TEXT_SIZE];
    struct output out = {.data = json->facts, .capacity = sizeof json->facts};
    output_literal(&out, RECEIVED);
    output_bytes(&out, json->received.text, TIME_TEXT_SIZE);
    output_literal(&out, ",\"source\":\"");
    output_bytes(&out, text, size_before_port(text, address_format(source, text)));
    json->facts_before_port = out.used;
}

static void set_port(struct json_encoder *json, uint32_t port, const char *sender)
{
    char text[20];
    size_t size = strlen(sender);
    struct output out = {
        .data = json->facts, .used = json->facts_before_port, .capacity = sizeof json->facts};
    memcpy(json->sender, sender, size + 1);
    output_bytes(&out, text, decimal_uint64(port, text));
    output_char(&out, '"');
    if (size != 0) {
        output_literal(&out, ",\"sender\":");
        json_string(&out, sender, size);
    }
    output_literal(&out, ",\"listener\":");
    json->facts_before_listener = out.used;
}

/*
 * Returns true if the sender's name is the current one. Most senders have no name, so that case is
 * checked first.
 */
static inline bool is_sender(const struct json_encoder *json, const char *sender)
{
    return sender[0] == '\0' ? json->sender[0] == '\0' : strcmp(json->sender, sender) == 0;
}

/*
 * Sets the source and the sender's name. Returns true if both are the same as in the previous
 * record.
 */
static bool set_source(struct json_encoder *json, const struct address *source, const char *sender)
{
    bool same = address_same_host(&json->source, source);
    if (same && address_port(&json->source) == address_port(source) && is_sender(json, sender))
        return true;
    if (!same)
        set_host(json, source);
    set_port(json, address_port(source), sender);
    json->source = *source;
    return false;
}

static void end_facts(struct json_encoder *json)
{
    struct output out = {
        .data = json->facts, .used = json->facts_before_listener, .capacity = sizeof json->facts};
    output_bytes(&out, json->listener, json->listener_size);
    if (json->long_name == NULL)
        output_literal(&out, END_OF_LINE);
    json->facts_size = out.used;
}

static void set_listener(struct json_encoder *json, const char *name)
{
    struct output out = {.data = json->listener, .capacity = sizeof json->listener};
    size_t length = strlen(name);
    json->long_name = length < NAME_SIZE ? NULL : name;
    if (json->long_name == NULL) {
        memcpy(json->listener_name, name, length + 1);
        json_string(&out, name, length);
    }
    json->listener_size = out.used;
}

static void set_facts(struct json_encoder *json, const struct listener *listener,
                      const struct record *record)
{
    time_text_update(&json->received, record->received_ns);
    memcpy(json->facts + FACTS_TIME, json->received.text, TIME_TEXT_SIZE);
    /*
     * Listeners are compared by name, because a later listener may have the same address in memory.
     */
    bool same_listener =
        json->long_name == NULL && strcmp(json->listener_name, listener->name) == 0;
    bool same_source =
        set_source(json, &record->source, record->sender == NULL ? "" : record->sender);
    if (!same_listener)
        set_listener(json, listener->name);
    if (!same_listener || !same_source)
        end_facts(json);
}

static inline void write_facts(const struct json_encoder *json, struct output *out)
{
    output_bytes(out, json->facts, json->facts_size);
    if (json->long_name == NULL)
        return;
    json_string(out, json->long_name, strlen(json->long_name));
    output_literal(out, END_OF_LINE);
}

/* --- one line for each sample ----------------------------------------------------------------- */

static void put_kind(struct output *out, const struct text *kind, const struct text *temporality)
{
    output_literal(out, ",\"kind\":\"");
    output_bytes(out, kind->data, kind->size);
    if (temporality->size != 0) {
        output_literal(out, "\",\"temporality\":\"");
        output_bytes(out, temporality->data, temporality->size);
    }
    output_literal(out, "\",\"value\":");
}

/* Writes the time. This part of a line has a constant size, so it is copied at once. */
static void write_time(struct output *out, const char *time)
{
    static const char before[] = {'{', '"', 't', 'i', 'm', 'e', '"', ':'};
    static const char after[] = {',', '"', 'n', 'a', 'm', 'e', '"', ':'};
    char *at = output_reserve(out, sizeof before + TIME_TEXT_SIZE + sizeof after);
    if (at == NULL)
        return;
    memcpy(at, before, sizeof before);
    memcpy(at + sizeof before, time, TIME_TEXT_SIZE);
    memcpy(at + sizeof before + TIME_TEXT_SIZE, after, sizeof after);
}

/* Write the part of a sample's line before the value, and the part after the value. */
static void write_before(const struct json_encoder *json, const struct sample *sample,
                         struct output *out)
{
    json_string_after(out, 0, sample->name.data, sample->name.size);
    sample_kinds_put(&json->kinds, sample, out);
}

static void write_after(struct sample_encoder *encoder, const struct record *record,
                        const struct sample *sample, struct output *out)
{
    if (sample->unit.size != 0) {
        output_literal(out, ",\"unit\"");
        json_string_after(out, ':', sample->unit.data, sample->unit.size);
    }
    output_literal(out, ",\"labels\":");
    json_labels_write(&encoder->labels, record, sample, NULL, out);
}

static void write_value(struct output *out, const struct record *record,
                        const struct sample *sample, struct arena *scratch)
{
    json_sample_value(out, record, sample, scratch);
    if (sample->start_time_ns != 0) {
        output_literal(out, ",\"start_time\":");
        json_time(out, sample->start_time_ns);
    }
}

/* Writes a sample from its name to its labels, and keeps the parts that do not change. */
static NEVER_INLINE void write_new(struct json_encoder *json, const struct record *record,
                                   const struct sample *sample, struct output *out)
{
    size_t begin = out->used;
    write_before(json, sample, out);
    size_t value = out->used;
    write_value(out, record, sample, &json->base.scratch);
    size_t after = out->used;
    write_after(&json->base, record, sample, out);
    if (!out->overflow)
        sample_encoder_keep(&json->base, (struct text){out->data + begin, value - begin},
                            (struct text){out->data + after, out->used - after});
}

static void write_parts(struct json_encoder *json, const struct record *record,
                        const struct sample *sample, struct output *out)
{
    const struct part_entry *known = sample_encoder_find(&json->base, record, sample, out);
    if (known == NULL) {
        write_new(json, record, sample, out);
        return;
    }
    output_bytes(out, part_entry_before(known), known->before_size);
    write_value(out, record, sample, &json->base.scratch);
    output_bytes(out, part_entry_after(known), known->after_size);
}

static size_t write_sample(struct sample_encoder *encoder, const struct record *record,
                           const struct sample *sample, struct output *out)
{
    struct json_encoder *json = (struct json_encoder *)encoder;
    const char *time = json->received.text;
    if (sample->time_ns != 0) {
        time_text_update(&json->sampled, sample->time_ns);
        time = json->sampled.text;
    }
    write_time(out, time);
    write_parts(json, record, sample, out);
    json_sample_exemplars(out, record, sample, &encoder->labels, ",\"exemplars\":");
    write_facts(json, out);
    return 1;
}

/*
 * Writes whether the sender's sampling selected the traces of the request. Only OTLP over UDP has
 * this information.
 */
static void write_sampling(const struct record *record, struct output *out)
{
    if (record->sampling == SAMPLING_NOT_GIVEN)
        return;
    json_key_literal(out, "sampled");
    json_bool(out, record->sampling == SAMPLING_SAMPLED);
}

/* --- one line for each item ------------------------------------------------------------------- */

static struct encoded encode_items(struct json_encoder *json, const struct record *record,
                                   struct output *out)
{
    const struct schema_ops *ops = record->schema->ops;
    struct schema_cursor cursor = {.scratch = &json->base.scratch};
    struct encoded encoded = {0};
    int64_t time_ns;
    while (!out->overflow && ops->next_item(record->schema, record->message, &cursor, &time_ns)) {
        const char *time = json->received.text;
        if (time_ns != 0) {
            time_text_update(&json->sampled, time_ns);
            time = json->sampled.text;
        }
        output_literal(out, "{\"time\":");
        output_bytes(out, time, TIME_TEXT_SIZE);
        ops->write_item(record->schema, record->message, &cursor, out);
        write_sampling(record, out);
        write_facts(json, out);
        encoded.lines++;
    }
    return encoded;
}

/* --- one line for each message ---------------------------------------------------------------- */

/* Begins a line with the facts. write_facts() ends a line with them. */
static void begin_with_facts(const struct json_encoder *json, struct output *out)
{
    size_t end = json->long_name == NULL ? sizeof END_OF_LINE - 1 : 0;
    output_char(out, '{');
    output_bytes(out, json->facts + 1, json->facts_size - 1 - end);
    if (json->long_name != NULL)
        json_string(out, json->long_name, strlen(json->long_name));
}

static struct encoded encode_message(struct json_encoder *json, const struct record *record,
                                     struct output *out)
{
    const struct schema_ops *ops = record->schema->ops;
    begin_with_facts(json, out);
    write_sampling(record, out);
    json_key_literal(out, "schema");
    json_string(out, record->schema->name, strlen(record->schema->name));
    json_key_literal(out, "bytes");
    json_uint64(out, record->size);
    json_key_literal(out, "message");
    size_t fallbacks = ops->write_json(record->schema, record->message, &json->options.json,
                                       &json->base.scratch, out);
    output_literal(out, END_OF_LINE);
    return (struct encoded){.lines = 1, .json_fallbacks = fallbacks};
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    struct json_encoder *json = (struct json_encoder *)encoder;
    sample_encoder_begin_record(&json->base);
    set_facts(json, listener, record);
    if (json->options.view == VIEW_RECORD && record->schema->ops->next_item != NULL)
        return encode_items(json, record, out);
    if (json->options.view == VIEW_MESSAGE || !record->schema->has_samples)
        return encode_message(json, record, out);
    return sample_encoder_write(&json->base, record, write_sample, out);
}

static enum output_line line(const uint8_t *bytes, size_t size)
{
    enum output_line sampled = line_mark(bytes, size, "{\"time\":\"" LINE_MARK_TIME "\",\"");
    return sampled != OUTPUT_LINE_FOREIGN
               ? sampled
               : line_mark(bytes, size, "{\"received\":\"" LINE_MARK_TIME "\",\"source\":\"");
}

static struct encoder *create(const struct encoder_options *options)
{
    struct json_encoder *json = sample_encoder_create(&encoder_json, sizeof *json, options);
    if (json == NULL)
        return NULL;
    json->options = *options;
    /* The initial facts. Each record changes only the parts that differ. */
    time_text_init(&json->received);
    time_text_init(&json->sampled);
    sample_kinds_make(&json->kinds, put_kind);
    set_listener(json, "");
    set_host(json, &json->source);
    set_port(json, address_port(&json->source), "");
    end_facts(json);
    return &json->base.encoder;
}

const struct encoder_ops encoder_json = {
    .name = "json",
    .has_json = true,
    .caches_parts = true,
    .media_type = "application/x-ndjson",
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .whole = whole_lines,
    .line = line,
};
