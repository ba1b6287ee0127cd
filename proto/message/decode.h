/*
 * The decoder: makes protobuf-c's structures from bytes in protobuf's wire format, by the tables
 * of message/type.h.
 *
 * It follows the standard where protobuf_c_message_unpack does not:
 * - Groups are read, whether the type has them or not.
 * - A field with an unexpected wire type becomes an unknown field, and so does an unknown value of
 *   a closed enum.
 * - A message field that occurs again is merged with the earlier message.
 * - Strings keep their length, and are validated if they must be UTF-8.
 * - If a key of a map occurs again, its last entry counts.
 * - Required fields are checked at the end, after merging.
 *
 * Unknown fields keep their bytes; those of a group include its end tag. An item of a message set
 * becomes the extension with the item's number or, if there is none, an unknown field with that
 * number and WIRE_LENGTH. Plain messages are decoded by a faster decoder (message/fast_path.h)
 * with the same result.
 *
 * Strings, bytes and unknown fields are not copied: they point into the given bytes, which must
 * exist as long as the message. All memory is in the arena and freed with it, so
 * protobuf_c_message_free_unpacked must not be called for these messages. Pure; any thread.
 */
#ifndef SLUICE_PROTO_MESSAGE_DECODE_H
#define SLUICE_PROTO_MESSAGE_DECODE_H

#include "collector/contract/schema.h"
#include "proto/message/type.h"

/*
 * Decodes `size` bytes as a message of `type`, in `arena`. Returns DECODE_OK with `out` filled
 * (out->message is a ProtobufCMessage *). On failure restores the arena's `used` and returns the
 * first reason in the order of the bytes: DECODE_TOO_DEEP if more than `levels` messages and groups
 * are nested below this message (SCHEMA_MAX_DEPTH for an outermost one), DECODE_TOO_LARGE if the
 * arena is full, or DECODE_MALFORMED. If arena->retried is set, DECODE_TOO_LARGE can hide another
 * reason that is earlier in the bytes. It is then also possible for a message that would fit, but
 * would leave less than PROTOTYPE_PIECE bytes free. Uses less than 1 KiB of stack for each level.
 */
enum decode_result message_decode(const struct message_type *type, const uint8_t *data, size_t size,
                                  unsigned levels, struct arena *arena, struct decoded *out);

#endif
