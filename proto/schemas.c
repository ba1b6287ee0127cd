#include "proto/schemas.h"

#define SCHEMA_ROW(name) &schema_##name,

const struct schema_ops *const builtin_schemas[] = {
    BUILTIN_SCHEMAS(SCHEMA_ROW) NULL,
};
