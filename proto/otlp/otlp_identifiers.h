/*
 * The fields of OTLP that identify a trace or a span. OTLP's JSON has them in hexadecimal, unlike
 * other bytes (OpenTelemetry Protocol Specification, "JSON Protobuf Encoding").
 */
#ifndef SLUICE_PROTO_OTLP_OTLP_IDENTIFIERS_H
#define SLUICE_PROTO_OTLP_OTLP_IDENTIFIERS_H

#include "proto/types/type_set.h"

#define OTLP_IDENTIFIERS 9

/* For all OTLP schemas, as input of type_set_load_changed. */
extern const struct field_change otlp_identifiers[OTLP_IDENTIFIERS];

#endif
