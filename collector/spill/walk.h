/*
 * Reads all incomplete blocks in a spill's folder, also the kept blocks, without changing anything
 * on the disk. One thread. A program that has the spill open is not disturbed.
 */
#ifndef SLUICE_COLLECTOR_SPILL_WALK_H
#define SLUICE_COLLECTOR_SPILL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/spill.h"

/* A block while it is visited. */
struct walked_block {
    const char *label; /* "": no label */
    const uint8_t *image;
    size_t size;
    uint32_t count; /* records */
    uint32_t layout;
    uint64_t position, number;
};

struct spill_walk {
    /*
     * Called for each sound block, oldest first. Returns false with `error` filled to end the walk.
     */
    bool (*visit)(void *context, const struct walked_block *block, struct error *error);
    void *context;

    uint64_t missing; /* filled: number of records that are missing or damaged */
    uint64_t strange; /* filled: files that are named like segments and belong to another spill */
};

/*
 * Visits the blocks. Returns 0, or -1 with `error` filled: by `visit`; EXIT_CODE_BAD_INPUT if the
 * folder does not exist or cannot be read; EXIT_CODE_INTERNAL if memory is short.
 */
int spill_walk(const char *folder, struct spill_walk *walk, struct error *error);

#endif
