/*
 * The built-in schemas, in the order in which users see them. To add a schema: write NAME.proto and
 * schema_NAME.c, which implements collector/contract/schema.h; add a row here, and the name in
 * CMakeLists.txt.
 */
#ifndef SLUICE_PROTO_SCHEMAS_H
#define SLUICE_PROTO_SCHEMAS_H

#include "collector/contract/schema.h"

/* ROW(NAME) stands for the variable schema_NAME. */
#define BUILTIN_SCHEMAS(ROW)                                                                       \
    ROW(telemetry)                                                                                 \
    ROW(riemann)                                                                                   \
    ROW(otlp)                                                                                      \
    ROW(otlp_logs)                                                                                 \
    ROW(otlp_traces)

#define DECLARE_SCHEMA(name) extern const struct schema_ops schema_##name;
BUILTIN_SCHEMAS(DECLARE_SCHEMA)
#undef DECLARE_SCHEMA

/* The built-in schemas; ends with NULL. */
extern const struct schema_ops *const builtin_schemas[];

/* A schema from a file that the user names. It is not in the list. */
extern const struct schema_ops schema_file;

/*
 * Returns the message type of a schema from a file. If the type depends on a text in the message,
 * returns the type for texts that are not listed.
 */
struct message_type;
const struct message_type *schema_file_type(const struct schema *schema);

#endif
