/*
 * The built-in compressions, selected when sluice is built (SLUICE_ZSTD, SLUICE_ZLIB). To add a
 * compression, write a file that implements collector/contract/compression.h, and add a row to
 * CMakeLists.txt, from which the table is generated.
 */
#ifndef SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H
#define SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H

#include "collector/contract/compression.h"

/* The built-in compressions, with NULL after the last. The table may be empty. */
extern const struct compression_ops *const builtin_compressions[];

/* Each is defined only if its library was selected for the build. */
extern const struct compression_ops compression_zstd;
extern const struct compression_ops compression_gzip;

#endif
