/*
 * The complete protobuf JSON mapping (protobuf.dev, "ProtoJSON Format"): names, 64-bit integers,
 * special floats, enums, maps, bytes, extensions as "[full.name]", and the well-known types.
 *
 * A value without a JSON form is counted, and written as an object of its plain fields: a Timestamp
 * or Duration out of range, a FieldMask whose paths could not be converted back, a Value that is
 * not finite. An Any is counted, too, and written as "@type" and base64, if its type is not in the
 * set or its content cannot be decoded. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_JSON_H
#define SLUICE_PROTO_MESSAGE_JSON_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/*
 * Appends the message, which message_decode made. The content of an Any
 * is decoded in the free room of `scratch`, all of which is free again on return; with NULL or too
 * little room it is written like content that cannot be decoded. With
 * style->show_unknown a message's unknown fields follow as "@unknown". Returns the number of values
 * without a JSON form.
 */
size_t message_write_json(const struct message_type *type, const ProtobufCMessage *message,
                          const struct json_style *style, struct arena *scratch,
                          struct output *out);

#endif
