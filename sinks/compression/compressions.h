/*
 * The compressions that are built in. Which ones there are is chosen when sluice is built
 * (SLUICE_ZSTD, SLUICE_ZLIB). To add one: a file that implements collector/contract/compression.h,
 * and its row in CMakeLists.txt, from which the table is written.
 */
#ifndef SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H
#define SLUICE_SINKS_COMPRESSION_COMPRESSIONS_H

#include "collector/contract/compression.h"

/* All of them, NULL at the end; none where sluice was built without. */
extern const struct compression_ops *const builtin_compressions[];

/* One file each, if they were built. */
extern const struct compression_ops compression_zstd;
extern const struct compression_ops compression_gzip;

#endif
