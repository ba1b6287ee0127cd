#include "collector/program/registry.h"

#include "collector/platform/control.h"
#include "collector/platform/process.h"
#include "collector/receive/sources.h"
#include "proto/schemas.h"
#include "sinks/compression/compressions.h"
#include "sinks/sinks.h"

const struct config_registry program_registry = {
    .sources = builtin_sources,
    .schemas = builtin_schemas,
    .schema_from_file = &schema_file,
    .destinations = builtin_destinations,
    .encoders = builtin_encoders,
    .compressions = builtin_compressions,
    .notifiers = notifier_backends,
    .output = terminal_of_output,
    .local_syntax = control_socket_syntax,
};
