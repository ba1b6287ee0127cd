#include "sinks/destinations/message_id.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/base/rule.h"

void message_id(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record)
{
    RULE(record < block->count || record == 0, "an id is that of a record of the block");
    snprintf(id, MESSAGE_ID_SIZE, "%s-%" PRIu64, block->epoch, block->first_number + record);
}

void message_id_of_part(char id[MESSAGE_ID_SIZE], const struct delivery_block *block, size_t record,
                        size_t count)
{
    snprintf(id, MESSAGE_ID_SIZE, "%s-%" PRIu64 "+%zu", block->epoch, block->first_number + record,
             count);
}
