#include "proto/schemas.h"

const struct schema_ops *const builtin_schemas[] = {
    &schema_telemetry, &schema_riemann, &schema_otlp, &schema_otlp_logs, &schema_otlp_traces, NULL,
};
