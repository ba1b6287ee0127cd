/* Finds extensions that the schema does not declare. Pure. */
#ifndef SLUICE_PROTO_MESSAGE_UNDECLARED_H
#define SLUICE_PROTO_MESSAGE_UNDECLARED_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/*
 * Finds the first unknown field, in the message and its submessages, whose number is in a range for
 * extensions. Returns false if there is none. The text in *out belongs to the type.
 */
bool message_find_undeclared(const struct message_type *type, const void *message,
                             struct schema_undeclared *out);

#endif
