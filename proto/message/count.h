/* How many of a message's fields its type knows. A pure function; any thread. */
#ifndef SLUICE_PROTO_MESSAGE_COUNT_H
#define SLUICE_PROTO_MESSAGE_COUNT_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/* Counts the fields of the message, which message_decode made, and of all that it holds. */
struct schema_fields message_count_fields(const struct message_type *type, const void *message);

#endif
