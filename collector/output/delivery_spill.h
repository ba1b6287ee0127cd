/*
 * The blocks of a delivery that wait on disk: a spill (collector/spill/spill.h), and blocks as
 * images.
 *
 * Lifecycle: open, store, take and settle, close. One thread at a time. Blocks are taken in the
 * order in which they were stored, and may be settled in any.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_SPILL_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/destination_settings.h"
#include "collector/output/delivery_blocks.h"
#include "collector/spill/spill.h"

struct delivery_spill;
struct spill_inspection;

/* Bytes that it allocates. */
size_t delivery_spill_memory(size_t record_size);

/*
 * Opens that of the options; of a file's it has the sync and the reserve. Blocks that are stored
 * have the label (delivery_label.h). `open`: one of the same
 * folder that is open already, which the new one owns then; NULL: there is none. Returns 0, or -1
 * with `error` filled, as spill_open and spill_change say.
 */
int delivery_spill_open(const struct delivery_options *options, const struct file_options *file,
                        size_t record_size, const char *label, struct spill *open,
                        struct delivery_spill **out, struct error *error);

/*
 * Opens that of the options and closes it again: its folder and files are there then, and belong to
 * whom this process is. Returns as delivery_spill_open does.
 */
int delivery_spill_make(const struct delivery_options *options, size_t record_size,
                        const char *label, struct error *error);

/* What the next opening would find, as spill_inspect says; nothing is changed. */
int delivery_spill_inspect(const struct delivery_options *options, size_t record_size,
                           const char *label, int64_t until_ns, struct spill_inspection *inspection,
                           struct error *error);

/* Whether records wait that were not taken: newer ones are to be sent after them. */
bool delivery_spill_waits(const struct delivery_spill *spill);

/* Stores a sealed block, as spill_append says. Its memory is free afterwards. */
enum spill_stored delivery_spill_store(struct delivery_spill *spill,
                                       struct buffered_block *buffered, struct error *error);

/*
 * The same for a block that stays in memory, as if it had been taken. No block may wait, and there
 * must be room.
 */
enum spill_stored delivery_spill_keep(struct delivery_spill *spill, struct buffered_block *buffered,
                                      struct error *error);

/* How many blocks more can be taken, or stored by delivery_spill_keep. */
size_t delivery_spill_room(const struct delivery_spill *spill);

/*
 * A block could not be stored, and nobody tries it again. Its records are doubtful from now on
 * where the next run may find them on disk.
 */
void delivery_spill_give_up(struct delivery_spill *spill, struct buffered_block *buffered);

/* Whether a block that was taken is still on disk: its segment was not evicted. */
bool delivery_spill_has(const struct delivery_spill *spill, const struct buffered_block *buffered);

/* Whether its file was removed by others: then the block, which was settled, is to be stored. */
bool delivery_spill_lacks(const struct delivery_spill *spill,
                          const struct buffered_block *buffered);

/*
 * Fills an empty block with the oldest that was not taken yet, all but its state and times. Returns
 * false where there is none now; `error` is filled where the spill cannot be read now, its code is
 * EXIT_CODE_OK otherwise.
 */
bool delivery_spill_take(struct delivery_spill *spill, struct buffered_block *buffered,
                         struct error *error);

/* It is known what became of a block that was taken: it need not be read again. */
void delivery_spill_acknowledge(struct delivery_spill *spill,
                                const struct buffered_block *buffered);

/*
 * A block that was taken, and is still on disk, is left there for the next run. `open`: records of
 * it whose fate is not known; the next run sends the others again, too. If its segment is evicted
 * afterwards, delivery_spill_lose_left counts these records as evicted.
 */
void delivery_spill_leave(struct delivery_spill *spill, const struct buffered_block *buffered,
                          size_t open);
void delivery_spill_lose_left(struct delivery_spill *spill, size_t open);

/* The label of the oldest kept record; "": no record is kept, or the label cannot be read. */
void delivery_spill_kept_label(struct delivery_spill *spill, char *label);

/* Makes room, as spill_evict says. */
bool delivery_spill_evict(struct delivery_spill *spill, struct error *error);

/* Counts as lost what others have removed from the disk. */
void delivery_spill_check_files(struct delivery_spill *spill);

/* As spill_due and spill_tick say. */
int64_t delivery_spill_due(const struct delivery_spill *spill);
bool delivery_spill_tick(struct delivery_spill *spill, int64_t now_ns, struct error *error);

/* Records, since it was opened: recovered + stored = taken + evicted + lost + spilled, at any time;
 * what is left on disk is not taken. */
struct delivery_spill_counts {
    uint64_t recovered;
    uint64_t evicted;
    uint64_t lost;    /* damaged, missing, or no blocks that can be read */
    uint64_t spilled; /* on disk, and not taken */
    uint64_t kept;    /* of these: of another format or for another destination: not to be taken */
    uint64_t bytes;   /* of all that is on disk */
};
struct delivery_spill_counts delivery_spill_counts(const struct delivery_spill *spill);

/* As spill_close says. NULL is allowed. */
bool delivery_spill_close(struct delivery_spill *spill, struct error *error);

/* Instead of the close: the spill stays open, the caller's. NULL is allowed: NULL. */
struct spill *delivery_spill_release(struct delivery_spill *spill);

#endif
