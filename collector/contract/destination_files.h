/*
 * A destination of files that takes blocks of whole records: each is written whole or not at all,
 * and what a file begins with it writes itself. Only the sink's thread calls it.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_FILES_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/output_file.h"

struct destination;
struct listener;
struct record;

/* Which block a record belongs to. */
struct file_set_route {
    size_t block;
    bool taken; /* it is another file's: write what it holds, then take_over */
    bool later; /* its time is later than that of any before: write all blocks first, so that of no
                   sender what came later is written while what came before is not */
};

struct file_set_ops {
    /* NULL: there is one block. Files are only opened when a block is written. */
    struct file_set_route (*route)(struct destination *destination, const struct listener *listener,
                                   const struct record *record);

    /* Gives the empty block to the file of the record that was routed last. */
    void (*take_over)(struct destination *destination, size_t block);

    /* Writes a block of `size` (≥ 1) bytes. Returns WRITE_OK, or WRITE_FAILED: none of it. */
    enum write_result (*write)(struct destination *destination, size_t block, const void *bytes,
                               size_t size, struct error *error);

    /* When tick is to be called (monotonic), INT64_MAX: not before something is written. */
    int64_t (*due)(const struct destination *destination);

    /* Returns whether files are due for rotation: then blocks are written, and rotate called. */
    bool (*tick)(struct destination *destination);

    /*
     * Completes the files that are due, or all. What is in blocks goes to the next ones; where all
     * blocks are `empty`, other files may have them.
     */
    void (*rotate)(struct destination *destination, bool all, bool empty);

    /* Last of all: completes the files that there are. */
    void (*finish)(struct destination *destination);
};

#endif
