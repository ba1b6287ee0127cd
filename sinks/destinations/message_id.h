/*
 * The id of a message, by which a receiver recognises duplicates. It consists of the sink's epoch
 * and the number of the message's first record, so it is the same when the message is sent again.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_MESSAGE_ID_H
#define SLUICE_SINKS_DESTINATIONS_MESSAGE_ID_H

#include <stddef.h>

#include "collector/contract/delivery.h"

/* The size of the longest id in bytes, with its NUL. */
#define MESSAGE_ID_SIZE 64

/*
 * Writes the id of the record at index `record` of the block. If the whole block is one message,
 * its id is that of index 0.
 */
void message_id(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record);

/*
 * Writes the id of a part of a block: `count` records from index `index` on. Differs from the ids
 * of the block's other parts.
 */
void message_id_of_part(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record,
                        size_t count);

#endif
