/*
 * The built-in schemas. To add one: its .proto file, a file that implements
 * collector/contract/schema.h, a row in schemas.c, and a line each in CMakeLists.txt.
 */
#ifndef SLUICE_PROTO_SCHEMAS_H
#define SLUICE_PROTO_SCHEMAS_H

#include "collector/contract/schema.h"

/* All of them, NULL at the end. */
extern const struct schema_ops *const builtin_schemas[];

/* One file each. */
extern const struct schema_ops schema_telemetry;
extern const struct schema_ops schema_riemann;
extern const struct schema_ops schema_otlp;
extern const struct schema_ops schema_otlp_logs;
extern const struct schema_ops schema_otlp_traces;

/* Not in the list: what a file says, which its options name. */
extern const struct schema_ops schema_file;

#endif
