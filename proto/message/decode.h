/*
 * The decoder: bytes in protobuf's wire format to protobuf-c's structures, by the tables of
 * message/type.h.
 *
 * It follows the standard where protobuf_c_message_unpack does not: groups, known or unknown; a
 * field with an unexpected wire type is unknown; a repeated occurrence of a message field is
 * merged; strings keep their length, and are validated if they must be UTF-8; unknown values of
 * closed enums are unknown fields; in a map the last entry of a key counts; required fields are
 * checked at the end, after merging. Unknown fields are kept unchanged: a group's data include its
 * end tag. An item of a message set is the extension with its number, or, if there is none, an
 * unknown field of that number with WIRE_LENGTH.
 *
 * Plain messages take a shorter way (message/fast_path.h) with the same result.
 *
 * Strings, bytes and unknown fields are not copied: they point into the given bytes, which must
 * live as long as the message. The arena frees everything at once, so
 * protobuf_c_message_free_unpacked must not be used for these messages. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_DECODE_H
#define SLUICE_PROTO_MESSAGE_DECODE_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/*
 * Decodes `size` bytes as `type` into `arena`. Returns DECODE_OK and fills `out` (out->message is a
 * ProtobufCMessage *), or returns the reason and restores the arena's `used`: DECODE_TOO_DEEP if
 * messages and groups nest more than `levels` below this one (SCHEMA_MAX_DEPTH for a top-level
 * message), DECODE_TOO_LARGE if the arena is full, DECODE_MALFORMED; the first of these in the
 * bytes. Uses less than 1 KiB of stack for each level.
 */
enum decode_result message_decode(const struct message_type *type, const uint8_t *data, size_t size,
                                  unsigned levels, struct arena *arena, struct decoded *out);

#endif
