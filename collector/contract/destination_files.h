/*
 * A set of files that takes blocks of whole records. Each block is written completely or not at
 * all; the file set writes the head of a file itself. Only the sink's thread calls it.
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

/* The block that a record belongs to, and the steps before the record may be added. */
struct file_set_route {
    size_t block;
    bool taken; /* the block may have records of another file: the caller must write the block and
                 * then call take_over */
    bool later; /* the record's period is later than that of all earlier records: write all
                   blocks first, so that each sender's records are written in order of time */
};

struct file_set_ops {
    /* Selects the block of a record; opens no file. NULL if there is only one block. */
    struct file_set_route (*route)(struct destination *destination, const struct listener *listener,
                                   const struct record *record);

    /* Assigns the empty block to the file of the record that was routed last. */
    void (*take_over)(struct destination *destination, size_t block);

    /*
     * Writes a block of `size` (≥ 1) bytes, opening its file if needed. Returns WRITE_OK,
     * WRITE_FAILED if no byte of the block is in the file, or WRITE_CLOSED if no file can be opened
     * for this block, while other blocks can be written; it has logged why.
     */
    enum write_result (*write)(struct destination *destination, size_t block, const void *bytes,
                               size_t size, struct error *error);

    /*
     * Returns when tick must be called (monotonic nanoseconds), or INT64_MAX if not before the next
     * write.
     */
    int64_t (*due)(const struct destination *destination);

    /*
     * Returns true if files are due for rotation; the caller then writes the blocks and calls
     * rotate.
     */
    bool (*tick)(struct destination *destination);

    /*
     * Completes the files that are due, or all files if `all` is set. Blocks that are not written
     * yet go to the next files. If `empty` is set, all blocks are empty, so route may assign them
     * to other files.
     */
    void (*rotate)(struct destination *destination, bool all, bool empty);

    /* The last call before destroy: completes all open files. */
    void (*finish)(struct destination *destination);
};

#endif
