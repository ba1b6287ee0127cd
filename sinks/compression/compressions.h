/*
 * The built-in compressions, selected when sluice is built (SLUICE_ZSTD, SLUICE_ZLIB). To add one:
 * a file that implements collector/contract/compression.h, and its row in CMakeLists.txt, from
 * which the table is generated.
 */
#ifndef SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H
#define SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H

#include "collector/contract/compression.h"

/* All of them; ends with NULL, and may be empty. */
extern const struct compression_ops *const builtin_compressions[];

/* Each is in its own file, if it was built. */
extern const struct compression_ops compression_zstd;
extern const struct compression_ops compression_gzip;

#endif
