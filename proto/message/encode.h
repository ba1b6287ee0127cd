/*
 * The encoder: protobuf-c's structures to bytes in protobuf's wire format, by the tables of
 * message/type.h.
 *
 * Unlike protobuf_c_message_pack it supports known groups and -0.0 in a field without presence, and
 * its time grows with the size of the message and not with its depth. Fields are written by number,
 * then the unknown ones unchanged; in a message set all with a length are items. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_ENCODE_H
#define SLUICE_PROTO_MESSAGE_ENCODE_H

#include "collector/text/output.h"
#include "proto/message/type.h"

/* Appends the message, which message_decode made. */
void message_encode(const struct message_type *type, const ProtobufCMessage *message,
                    struct output *out);

#endif
