/*
 * Writes the ID of a message, with which a receiver recognises duplicates. The ID has the sink's
 * epoch and the number of the message's first record, so it is the same when the message is sent
 * again.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_MESSAGE_ID_H
#define SLUICE_SINKS_DESTINATIONS_MESSAGE_ID_H

#include <stddef.h>

#include "collector/contract/delivery.h"

/* The maximum size of an ID in bytes, with its NUL. */
#define MESSAGE_ID_SIZE 64

/*
 * Writes the ID of the message that begins at index `record` of the block (0 if the whole block is
 * one message).
 */
void message_id(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record);

/*
 * Writes the ID of a part of a block: `count` records from index `record` on. It differs from the
 * IDs of the block's other parts.
 */
void message_id_of_part(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record,
                        size_t count);

#endif
