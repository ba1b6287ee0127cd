/*
 * json: one line of JSON (RFC 8259) a metric value, or a datagram with its message in the protobuf
 * JSON mapping. Whatever bytes come in, the lines are valid JSON and valid UTF-8, and no object has
 * the same key twice: see collector/text/json_writer.h for what becomes of ill-formed text.
 *
 * This is the hot path: per line it formats what is new and copies what repeats. What the lines of
 * a record share ("received", "source", "listener") is put together once, and of that only what
 * differs from the record before.
 */
#include <string.h>

#include "collector/text/json_writer.h"
#include "sinks/json_labels.h"
#include "sinks/json_sample.h"
#include "sinks/sample_encoder.h"
#include "sinks/sample_kind.h"
#include "sinks/sinks.h"
#include "sinks/time_text.h"
#include "sinks/whole_lines.h"

/* Names of listeners that are shorter than this are kept as they are written. */
#define NAME_SIZE        512
#define QUOTED_NAME_SIZE (6 * NAME_SIZE + 2) /* each byte as \u00xx, and the quotes */

struct json_encoder {
    struct sample_encoder base;
    struct encoder_options options;

    /* Of the record in hand. */
    struct time_text received;
    char origin[32 + ADDRESS_TEXT_SIZE + QUOTED_NAME_SIZE]; /* ,"source":...,"listener":... */
    size_t origin_size;
    struct address source;
    char listener_name[NAME_SIZE];
    char listener[QUOTED_NAME_SIZE]; /* the same in JSON */
    size_t listener_size;
    const char *long_name; /* instead, where it is too long to be kept; else NULL */

    struct time_text sampled; /* of the sample in hand */
};

/* --- what repeats ----------------------------------------------------------------------------- */

static void set_source(struct json_encoder *json, const struct address *source)
{
    char text[ADDRESS_TEXT_SIZE];
    struct output out = {.data = json->origin, .capacity = sizeof json->origin};
    json->source = *source;
    output_literal(&out, ",\"source\":\"");
    output_bytes(&out, text, address_format(source, text));
    output_literal(&out, "\",\"listener\":");
    output_bytes(&out, json->listener, json->listener_size);
    json->origin_size = out.used;
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

static bool same_address(const struct address *a, const struct address *b)
{
    return a->port == b->port && a->family == b->family && a->scope == b->scope &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static void set_facts(struct json_encoder *json, const struct listener *listener,
                      const struct record *record)
{
    time_text_update(&json->received, record->received_ns);
    /* By its name and not its address, which a later listener may have again. */
    bool same_listener =
        json->long_name == NULL && strcmp(json->listener_name, listener->name) == 0;
    if (!same_listener)
        set_listener(json, listener->name);
    if (!same_listener || !same_address(&json->source, &record->source))
        set_source(json, &record->source);
}

/* What follows "received": in every line. */
static void write_facts(const struct json_encoder *json, struct output *out)
{
    output_bytes(out, json->received.text, TIME_TEXT_SIZE);
    output_bytes(out, json->origin, json->origin_size);
    if (json->long_name != NULL)
        json_string(out, json->long_name, strlen(json->long_name));
}

/* --- one line a sample ------------------------------------------------------------------------ */

static void write_kind(struct output *out, const struct sample *sample)
{
    struct text kind = sample_kind_name(sample);
    struct text temporality = sample_temporality_name(sample);
    output_literal(out, ",\"kind\":\"");
    output_bytes(out, kind.data, kind.size);
    if (temporality.size != 0) {
        output_literal(out, "\",\"temporality\":\"");
        output_bytes(out, temporality.data, temporality.size);
    }
    output_char(out, '"');
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
    output_literal(out, "{\"time\":");
    output_bytes(out, time, TIME_TEXT_SIZE);
    output_literal(out, ",\"name\":");
    json_string(out, sample->name.data, sample->name.size);
    write_kind(out, sample);
    output_literal(out, ",\"value\":");
    json_sample_value(out, record, sample, &encoder->scratch);
    if (sample->start_time_ns != 0) {
        output_literal(out, ",\"start_time\":");
        json_time(out, sample->start_time_ns);
    }
    if (sample->unit.size != 0) {
        output_literal(out, ",\"unit\":");
        json_string(out, sample->unit.data, sample->unit.size);
    }
    output_literal(out, ",\"labels\":");
    json_labels_write(&encoder->labels, record, sample, NULL, out);
    json_sample_exemplars(out, record, sample, &encoder->labels, ",\"exemplars\":");
    output_literal(out, ",\"received\":");
    write_facts(json, out);
    output_literal(out, "}\n");
    return 1;
}

/* --- one line a message ----------------------------------------------------------------------- */

static struct encoded encode_message(struct json_encoder *json, const struct record *record,
                                     struct output *out)
{
    const struct schema_ops *ops = record->schema->ops;
    output_literal(out, "{\"received\":");
    write_facts(json, out);
    json_key_literal(out, "schema");
    json_string(out, record->schema->name, strlen(record->schema->name));
    json_key_literal(out, "bytes");
    json_uint64(out, record->size);
    json_key_literal(out, "message");
    size_t fallbacks = ops->write_json(record->schema, record->message, &json->options.json,
                                       &json->base.scratch, out);
    output_literal(out, "}\n");
    return (struct encoded){.lines = 1, .json_fallbacks = fallbacks};
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    struct json_encoder *json = (struct json_encoder *)encoder;
    sample_encoder_begin_record(&json->base);
    set_facts(json, listener, record);
    if (json->options.view == VIEW_MESSAGE || !record->schema->has_samples)
        return encode_message(json, record, out);
    return sample_encoder_write(&json->base, record, write_sample, out);
}

static struct encoder *create(const struct encoder_options *options)
{
    struct json_encoder *json = sample_encoder_create(&encoder_json, sizeof *json, options);
    if (json == NULL)
        return NULL;
    json->options = *options;
    /* The facts of no record; those of a record change what differs. */
    time_text_init(&json->received);
    time_text_init(&json->sampled);
    set_listener(json, "");
    set_source(json, &json->source);
    return &json->base.encoder;
}

const struct encoder_ops encoder_json = {
    .name = "json",
    .create = create,
    .destroy = sample_encoder_destroy,
    .encode = encode,
    .whole = whole_lines,
};
