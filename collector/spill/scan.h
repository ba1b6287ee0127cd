/* Scans files of a spill's folder for blocks. One thread. */
#ifndef SLUICE_COLLECTOR_SPILL_SCAN_H
#define SLUICE_COLLECTOR_SPILL_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/spill/segments.h"

struct scan {
    bool is_readable;        /* the file was opened */
    bool is_read;            /* the scanned part was read without an error */
    bool has_head;           /* the file begins with a whole block */
    bool has_block;          /* the file has a whole block */
    struct block_head first; /* the first whole block */
    struct block_head last;  /* the last whole block that was found */
    uint64_t end;            /* the offset in the file at which `last` ends */
    /* The block after `last` that the end of the file cuts; its `count` is 0 if there is none. */
    struct block_head torn;
};

/*
 * Scans a file of `size` bytes: up to its first block, or with `whole` all of it. Only blocks of
 * `spill` count; 0 stands for any spill. An open or a read that fails is tried again, because the
 * failure may be temporary.
 */
struct scan scan_segment(struct segments *segments, const char *name, uint64_t size, uint64_t spill,
                         bool whole);

enum scan_label {
    SCAN_LABEL_FOUND,
    SCAN_LABEL_NONE,   /* the file is missing, or has no such block */
    SCAN_LABEL_UNREAD, /* a part of the file could not be read; it may have such a block */
};

/*
 * Reads the label of the first block that ends above this position and whose label can be read and
 * is undamaged. The label is "" if the block has none.
 */
enum scan_label scan_label(struct segments *segments, const char *name, uint64_t spill,
                           uint64_t position, char label[SPILL_LABEL_SIZE]);

/*
 * Returns the position after the file's last whole block, 0 if it has none, or UINT64_MAX if a part
 * of the file cannot be read.
 */
uint64_t scan_end(struct segments *segments, const char *name, uint64_t spill);

#endif
