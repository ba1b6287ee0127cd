/*
 * Decodes and writes messages of any size. A schema works with arenas and outputs of a fixed size.
 * If one is too small, this code makes it larger and repeats the work, up to MESSAGE_MEMORY_LIMIT
 * for each. (A decoded message can take 130 times the size of its bytes.)
 *
 * Lifecycle: zero the struct, decode, write, decode the next message, ..., clear. A message is
 * valid until the next decode. One thread.
 */
#ifndef SLUICE_TOOLS_DECODE_MESSAGE_MEMORY_H
#define SLUICE_TOOLS_DECODE_MESSAGE_MEMORY_H

#include "collector/base/error.h"
#include "collector/contract/schema.h"

#define MESSAGE_MEMORY_LIMIT (UINT32_C(1) << 30) /* bytes */

struct message_memory {
    struct arena arena;
    struct arena scratch; /* for decoding the contents of an Any */
    struct output text;
};

/*
 * Decodes `size` bytes into *message, as the schema decodes a datagram. Returns 0, or -1 with
 * `error` filled: not a valid message (EXIT_CODE_BAD_INPUT), or out of memory (EXIT_CODE_INTERNAL).
 */
int message_memory_decode(struct message_memory *memory, const struct schema *schema,
                          const uint8_t *data, size_t size, const void **message,
                          struct error *error);

/*
 * Replaces the content of memory->text by the message as JSON or protobuf. Returns as
 * message_memory_decode does. For JSON the error can also be EXIT_CODE_NO_JSON_FORM: JSON cannot
 * express a value.
 */
int message_memory_write_json(struct message_memory *memory, const struct schema *schema,
                              const void *message, const struct json_style *style,
                              struct error *error);
int message_memory_write_protobuf(struct message_memory *memory, const struct schema *schema,
                                  const void *message, struct error *error);

/*
 * A function that writes the message to `out`. `scratch` is memory for generated texts. The
 * function is called again, with an empty `out`, until both are large enough.
 */
typedef void message_writer(const struct schema *schema, const void *message, struct arena *scratch,
                            struct output *out);

/* Writes to memory->text with `write`. Returns as message_memory_write_protobuf does. */
int message_memory_write(struct message_memory *memory, const struct schema *schema,
                         const void *message, message_writer *write, struct error *error);

/* Frees the memory, but not the struct. */
void message_memory_clear(struct message_memory *memory);

#endif
