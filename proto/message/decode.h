/*
 * The decoder: bytes in protobuf's wire format to protobuf-c's structures, by the tables of
 * message/type.h.
 *
 * What protobuf_c_message_unpack gets wrong is done as the standard has it: groups, known or not; a
 * field with another wire type than its own is unknown; a message field that occurs again is
 * merged; strings keep their length, and are checked where they must be UTF-8; unknown values of
 * closed enums are unknown fields; in a map the last entry of a key stays; required fields are
 * asked for at the end, when all is merged. Unknown fields are kept as they stood: a group's data
 * reach to its end tag and include it. An item of a message set is the extension that its number
 * names; where there is none, it is an unknown field of that number and of WIRE_LENGTH.
 *
 * Plain messages go a shorter way (message/plain.h), which differs in time alone.
 *
 * Strings, bytes and unknown fields are not copied: they point into the given bytes, which must
 * live as long as the message. Nothing is freed on its own; the arena takes it all back at once, so
 * protobuf_c_message_free_unpacked is not for these messages. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_DECODE_H
#define SLUICE_PROTO_MESSAGE_DECODE_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/*
 * Decodes `size` bytes as `type` into `arena`. Returns DECODE_OK and fills `out` (out->message is a
 * ProtobufCMessage *), or says why not and leaves the arena's `used` as it was: DECODE_TOO_DEEP
 * where messages and groups nest more than `levels` below this one (SCHEMA_MAX_DEPTH for one of its
 * own), DECODE_TOO_LARGE where the arena is full, DECODE_MALFORMED; whichever comes first in the
 * bytes. Uses less than 1 KiB of stack a level.
 */
enum decode_result message_decode(const struct message_type *type, const uint8_t *data, size_t size,
                                  unsigned levels, struct arena *arena, struct decoded *out);

#endif
