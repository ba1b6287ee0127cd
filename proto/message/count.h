/* Counts the known and the unknown fields of a message. A pure function; any thread. */
#ifndef SLUICE_PROTO_MESSAGE_COUNT_H
#define SLUICE_PROTO_MESSAGE_COUNT_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/* Counts the fields of the decoded message and of all its submessages. */
struct schema_fields message_count_fields(const struct message_type *type, const void *message);

#endif
