/*
 * The built-in schemas, in the order in which they are listed for users. To add one: NAME.proto,
 * schema_NAME.c, which implements collector/contract/schema.h, a row here, and its name in
 * CMakeLists.txt.
 */
#ifndef SLUICE_PROTO_SCHEMAS_H
#define SLUICE_PROTO_SCHEMAS_H

#include "collector/contract/schema.h"

/* ROW(NAME) means schema_NAME. */
#define BUILTIN_SCHEMAS(ROW)                                                                       \
    ROW(telemetry)                                                                                 \
    ROW(riemann)                                                                                   \
    ROW(otlp)                                                                                      \
    ROW(otlp_logs)                                                                                 \
    ROW(otlp_traces)

#define DECLARE_SCHEMA(name) extern const struct schema_ops schema_##name;
BUILTIN_SCHEMAS(DECLARE_SCHEMA)
#undef DECLARE_SCHEMA

/* All of them; ends with NULL. */
extern const struct schema_ops *const builtin_schemas[];

/* Not in the list: the schema of a file, named by its options. */
extern const struct schema_ops schema_file;

#endif
