/*
 * The schema `riemann`: a datagram contains a Msg of Riemann. Each event with a metric is one
 * sample: a gauge with the event's service as its name. Its labels are the event's host, state,
 * tags (joined by commas) and attributes.
 */
#include <string.h>

#include "proto/generated/riemann.pb-c.h"
#include "proto/message_schema.h"
#include "proto/sample_time.h"
#include "proto/schemas.h"

typedef Sluice__Riemann__Msg Msg;
typedef Sluice__Riemann__Event Event;

/* The decoded Msg, and the joined tags, which it does not contain. */
struct riemann_message {
    const Msg *msg;
    const struct text *tags; /* of each event; NULL if no event has tags */
};

extern const unsigned char riemann_set[];
extern const size_t riemann_set_size;
extern const unsigned char riemann_proto[];
extern const size_t riemann_proto_size;

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    (void)options; /* a built-in schema has no options except its name */
    static const struct compiled_proto from = {riemann_set, &riemann_set_size,
                                               &sluice__riemann__msg__descriptor, NULL, 0};
    return message_schema_create(&schema_riemann, &from, out, error);
}

static bool join_tags(const Event *event, struct arena *arena, struct text *joined)
{
    size_t size = event->n_tags - 1;
    for (size_t i = 0; i < event->n_tags; i++)
        size += event->tags[i].len;
    char *at = arena_allocate(arena, size);
    if (at == NULL)
        return false;
    *joined = (struct text){at, size};
    for (size_t i = 0; i < event->n_tags; i++) {
        if (i != 0)
            *at++ = ',';
        if (event->tags[i].len != 0)
            memcpy(at, event->tags[i].data, event->tags[i].len);
        at += event->tags[i].len;
    }
    return true;
}

static bool join_all_tags(const Msg *msg, struct arena *arena, struct riemann_message *message)
{
    size_t tagged = 0;
    for (size_t i = 0; i < msg->n_events; i++)
        tagged += msg->events[i]->n_tags != 0;
    if (tagged == 0)
        return true;
    struct text *joined = arena_allocate(arena, msg->n_events * sizeof *joined);
    if (joined == NULL)
        return false;
    for (size_t i = 0; i < msg->n_events; i++)
        if (msg->events[i]->n_tags != 0 && !join_tags(msg->events[i], arena, &joined[i]))
            return false;
    message->tags = joined;
    return true;
}

static enum decode_result decode(const struct schema *schema, const uint8_t *data, size_t size,
                                 struct arena *arena, struct decoded *out)
{
    size_t start = arena->used;
    struct riemann_message *message = arena_allocate(arena, sizeof *message);
    if (message == NULL)
        return decoded_no_room(out);
    enum decode_result result = message_schema_decode(schema, data, size, arena, out);
    if (result == DECODE_OK) {
        *message = (struct riemann_message){.msg = out->message};
        if (!join_all_tags(out->message, arena, message))
            result = decoded_no_room(out);
    }
    if (result == DECODE_OK)
        out->message = message;
    else
        arena->used = start;
    return result;
}

/* If several metrics are set, the first one counts, in Riemann's order: integer, double, float. */
static bool read_metric(const Event *event, struct sample *sample)
{
    if (event->has_metric_sint64) {
        sample->type = SAMPLE_INT64;
        sample->value.int64 = event->metric_sint64;
    } else if (event->has_metric_d) {
        sample->type = SAMPLE_DOUBLE;
        sample->value.number = event->metric_d;
    } else if (event->has_metric_f) {
        sample->type = SAMPLE_FLOAT;
        sample->value.number = event->metric_f;
    } else {
        return false;
    }
    return true;
}

static int64_t read_time(const Event *event)
{
    if (event->has_time_micros)
        return sample_time_in_units(event->time_micros, 1000);
    if (event->has_time)
        return sample_time_in_units(event->time, 1000000000);
    return 0;
}

