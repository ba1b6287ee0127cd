#include "tests/support/proto/telemetry_builder.h"

#include "tests/support/test.h"

#include <string.h>

ProtobufCBinaryData telemetry_text(const char *text)
{
    /* The message needs a pointer that is not const. Packing does not write through it. */
    union {
        const char *from;
        uint8_t *to;
    } pointer = {.from = text};
    return (ProtobufCBinaryData){.len = strlen(text), .data = pointer.to};
}

void telemetry_begin(struct telemetry_builder *builder)
{
    sluice__telemetry__telemetry__init(&builder->telemetry);
    builder->telemetry.samples = builder->sample_list;
    builder->label_count = 0;
}

Sluice__Telemetry__Sample *telemetry_add_sample(struct telemetry_builder *builder, const char *name)
{
    size_t at = builder->telemetry.n_samples++;
    assert_in_range(at, 0, TELEMETRY_MAX_SAMPLES - 1);
    Sluice__Telemetry__Sample *sample = &builder->samples[at];
    sluice__telemetry__sample__init(sample);
    sample->name = telemetry_text(name);
    builder->sample_list[at] = sample;
    return sample;
}

Sluice__Telemetry__Sample *telemetry_add_double(struct telemetry_builder *builder, const char *name,
                                                double value)
{
    Sluice__Telemetry__Sample *sample = telemetry_add_sample(builder, name);
    sample->value_case = SLUICE__TELEMETRY__SAMPLE__VALUE_DOUBLE_VALUE;
    sample->double_value = value;
    return sample;
}

void telemetry_add_label(struct telemetry_builder *builder, const char *key, const char *value)
{
    size_t at = builder->label_count++;
    assert_in_range(at, 0, TELEMETRY_MAX_LABELS - 1);
    sluice__telemetry__label__init(&builder->labels[at]);
    builder->labels[at].key = telemetry_text(key);
    builder->labels[at].value = telemetry_text(value);
    builder->label_list[at] = &builder->labels[at];
    size_t samples = builder->telemetry.n_samples;
    Sluice__Telemetry__Label ***list = &builder->telemetry.labels;
    size_t *count = &builder->telemetry.n_labels;
    if (samples != 0) {
        list = &builder->samples[samples - 1].labels;
        count = &builder->samples[samples - 1].n_labels;
    }
    if (*count == 0)
        *list = &builder->label_list[at];
    ++*count;
}

void telemetry_end(struct telemetry_builder *builder)
{
    builder->size = sluice__telemetry__telemetry__get_packed_size(&builder->telemetry);
    assert_in_range(builder->size, 0, sizeof builder->datagram);
    sluice__telemetry__telemetry__pack(&builder->telemetry, builder->datagram);
}
