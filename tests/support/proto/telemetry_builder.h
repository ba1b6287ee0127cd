/*
 * Builds telemetry datagrams for tests with protobuf-c's own code: the test adds samples and labels
 * one by one, then packs the message. Texts are not copied and must stay valid. A zero-initialised
 * builder is empty.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_TELEMETRY_BUILDER_H
#define SLUICE_TESTS_SUPPORT_PROTO_TELEMETRY_BUILDER_H

#include "proto/generated/telemetry.pb-c.h"

#define TELEMETRY_MAX_SAMPLES 16
#define TELEMETRY_MAX_LABELS  8192

struct telemetry_builder {
    Sluice__Telemetry__Telemetry telemetry;
    Sluice__Telemetry__Sample samples[TELEMETRY_MAX_SAMPLES];
    Sluice__Telemetry__Sample *sample_list[TELEMETRY_MAX_SAMPLES];
    Sluice__Telemetry__Label labels[TELEMETRY_MAX_LABELS];
    Sluice__Telemetry__Label *label_list[TELEMETRY_MAX_LABELS];
    size_t label_count;
    uint8_t datagram[256 * 1024];
    size_t size;
};

ProtobufCBinaryData telemetry_text(const char *text);

void telemetry_begin(struct telemetry_builder *builder);

/* Adds a sample without a value. The test sets its fields. */
Sluice__Telemetry__Sample *telemetry_add_sample(struct telemetry_builder *builder,
                                                const char *name);
Sluice__Telemetry__Sample *telemetry_add_double(struct telemetry_builder *builder, const char *name,
                                                double value);

/* Adds a label to the last sample, or to the datagram if it has no sample yet. */
void telemetry_add_label(struct telemetry_builder *builder, const char *key, const char *value);

/* Packs the message into `datagram`. */
void telemetry_end(struct telemetry_builder *builder);

#endif
