/*
 * The cursor file ("ack"): the position up to which all records are acknowledged, evicted or lost,
 * and the position up to which blocks were read. The file has two slots, which are written
 * alternately. The newer slot with a valid checksum counts, so that a torn write leaves the older
 * one. With an old or missing cursor, blocks are read again. One thread.
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
    uint64_t sequence; /* sequence number of the slot that was written last; 0 means none */
    bool lacks_room;   /* the last write failed: disk full, or no file could be opened */
};

struct cursor_state {
    uint64_t spill; /* the spill that the cursor belongs to */
    uint64_t position;
    uint64_t read; /* blocks from this position on were not read */
    uint64_t end;  /* the position after all stored blocks, or 0 if not known */
    uint64_t kept; /* number of records in kept segments (kept.h) */
};

/* Opens and reads the cursor's file if it exists. Returns false if it has no valid slot. */
bool cursor_open(struct cursor *cursor, const char *path, struct cursor_state *state);

/*
 * Writes the next slot, and creates the file if necessary. With `sync` also syncs the file. Returns
 * false with `error` filled; the next call then writes the same slot and syncs again.
 */
bool cursor_write(struct cursor *cursor, const char *path, const struct cursor_state *state,
                  bool sync, struct error *error);

void cursor_close(struct cursor *cursor);

#endif
