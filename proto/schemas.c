#include "proto/schemas.h"

const struct schema_ops *const builtin_schemas[] = {
    &schema_telemetry,
    &schema_riemann,
    NULL,
};
