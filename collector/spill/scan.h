/*
 * Looks into files of a spill's folder: which blocks lie there. Files are opened, and opening and
 * reading are tried again where they fail: that may be for a moment. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_SCAN_H
#define SLUICE_COLLECTOR_SPILL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/spill/segments.h"

struct scan {
    bool is_readable;        /* the file can be opened, */
    bool is_read;            /* and all that was to be looked at could be read */
    bool has_head;           /* a whole block begins where the file does */
    bool has_block;          /* there is a whole block; */
    struct block_head first; /* the first one, */
    struct block_head last;  /* the last one that was looked for, */
    uint64_t end;            /* where that ends in the file */
    struct block_head torn;  /* of a block after it which the file's end cuts; count 0: of none */
};

/*
 * Looks at the beginning of a file of `size` bytes, or (`whole`) at all of it. Only blocks of this
 * spill count; 0: those of any.
 */
struct scan scan_segment(struct segments *segments, const char *name, uint64_t size, uint64_t spill,
                         bool whole);

/*
 * Reads the label of the first block of the file that does not end at or below this position; "" is
 * that of a block without one. Returns false where there is no such block, or it cannot be read.
 */
bool scan_label(struct segments *segments, const char *name, uint64_t spill, uint64_t position,
                char label[SPILL_LABEL_SIZE]);

/* The position after the last whole block of the file; 0: no whole block. */
uint64_t scan_end(struct segments *segments, const char *name, uint64_t spill);

#endif
