/* Passes a delivery's blocks to the destination and receives its answers. The sink's thread. */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_FLIGHT_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_FLIGHT_H

#include "collector/output/delivery_state.h"

/* Sends waiting blocks in their order until the destination or in_flight= allows no more. */
void delivery_send_waiting(struct delivery_writer *delivery, int64_t now);

/*
 * Receives all answers that have arrived. A block with records that must be sent again becomes a
 * waiting block; any other answered block becomes empty.
 */
void delivery_take_answers(struct delivery_writer *delivery);

/* Gives up the waiting blocks whose timeout is over, or all waiting blocks. */
void delivery_expire(struct delivery_writer *delivery, int64_t now);
void delivery_give_waiting_up(struct delivery_writer *delivery, int64_t now);

/* Calls the destination's serve if it is due. */
void delivery_serve_destination(struct delivery_writer *delivery);

/*
 * Publishes when the oldest record without an answer was sealed, as a monotonic time, or 0 if there
 * is no such record. The block of that record is always in memory. The time is negative if the
 * block was sealed before the system was started.
 */
void delivery_note_oldest(struct delivery_writer *delivery);

#endif
