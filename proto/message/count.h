/* Counts the known and the unknown fields of a message. Pure; any thread. */
#ifndef SLUICE_PROTO_MESSAGE_COUNT_H
#define SLUICE_PROTO_MESSAGE_COUNT_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/* Counts the fields of a decoded message, with those of its submessages. */
struct schema_fields message_count_fields(const struct message_type *type, const void *message);

#endif
