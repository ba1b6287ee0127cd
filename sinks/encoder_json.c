/*
 * json: one line of JSON (RFC 8259) a metric value, or a datagram with its message in the protobuf
 * JSON mapping. Whatever bytes come in, the lines are valid JSON and valid UTF-8, and no object has
 * the same key twice: see collector/text/json_writer.h for what becomes of ill-formed text.
 *
 * This is the hot path: per line it formats what is new and copies what repeats. What the lines of
 * a record share ("received", "source", "listener") is put together once, and of that only what
 * differs from the record before.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/text/decimal.h"
#include "collector/text/json_writer.h"
#include "sinks/json_labels.h"
#include "sinks/json_sample.h"
#include "sinks/sinks.h"

#define TIME_SIZE 32 /* "YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ" with its quotes */

/* Names of listeners that are shorter than this are kept as they are written. */
#define NAME_SIZE        512
#define QUOTED_NAME_SIZE (6 * NAME_SIZE + 2) /* each byte as \u00xx, and the quotes */

/* A label's text that has to be made is at most six times as long as what was sent of it (control
 * characters, escaped): that of any datagram fits. */
_Static_assert(ENCODER_SCRATCH_SIZE >= 6 * 65536, "the labels of any datagram fit");

/* A time as text, kept because the next one is mostly of the same second. */
struct time_text {
    int64_t nanoseconds;
    int64_t second;
    char text[TIME_SIZE];
};

struct json_encoder {
    struct encoder encoder;
    struct encoder_options options;

    struct arena scratch; /* ENCODER_SCRATCH_SIZE bytes, emptied before each record */

    /* Of the record in hand. */
    struct time_text received;
    char origin[32 + ADDRESS_TEXT_SIZE + QUOTED_NAME_SIZE]; /* ,"source":...,"listener":... */
    size_t origin_size;
    struct address source;
    char listener_name[NAME_SIZE];
    char listener[QUOTED_NAME_SIZE]; /* the same in JSON */
    size_t listener_size;
    const char *long_name; /* instead, where it is too long to be kept; else NULL */

    /* Of the sample in hand. */
    struct time_text sampled;
    struct json_labels labels;
};

/* --- what repeats ----------------------------------------------------------------------------- */

static void time_set(struct time_text *time, int64_t nanoseconds, int64_t second)
{
    struct output out = {.data = time->text, .capacity = TIME_SIZE};
    json_time(&out, nanoseconds);
    time->nanoseconds = nanoseconds;
    time->second = second;
}

static void time_update(struct time_text *time, int64_t nanoseconds)
{
    if (nanoseconds == time->nanoseconds)
        return;
    int64_t second = nanoseconds / 1000000000;
    int64_t fraction = nanoseconds % 1000000000;
    if (fraction < 0) {
        fraction += 1000000000;
        second--;
    }
    if (second != time->second) {
        time_set(time, nanoseconds, second);
        return;
    }
    time->nanoseconds = nanoseconds;
    time->text[21] = (char)('0' + fraction / 100000000);
    decimal_put_8(time->text + 22, (uint32_t)(fraction % 100000000));
}

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
    time_update(&json->received, record->received_ns);
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
    output_bytes(out, json->received.text, TIME_SIZE);
    output_bytes(out, json->origin, json->origin_size);
    if (json->long_name != NULL)
        json_string(out, json->long_name, strlen(json->long_name));
}

/* --- one line a sample ------------------------------------------------------------------------ */

static void write_sample(struct json_encoder *json, const struct record *record,
                         const struct sample *sample, struct output *out)
{
    const char *time = json->received.text;
    if (sample->time_ns != 0) {
        time_update(&json->sampled, sample->time_ns);
        time = json->sampled.text;
    }
    output_literal(out, "{\"time\":");
    output_bytes(out, time, TIME_SIZE);
    output_literal(out, ",\"name\":");
    json_string(out, sample->name.data, sample->name.size);
    json_sample_kind(out, sample);
    json_sample_value(out, record, sample, &json->scratch);
    if (sample->start_time_ns != 0) {
        output_literal(out, ",\"start_time\":");
        json_time(out, sample->start_time_ns);
    }
    if (sample->unit.size != 0) {
        output_literal(out, ",\"unit\":");
        json_string(out, sample->unit.data, sample->unit.size);
    }
    output_literal(out, ",\"labels\":");
    json_labels_write(&json->labels, record, sample, NULL, out);
    json_sample_exemplars(out, record, sample, &json->labels);
    output_literal(out, ",\"received\":");
    write_facts(json, out);
    output_literal(out, "}\n");
}

static struct encoded encode_samples(struct json_encoder *json, const struct record *record,
                                     struct output *out)
{
    const struct schema_ops *ops = record->schema->ops;
    struct schema_cursor cursor = {.scratch = &json->scratch};
    struct sample sample;
    size_t lines = 0;
    json_labels_begin(&json->labels, &json->scratch);
    while (!out->overflow && ops->next_sample(record->schema, record->message, &cursor, &sample)) {
        write_sample(json, record, &sample, out);
        lines++;
    }
    return (struct encoded){.lines = lines, .samples = lines};
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
    size_t fallbacks =
        ops->write_json(record->schema, record->message, &json->options.json, &json->scratch, out);
    output_literal(out, "}\n");
    return (struct encoded){.lines = 1, .json_fallbacks = fallbacks};
}

/* --- the encoder ------------------------------------------------------------------------------ */

static struct encoded encode(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out)
{
    struct json_encoder *json = (struct json_encoder *)encoder;
    json->scratch.used = 0;
    json->scratch.exhausted = false;
    set_facts(json, listener, record);
    if (json->options.view == VIEW_MESSAGE || !record->schema->has_samples)
        return encode_message(json, record, out);
    return encode_samples(json, record, out);
}

static struct encoder *create(const struct encoder_options *options)
{
    struct json_encoder *json = calloc(1, sizeof *json);
    if (json == NULL)
        return NULL;
    json->scratch.base = malloc(ENCODER_SCRATCH_SIZE); /* pages that nothing needs stay untouched */
    json->scratch.capacity = ENCODER_SCRATCH_SIZE;
    if (json->scratch.base == NULL) {
        free(json);
        return NULL;
    }
    json->encoder.ops = &encoder_json;
    json->options = *options;
    /* The facts of no record; those of a record change what differs. */
    time_set(&json->received, 0, 0);
    time_set(&json->sampled, 0, 0);
    set_listener(json, "");
    set_source(json, &json->source);
    return &json->encoder;
}

static void destroy(struct encoder *encoder)
{
    struct json_encoder *json = (struct json_encoder *)encoder;
    free(json->scratch.base);
    free(json);
}

const struct encoder_ops encoder_json = {
    .name = "json",
    .create = create,
    .destroy = destroy,
    .encode = encode,
};
