/*
 * The encoder: writes protobuf-c's structures as bytes in protobuf's wire format, by the tables of
 * message/type.h.
 *
 * Unlike protobuf_c_message_pack it supports known groups, and -0.0 in a field without presence.
 * Its time grows with the size of the message, regardless of the depth. Known fields are written by
 * number, then the unknown fields unchanged. In a message set, all fields with WIRE_LENGTH, known
 * or unknown, are written as items. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_ENCODE_H
#define SLUICE_PROTO_MESSAGE_ENCODE_H

#include "collector/text/output.h"
#include "proto/message/type.h"

/* Encodes a message that message_decode has made, and appends the bytes. */
void message_encode(const struct message_type *type, const ProtobufCMessage *message,
                    struct output *out);

#endif
