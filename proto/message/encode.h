/*
 * The encoder: writes protobuf-c's structures as bytes in protobuf's wire format, by the tables of
 * message/type.h.
 *
 * Unlike protobuf_c_message_pack it supports groups, writes -0.0 in a field without presence, and
 * does not become slower with deeper nesting. Known fields are written in the order of their
 * numbers, then the unknown fields unchanged. In a message set, all fields with WIRE_LENGTH are
 * written as items. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_ENCODE_H
#define SLUICE_PROTO_MESSAGE_ENCODE_H

#include "collector/text/output.h"
#include "proto/message/type.h"

/* Appends the encoded message, which message_decode has made. */
void message_encode(const struct message_type *type, const ProtobufCMessage *message,
                    struct output *out);

#endif
