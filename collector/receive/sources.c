#include "collector/receive/sources.h"

#define SOURCE_ROW(name) &source_##name,

const struct source_ops *const builtin_sources[] = {
    BUILTIN_SOURCES(SOURCE_ROW) NULL,
};
