#include "collector/contract/broker_options.h"

#include <stddef.h>

const char *const broker_compression_names[] = {
    [BROKER_COMPRESSION_NONE] = "none",     [BROKER_COMPRESSION_GZIP] = "gzip",
    [BROKER_COMPRESSION_SNAPPY] = "snappy", [BROKER_COMPRESSION_LZ4] = "lz4",
    [BROKER_COMPRESSION_ZSTD] = "zstd",     NULL,
};

const char *const message_header_names[] = {"schema", "listener", "collector", "number", NULL};
