/*
 * The id of a message: of whoever receives it, to recognise one that was sent twice. It is made of
 * the sink's epoch and the number of the message's first record, and so the same in a replay.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_MESSAGE_ID_H
#define SLUICE_SINKS_DESTINATIONS_MESSAGE_ID_H

#include <stddef.h>

#include "collector/contract/delivery.h"

/* Bytes of the longest id, with the NUL that ends it. */
#define MESSAGE_ID_SIZE 64

/* Writes the id of the block's record of that place; of the whole block it is that of place 0. */
void message_id(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record);

/* The id of the part of a block with `count` records from that place on; unique among its parts. */
void message_id_of_part(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record,
                        size_t count);

#endif
