/*
 * Moves a delivery's blocks to the disk and back. The sink's thread.
 *
 * Functions that "need a spill" are called only if the writer has one. Without a spill no block is
 * on disk.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_STORE_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_STORE_H

#include "collector/output/delivery_state.h"

/*
 * Implements `open` of struct sink_writer_ops: opens the spill of the sink, if it has one, and
 * takes over the records that an earlier sink of this name left in it.
 */
int delivery_open_spill(struct sink_writer *writer, struct error *error);

/* Closes the spill. The next sink with this folder can then open it. */
void delivery_close_spill(struct delivery_writer *delivery);

/*
 * Called when the sink ends. Closes the spill or, if another sink takes it over, leaves it open in
 * the writer's open_spill.
 */
void delivery_leave_spill(struct delivery_writer *delivery);

/* Calls the spill's tick if it is due. */
void delivery_serve_spill(struct delivery_writer *delivery, int64_t now_ns);

/* Adds the changes of the spill's counts to the ledger. */
void delivery_note_spill(struct delivery_writer *delivery);

/*
 * Needs a spill. Stores all blocks that are only in memory, oldest first; they are still sent.
 * Called before a newer block is stored, so that after a kill the disk has all blocks in their
 * order. Returns false if a block cannot be stored now.
 */
bool delivery_keep_older(struct delivery_writer *delivery);

/*
 * Stores all blocks that are only in memory, if the answer to one of them is late
 * (delivery_keep_due). A block that cannot be stored stays in memory, and is tried again later.
 */
void delivery_keep_late(struct delivery_writer *delivery, int64_t now);

/* Queues a sealed block to be sent, or stores it if it would have to wait. */
void delivery_queue_or_store(struct delivery_writer *delivery, struct buffered_block *buffered);

/*
 * Queues or stores `unstored`, the block that could not be stored before, when the next try is due.
 */
void delivery_retry_unstored(struct delivery_writer *delivery, int64_t now);

/*
 * Returns an empty block other than `except`, which may be NULL. Returns NULL if there is no such
 * block.
 */
struct buffered_block *delivery_empty_block(struct delivery_writer *delivery,
                                            const struct buffered_block *except);

/*
 * Takes a block from disk to be sent, if the destination has room for it. Returns true if it took a
 * block.
 */
bool delivery_take_from_disk(struct delivery_writer *delivery, int64_t now);

/*
 * Needs a spill. Called at a stop. A waiting block that is on disk stays there; the other waiting
 * blocks are stored. This keeps the blocks in order: if some waiting blocks are only in memory, no
 * newer block is on disk. Blocks that cannot be stored still wait after the call. If the next run
 * might find one of them on disk, its records become maybe_sent.
 */
void delivery_store_waiting(struct delivery_writer *delivery);

#endif
