/*
 * Reads all blocks in a spill's folder that are not acknowledged, also the kept ones, without
 * changing the disk. A program that has the spill open is not disturbed. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_WALK_H
#define SLUICE_COLLECTOR_SPILL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/spill/spill.h"

/* Valid during the call of `visit`. */
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
     * Called for each undamaged block, oldest first. Returns false with `error` filled to end the
     * walk.
     */
    bool (*visit)(void *context, const struct walked_block *block, struct error *error);
    void *context;

    uint64_t missing; /* result: number of records that are missing or damaged */
    uint64_t strange; /* result: files that are named like segments and belong to another spill */
};

/*
 * Visits the blocks. Returns 0, or -1 with `error` filled: by `visit`, or with EXIT_CODE_BAD_INPUT
 * if the folder does not exist or cannot be read, or EXIT_CODE_INTERNAL if memory is short.
 */
int spill_walk(const char *folder, struct spill_walk *walk, struct error *error);

#endif