static bool next_sample(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample)
{
    (void)schema;
    const Msg *msg = ((const struct riemann_message *)message)->msg;
    while (cursor->index < msg->n_events) {
        size_t index = cursor->index++;
        const Event *event = msg->events[index];
        *sample = (struct sample){.kind = SAMPLE_GAUGE, .index = index};
        if (!read_metric(event, sample))
            continue;
        if (event->has_service)
            sample->name = text_of(event->service);
        sample->time_ns = read_time(event);
        return true;
    }
    return false;
}

enum label_stage { LABEL_HOST, LABEL_STATE, LABEL_TAGS, LABEL_ATTRIBUTES };

static bool set_label(struct label *label, const char *key, size_t key_size, struct text value)
{
    label->key = (struct text){key, key_size};
    label->value = value;
    return true;
}

static bool next_label(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label)
{
    (void)schema;
    const struct riemann_message *riemann = message;
    const Event *event = riemann->msg->events[sample->index];
    if (cursor->stage == LABEL_HOST) {
        cursor->stage = LABEL_STATE;
        if (event->has_host)
            return set_label(label, "host", 4, text_of(event->host));
    }
    if (cursor->stage == LABEL_STATE) {
        cursor->stage = LABEL_TAGS;
        if (event->has_state)
            return set_label(label, "state", 5, text_of(event->state));
    }
    if (cursor->stage == LABEL_TAGS) {
        cursor->stage = LABEL_ATTRIBUTES;
        if (event->n_tags != 0)
            return set_label(label, "tags", 4, riemann->tags[sample->index]);
    }
    if (cursor->index == event->n_attributes)
        return false;
    const Sluice__Riemann__Attribute *attribute = event->attributes[cursor->index++];
    label->key = text_of(attribute->key);
    label->value = attribute->has_value ? text_of(attribute->value) : (struct text){"", 0};
    return true;
}

static size_t write_json(const struct schema *schema, const void *message,
                         const struct json_style *style, struct arena *scratch, struct output *out)
{
    return message_schema_write_json(schema, ((const struct riemann_message *)message)->msg, style,
                                     scratch, out);
}

static struct schema_fields count_fields(const struct schema *schema, const void *message)
{
    return message_schema_count_fields(schema, ((const struct riemann_message *)message)->msg);
}

static void write_protobuf(const struct schema *schema, const void *message, struct output *out)
{
    message_schema_write_protobuf(schema, ((const struct riemann_message *)message)->msg, out);
}

/* --- answers, like those of Riemann's server over TCP ----------------------------------------- */

#define TAG_OK    0x10 /* field 2, a varint */
#define TAG_ERROR 0x1a /* field 3, a string */

/* The text is shorter than 128 bytes, so its length takes one byte. */
static size_t riemann_refuse(const char *why, uint8_t *to)
{
    size_t size = strlen(why);
    if (size > SCHEMA_ANSWER_MOST - 4)
        size = SCHEMA_ANSWER_MOST - 4;
    to[0] = TAG_OK;
    to[1] = false;
    to[2] = TAG_ERROR;
    to[3] = (uint8_t)size;
    memcpy(to + 4, why, size);
    return 4 + size;
}

static size_t answer(const void *message, const char *why, uint8_t *to)
{
    const struct riemann_message *riemann = message;
    if (riemann == NULL)
        return riemann_refuse(why, to);
    if (riemann->msg->query != NULL)
        return riemann_refuse("queries are not served", to);
    to[0] = TAG_OK;
    to[1] = true;
    return 2;
}

const struct schema_ops schema_riemann = {
    .name = "riemann",
    .accepts_empty = true,
    .proto = riemann_proto,
    .proto_size = &riemann_proto_size,
    .create = create,
    .destroy = message_schema_destroy,
    .decode = decode,
    .next_sample = next_sample,
    .next_label = next_label,
    .write_json = write_json,
    .count_fields = count_fields,
    .write_protobuf = write_protobuf,
    .stream_framing = FRAMING_LENGTH32,
    .answer = answer,
};
