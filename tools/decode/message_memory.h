/*
 * Decodes and writes messages of any size. A schema works in arenas and outputs that do not grow.
 * If one is too small, this code makes it larger and repeats the work; the limit of each is
 * MESSAGE_MEMORY_LIMIT. (A decoded message can take 130 times the size of its bytes.)
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
    struct arena scratch; /* memory for decoding the contents of an Any */
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
 * Writes the message as JSON or protobuf to memory->text, and replaces the earlier content. Returns
 * like message_memory_decode. For JSON a further error is EXIT_CODE_NO_JSON_FORM: a value has no
 * JSON form.
 */
int message_memory_write_json(struct message_memory *memory, const struct schema *schema,
                              const void *message, const struct json_style *style,
                              struct error *error);
int message_memory_write_protobuf(struct message_memory *memory, const struct schema *schema,
                                  const void *message, struct error *error);

/*
 * Appends the text to `out`. Uses `scratch` for generated texts. message_memory_write calls it
 * again, from the beginning, until both are large enough.
 */
typedef void message_writer(const struct schema *schema, const void *message,
                            struct arena *scratch, struct output *out);

/* Writes to memory->text by the function. Returns like message_memory_write_protobuf. */
int message_memory_write(struct message_memory *memory, const struct schema *schema,
                         const void *message, message_writer *write, struct error *error);

/* Frees the memory, but not the struct. */
void message_memory_clear(struct message_memory *memory);

#endif
