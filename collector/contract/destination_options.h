/* The arguments from which a destination is created, and the shape in which it takes records. */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_OPTIONS_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/sink_settings.h"
#include "collector/platform/file_system.h"
#include "collector/platform/wakeup.h"

struct sink_counters;

/* Arguments of create, shape and the checks. All pointers outlive the destination. */
struct destination_options {
    const char *name;   /* the sink's name, for the log */
    const char *scheme; /* the scheme in the sink's URL */
    const char *path;
    const struct sink_settings *settings;
    struct disk_reserve reserve; /* free space to leave on the disk, from --min-free */
    bool written;                /* only for `check`: true if another sink already writes the
                                  * file */
    size_t block_size;           /* delivery: maximum size of a block in bytes */
    uint64_t stall_timeout_ns;   /* nanoseconds in which a replaced reader must read the
                                    remaining bytes */

    /* The members below are set for create, but not for shape. */
    const char *head; /* the first bytes of each file */
    size_t head_size;
    struct sink_counters *counters;
    struct wakeup *wakeup; /* wakes the sink's thread; any thread may signal this */
};

/* Returns the nanoseconds between two fsync calls with SYNC_INTERVAL. */
static inline int64_t file_sync_interval(const struct destination_options *options)
{
    const uint64_t second = 1000000000;
    uint64_t interval = options->settings->flush_interval;
    return (int64_t)(interval > second ? interval : second);
}

/* The shape in which a destination takes records. */
struct destination_shape {
    size_t blocks;     /* file set: number of files that are filled at the same time; 0: not a
                          file set */
    size_t block_size; /* file set: maximum number of bytes collected for a file; a larger record
                          exceeds it */
    size_t chunks;     /* file set of several blocks: number of pieces of memory that the blocks
                          share */
    size_t chunk_size; /* size of each of these pieces in bytes, at most block_size */
    bool arranged;     /* file set: each block is arranged and becomes a file of its own */
    size_t memory;     /* bytes that the destination and its library allocate, without the blocks */
};

#endif
