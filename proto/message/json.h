/*
 * Writes messages in the complete protobuf JSON mapping (protobuf.dev, "ProtoJSON Format"): names,
 * 64-bit integers, special floats, enums, maps, bytes, extensions as "[full.name]", and the
 * well-known types.
 *
 * A value without a JSON form is counted, and written as an object with its fields: a Timestamp or
 * Duration out of range, a FieldMask whose paths could not be converted back, a Value that is not
 * finite. An Any whose type is not in the set, or whose content cannot be decoded, is counted, too,
 * and written as "@type" and base64. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_JSON_H
#define SLUICE_PROTO_MESSAGE_JSON_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/*
 * Appends a message that message_decode has made. The content of an Any is decoded in the free room
 * of `scratch`, which is free again afterwards. If `scratch` is NULL or too small, the content is
 * written like content that cannot be decoded. With style->show_unknown, the unknown fields follow
 * as "@unknown". Returns the number of values without a JSON form.
 */
size_t message_write_json(const struct message_type *type, const ProtobufCMessage *message,
                          const struct json_style *style, struct arena *scratch,
                          struct output *out);

#endif
