/* The blocks of a delivery on their way to the destination, and its answers. The sink's thread. */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_FLIGHT_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_FLIGHT_H

#include "collector/output/delivery_state.h"

/* Hands over those that wait, in their order, until the destination has enough. */
void delivery_send_waiting(struct delivery_writer *delivery, int64_t now);

/* Takes all answers that there are: what is to be sent again waits, other blocks are empty. */
void delivery_take_answers(struct delivery_writer *delivery);

/* Gives up those that wait and whose time is over, or all that wait. */
void delivery_expire(struct delivery_writer *delivery, int64_t now);
void delivery_give_waiting_up(struct delivery_writer *delivery, int64_t now);

/* Does what is due in the destination. */
void delivery_serve_destination(struct delivery_writer *delivery);

/*
 * Others see since when the oldest record waits, whose block is in memory while any waits. That it
 * was sealed before the system was started is a time below 0.
 */
void delivery_note_oldest(struct delivery_writer *delivery);

#endif
