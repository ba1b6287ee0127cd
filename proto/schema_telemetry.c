/* Implements Sluice's own schema, `telemetry` (proto/telemetry.proto). */
#include "proto/generated/telemetry.pb-c.h"
#include "proto/message_schema.h"
#include "proto/sample_time.h"
#include "proto/schemas.h"

typedef Sluice__Telemetry__Telemetry Telemetry;
typedef Sluice__Telemetry__Sample Sample;
typedef Sluice__Telemetry__Histogram Histogram;
typedef Sluice__Telemetry__Label Label;

extern const unsigned char telemetry_set[];
extern const size_t telemetry_set_size;
extern const unsigned char telemetry_proto[];
extern const size_t telemetry_proto_size;

static int create(const struct schema_options *options, struct schema **out, struct error *error)
{
    (void)options; /* a built-in schema has no options except its name */
    static const struct compiled_proto from = {telemetry_set, &telemetry_set_size,
                                               &sluice__telemetry__telemetry__descriptor, NULL, 0};
    return message_schema_create(&schema_telemetry, &from, out, error);
}

static void read_histogram(const Histogram *from, struct sample_histogram *to)
{
    to->totals.count = from->count;
    to->totals.has_sum = true;
    to->totals.sum = from->sum;
    to->totals.has_min = from->has_min_case == SLUICE__TELEMETRY__HISTOGRAM__HAS_MIN_MIN;
    to->totals.has_max = from->has_max_case == SLUICE__TELEMETRY__HISTOGRAM__HAS_MAX_MAX;
    to->totals.min = to->totals.has_min ? from->min : 0;
    to->totals.max = to->totals.has_max ? from->max : 0;
    to->bounds = from->bounds;
    to->bound_count = from->n_bounds;
    to->counts = from->counts;
    to->count_count = from->n_counts;
}

static bool read_value(const Sample *from, struct sample *to)
{
    switch (from->value_case) {
    case SLUICE__TELEMETRY__SAMPLE__VALUE_DOUBLE_VALUE:
        to->type = SAMPLE_DOUBLE;
        to->value.number = from->double_value;
        return true;
    case SLUICE__TELEMETRY__SAMPLE__VALUE_INT_VALUE:
        to->type = SAMPLE_INT64;
        to->value.int64 = from->int_value;
        return true;
    case SLUICE__TELEMETRY__SAMPLE__VALUE_UINT_VALUE:
        to->type = SAMPLE_UINT64;
        to->value.uint64 = from->uint_value;
        return true;
    case SLUICE__TELEMETRY__SAMPLE__VALUE_HISTOGRAM_VALUE:
        to->type = SAMPLE_HISTOGRAM;
        read_histogram(from->histogram_value, &to->value.histogram);
        return true;
    default:
        return false;
    }
}

/* Kinds of a newer .proto file count as gauges. */
static void read_kind(const Sample *from, struct sample *to)
{
    switch (from->kind) {
    case SLUICE__TELEMETRY__KIND__CUMULATIVE_COUNTER:
        to->kind = SAMPLE_COUNTER;
        to->temporality = SAMPLE_CUMULATIVE;
        break;
    case SLUICE__TELEMETRY__KIND__DELTA_COUNTER:
        to->kind = SAMPLE_COUNTER;
        to->temporality = SAMPLE_DELTA;
        break;
    default:
        to->kind = SAMPLE_GAUGE;
        to->temporality = SAMPLE_NO_TEMPORALITY;
        break;
    }
}

/*
 * Does not clear the members of sample->value that other types use: that would take longer than the
 * rest of this function.
 */
static bool next_sample(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample)
{
    (void)schema;
    const Telemetry *telemetry = message;
    while (cursor->index < telemetry->n_samples) {
        size_t index = cursor->index++;
        const Sample *from = telemetry->samples[index];
        if (!read_value(from, sample))
            continue;
        sample->index = index;
        sample->name = text_of(from->name);
        read_kind(from, sample);
        sample->unit = text_of(from->unit);
        sample->description = (struct text){"", 0};
        sample->missing = false;
        sample->time_ns = sample_time_unsigned(
            from->time_unix_nano != 0 ? from->time_unix_nano : telemetry->time_unix_nano);
        sample->start_time_ns = sample_time_unsigned(from->start_time_unix_nano);
        return true;
    }
    return false;
}

enum label_stage { LABEL_OWN, LABEL_SHARED };

/* A sample's own labels come first: of equal keys, the first counts. */
static bool next_label(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label)
{
    (void)schema;
    const Telemetry *telemetry = message;
    const Sample *from = telemetry->samples[sample->index];
    if (cursor->stage == LABEL_OWN && cursor->index == from->n_labels) {
        cursor->stage = LABEL_SHARED;
        cursor->index = 0;
    }
    const Label *next;
    if (cursor->stage == LABEL_OWN) {
        next = from->labels[cursor->index];
    } else if (cursor->index < telemetry->n_labels) {
        next = telemetry->labels[cursor->index];
        label->shared = telemetry;
    } else {
        return false;
    }
    cursor->index++;
    label->key = text_of(next->key);
    label->value = text_of(next->value);
    return true;
}

/*
 * Sets *bytes to the bytes from the length of the first key to the end of the last value. Returns
 * false if these do not determine the labels, because there are other bytes between the texts. Two
 * bytes are between a key and its value (the value's tag and length), and four between a value and
 * the next key (two tags and two lengths).
 */
static bool label_bytes(const void *message, const struct sample *sample, struct text *bytes)
{
    const Telemetry *telemetry = message;
    const Sample *from = sample == NULL ? NULL : telemetry->samples[sample->index];
    Label *const *labels = from == NULL ? telemetry->labels : from->labels;
    size_t count = from == NULL ? telemetry->n_labels : from->n_labels;
    *bytes = (struct text){"", 0};
    if (count == 0)
        return true;
    const uint8_t *first = labels[0]->key.data;
    if (labels[0]->key.len == 0 || first[-1] != labels[0]->key.len)
        return false;
    uintptr_t end = (uintptr_t)first - 4;
    for (size_t i = 0; i < count; i++) {
        const Label *label = labels[i];
        uintptr_t key = (uintptr_t)label->key.data;
        uintptr_t value = (uintptr_t)label->value.data;
        if (key - end != 4 || value - key != label->key.len + 2)
            return false;
        end = value + label->value.len;
    }
    *bytes = (struct text){(const char *)first - 1, (size_t)(end - (uintptr_t)first + 1)};
    return true;
}

static bool sequence(const struct schema *schema, const void *message,
                     struct datagram_sequence *out)
{
    (void)schema;
    const Telemetry *telemetry = message;
    out->sender = text_of(telemetry->sender_id);
    out->boot_id = telemetry->boot_id;
    out->number = telemetry->sequence;
    return telemetry->sequence != 0;
}

static struct text sender_id(const struct schema *schema, const void *message)
{
    (void)schema;
    const Telemetry *telemetry = message;
    return text_of(telemetry->sender_id);
}

const struct schema_ops schema_telemetry = {
    .name = "telemetry",
    .accepts_empty = false,
    .proto = telemetry_proto,
    .proto_size = &telemetry_proto_size,
    .create = create,
    .destroy = message_schema_destroy,
    .decode = message_schema_decode,
    .next_sample = next_sample,
    .next_label = next_label,
    .label_bytes = label_bytes,
    .write_json = message_schema_write_json,
    .count_fields = message_schema_count_fields,
    .write_protobuf = message_schema_write_protobuf,
    .sequence = sequence,
    .sender_id = sender_id,
};
