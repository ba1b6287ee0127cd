/*
 * The built-in schemas, in the order in which they are listed to users. To add one: NAME.proto,
 * schema_NAME.c, which implements collector/contract/schema.h, a row here, and its name in
 * CMakeLists.txt.
 */
#ifndef SLUICE_PROTO_SCHEMAS_H
#define SLUICE_PROTO_SCHEMAS_H

#include "collector/contract/schema.h"

/* ROW(NAME) stands for schema_NAME. */
#define BUILTIN_SCHEMAS(ROW)                                                                       \
    ROW(telemetry)                                                                                 \
    ROW(riemann)                                                                                   \
    ROW(otlp)                                                                                      \
    ROW(otlp_logs)                                                                                 \
    ROW(otlp_traces)

#define DECLARE_SCHEMA(name) extern const struct schema_ops schema_##name;
BUILTIN_SCHEMAS(DECLARE_SCHEMA)
#undef DECLARE_SCHEMA

/* All of them, NULL at the end. */
extern const struct schema_ops *const builtin_schemas[];

/* Not in the list: what a file says, which its options name. */
extern const struct schema_ops schema_file;

#endif
