/*
 * The cursor: up to which position all is acknowledged, and up to which one blocks were read, in a
 * file of two slots that are written in turn. The newer one that is whole counts. A write that is
 * torn leaves the older one.
 *
 * Its position may be old, and it may be missing: then blocks are read again. One thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_CURSOR_H
#define SLUICE_COLLECTOR_SPILL_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/data_file.h"

struct cursor {
    struct data_file file;
    bool is_open;
    uint64_t sequence; /* of the slot that was written last; 0: none was */
    bool lacks_room;   /* the last write had none on the disk, or could not make the file */
};

struct cursor_state {
    uint64_t spill; /* the spill that it belongs to */
    uint64_t position;
    uint64_t read; /* a block at or after this position was never read */
    uint64_t end;  /* the position after all blocks that were stored; 0: not known */
    uint64_t kept; /* records in kept segments (kept.h) */
};

/* Opens it, where it is there, and reads it. Returns false where it says nothing. */
bool cursor_open(struct cursor *cursor, const char *path, struct cursor_state *state);

/*
 * Writes it, and makes the file where it is not there; `sync`: has it reach the disk. Returns false
 * with `error` filled; the next write tries all of it again.
 */
bool cursor_write(struct cursor *cursor, const char *path, const struct cursor_state *state,
                  bool sync, struct error *error);

void cursor_close(struct cursor *cursor);

#endif
