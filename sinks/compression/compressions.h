/*
 * The built-in compressions, selected when sluice is built (SLUICE_ZSTD, SLUICE_ZLIB). To add a
 * compression, write a file that implements collector/contract/compression.h, and add a row to
 * CMakeLists.txt, from which the table is generated.
 */
#ifndef SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H
#define SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H

#include "collector/contract/compression.h"

/* The table of built-in compressions. It ends with NULL, and may have no other entry. */
extern const struct compression_ops *const builtin_compressions[];

/* Each compression is defined in a file of its own, if that file was built. */
extern const struct compression_ops compression_zstd;
extern const struct compression_ops compression_gzip;

#endif
