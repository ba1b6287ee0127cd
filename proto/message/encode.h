/*
 * The encoder: protobuf-c's structures to bytes in protobuf's wire format, by the tables of
 * message/type.h.
 *
 * What protobuf_c_message_pack can't: known groups, -0.0 in a field without presence, and a time
 * that grows with the message and not also with its depth. Fields go out by number, then the
 * unknown ones as they came; in a message set all that have a length are items. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_ENCODE_H
#define SLUICE_PROTO_MESSAGE_ENCODE_H

#include "collector/text/output.h"
#include "proto/message/type.h"

/* Appends the message, which message_decode made. */
void message_encode(const struct message_type *type, const ProtobufCMessage *message,
                    struct output *out);

#endif
