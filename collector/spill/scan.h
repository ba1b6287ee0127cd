/*
 * Scans files of a spill's folder for blocks. An open or a read that fails is tried again, because
 * the failure may be temporary. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_SCAN_H
#define SLUICE_COLLECTOR_SPILL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/spill/segments.h"

struct scan {
    bool is_readable;        /* the file could be opened */
    bool is_read;            /* all of the scanned part could be read */
    bool has_head;           /* a whole block begins at the beginning of the file */
    bool has_block;          /* the file has a whole block */
    struct block_head first; /* the first whole block */
    struct block_head last;  /* the last whole block that was looked for */
    uint64_t end;            /* where `last` ends in the file */
    /* The block after `last`, which the end of the file cuts; count 0: there is none. */
    struct block_head torn;
};

/*
 * Scans the beginning of a file of `size` bytes, or (`whole`) all of it. Only blocks of `spill`
 * count; 0: of any spill.
 */
struct scan scan_segment(struct segments *segments, const char *name, uint64_t size, uint64_t spill,
                         bool whole);

/*
 * Reads the label of the first block that ends above this position; "": it has no label. Returns
 * false if there is no such block, or if it cannot be read.
 */
bool scan_label(struct segments *segments, const char *name, uint64_t spill, uint64_t position,
                char label[SPILL_LABEL_SIZE]);

/* Returns the position after the last whole block of the file; 0: the file has no whole block. */
uint64_t scan_end(struct segments *segments, const char *name, uint64_t spill);

#endif
