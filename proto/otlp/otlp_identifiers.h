/*
 * Lists the fields of OTLP that identify a trace or a span. They are hexadecimal in OTLP's JSON,
 * and other bytes are base64 (OpenTelemetry Protocol Specification, "JSON Protobuf Encoding").
 */
#ifndef SLUICE_PROTO_OTLP_OTLP_IDENTIFIERS_H
#define SLUICE_PROTO_OTLP_OTLP_IDENTIFIERS_H

#include "proto/types/type_set.h"

#define OTLP_IDENTIFIERS 9

/* Changes for type_set_load_changed that make these fields hexadecimal in all OTLP schemas. */
extern const struct field_change otlp_identifiers[OTLP_IDENTIFIERS];

#endif
