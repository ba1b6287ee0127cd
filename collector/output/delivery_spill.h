/*
 * Stores a delivery's blocks on disk, as images in a spill (collector/spill/spill.h).
 *
 * Lifecycle: open; store, take and acknowledge blocks; close. One thread at a time. Blocks are
 * taken in the order in which they were stored, and acknowledged in any order.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_SPILL_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/destination_settings.h"
#include "collector/output/delivery_blocks.h"
#include "collector/platform/file_system.h"
#include "collector/spill/spill.h"

struct delivery_spill;
struct spill_inspection;

/* Returns the number of bytes that a delivery_spill allocates. */
size_t delivery_spill_memory(size_t record_size);

/*
 * Opens the spill that the options name, with the sync mode of `file`. `label` (delivery_label.h)
 * is stored with each block. `open` is a spill of the same folder that is already open, which the
 * new delivery_spill takes over; NULL if there is no such spill. Returns 0, or -1 with `error`
 * filled, as spill_open and spill_change do.
 */
int delivery_spill_open(const struct delivery_options *options, const struct file_options *file,
                        const struct disk_reserve *reserve, size_t record_size, const char *label,
                        struct spill *open, struct delivery_spill **out, struct error *error);

/*
 * Opens the spill and closes it again, so that its folder and files exist and belong to the user of
 * this process. Returns as delivery_spill_open does.
 */
int delivery_spill_make(const struct delivery_options *options, size_t record_size,
                        const char *label, struct error *error);

/* Reports what the next opening would find, as spill_inspect does. Changes nothing. */
int delivery_spill_inspect(const struct delivery_options *options, size_t record_size,
                           const char *label, int64_t until_ns, struct spill_inspection *inspection,
                           struct error *error);

/* Returns true if blocks on disk were not taken yet. Newer blocks must be sent after these. */
bool delivery_spill_waits(const struct delivery_spill *spill);

/*
 * Stores a sealed block, as spill_append does. If the block is stored, its memory can be used
 * again.
 */
enum spill_stored delivery_spill_store(struct delivery_spill *spill,
                                       struct buffered_block *buffered, struct error *error);

/*
 * Stores a block that stays in memory, as if it had been stored and taken. No block may wait on
 * disk, and delivery_spill_room must not be 0.
 */
enum spill_stored delivery_spill_keep(struct delivery_spill *spill, struct buffered_block *buffered,
                                      struct error *error);

/* Returns how many more blocks can be taken, or can be stored by delivery_spill_keep. */
size_t delivery_spill_room(const struct delivery_spill *spill);

/*
 * Notes that the writer gives up a block that could not be stored. A failed attempt may have left
 * the block on disk; if the next run might find it there, the block's records become maybe_sent.
 */
void delivery_spill_give_up(struct delivery_spill *spill, struct buffered_block *buffered);

/* Returns true if a taken block is still on disk: its segment was not evicted. */
bool delivery_spill_has(const struct delivery_spill *spill, const struct buffered_block *buffered);

/*
 * Returns true if another program removed the block's file. The caller then acknowledges the block
 * and stores it again.
 */
bool delivery_spill_lacks(const struct delivery_spill *spill,
                          const struct buffered_block *buffered);

/*
 * Reads the oldest block that was not taken yet into an empty block, except its state and times.
 * Returns false if there is no such block, or if the spill cannot be read now. In the second case
 * only, error->code differs from EXIT_CODE_OK.
 */
bool delivery_spill_take(struct delivery_spill *spill, struct buffered_block *buffered,
                         struct error *error);

/* Notes that the delivery of a taken block is complete: the block is not read again. */
void delivery_spill_acknowledge(struct delivery_spill *spill,
                                const struct buffered_block *buffered);

/*
 * Leaves a taken block on disk for the next run, which sends the whole block again. `open` is the
 * number of its records without an outcome. If the block's segment is evicted later,
 * delivery_spill_lose_left counts the `open` records as evicted, and those of them that may have
 * been sent as unknown.
 */
void delivery_spill_leave(struct delivery_spill *spill, const struct buffered_block *buffered,
                          size_t open);
void delivery_spill_lose_left(struct delivery_spill *spill, size_t open, size_t maybe_sent);

/*
 * Writes the label of the oldest kept record, or "" if no record is kept or the label cannot be
 * read.
 */
void delivery_spill_kept_label(struct delivery_spill *spill, char *label);

/* Makes room by removing the oldest segment, as spill_evict does. */
bool delivery_spill_evict(struct delivery_spill *spill, struct error *error);

/* Counts records as lost if another program has removed the files that contained them. */
void delivery_spill_check_files(struct delivery_spill *spill);

/* Like spill_due and spill_tick. */
int64_t delivery_spill_due(const struct delivery_spill *spill);
bool delivery_spill_tick(struct delivery_spill *spill, int64_t now_ns, struct error *error);

/*
 * Numbers of records since the opening. At any time recovered + stored = taken + evicted + unknown
 * + lost + spilled. A block that delivery_spill_leave has left on disk does not count as taken.
 */
struct delivery_spill_counts {
    uint64_t recovered;
    uint64_t evicted; /* evicted records that were certainly not sent */
    uint64_t unknown; /* evicted records that may have been sent */
    uint64_t lost;    /* records that are damaged, missing, or in blocks that this program cannot
                         read */
    uint64_t spilled; /* records on disk that were not taken */
    uint64_t kept;    /* part of `spilled`: records for another format or destination, which cannot
                         be taken */
    uint64_t bytes;   /* size of all files with blocks */
};
struct delivery_spill_counts delivery_spill_counts(const struct delivery_spill *spill);

/* Closes the spill as spill_close does. NULL is allowed. */
bool delivery_spill_close(struct delivery_spill *spill, struct error *error);

/*
 * Frees the delivery_spill without closing its spill. Returns the spill, which the caller then
 * owns. Returns NULL for NULL.
 */
struct spill *delivery_spill_release(struct delivery_spill *spill);

#endif
