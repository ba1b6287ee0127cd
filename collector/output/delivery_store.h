/*
 * The blocks of a delivery on their way to the disk and from there. The sink's thread.
 *
 * Without a spill a block is never on disk; what says so below needs one.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_STORE_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_STORE_H

#include "collector/output/delivery_state.h"

/*
 * Opens the spill of the sink, if it has one: records that a sink of this name has left there are
 * taken over. As `open` in struct sink_writer_ops.
 */
int delivery_open_spill(struct sink_writer *writer, struct error *error);

/* The next sink that has this spill can open it. */
void delivery_close_spill(struct delivery_writer *delivery);

/* The same, or another sink is to have it as it is: then it is left open, for the main thread. */
void delivery_leave_spill(struct delivery_writer *delivery);

/* Does what is due in the spill. */
void delivery_serve_spill(struct delivery_writer *delivery, int64_t now_ns);

/* What became of records on disk comes into the ledger. */
void delivery_note_spill(struct delivery_writer *delivery);

/*
 * Needs a spill. Before the first block is stored those before it are stored, too, while they go on
 * to be sent: so all is on disk in its order, and is there after a kill. Returns false where that
 * cannot be done now.
 */
bool delivery_keep_older(struct delivery_writer *delivery);

/*
 * When an answer is late (delivery_keep_due) all that are sent are stored, too. What cannot be
 * stored stays in memory, and is tried again.
 */
void delivery_keep_late(struct delivery_writer *delivery, int64_t now);

/* A sealed block is to be sent, or is stored where it would have to wait. */
void delivery_queue_or_store(struct delivery_writer *delivery, struct buffered_block *buffered);

/* What could not be stored is tried again; it may be sent by now. */
void delivery_retry_unstored(struct delivery_writer *delivery, int64_t now);

/* A block that nothing is in, or NULL. */
struct buffered_block *delivery_empty_block(struct delivery_writer *delivery);

/*
 * Takes a block from disk to those that wait, where the far end could have it now. Returns whether
 * one was taken.
 */
bool delivery_take_from_disk(struct delivery_writer *delivery, int64_t now);

/*
 * Needs a spill. At a stop: those that wait are left on disk, or go there. Where others are there
 * already that were sealed later, all of these are on disk, too. What cannot be stored still waits
 * afterwards. Its records are doubtful where the next run may find them.
 */
void delivery_store_waiting(struct delivery_writer *delivery);

#endif
