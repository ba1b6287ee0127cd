/*
 * Decodes and writes messages of any size: the schema's arenas and outputs are bounded, so here
 * they are made larger and the work is done again until it fits, up to MESSAGE_MEMORY_LIMIT each.
 * (A message can take a hundred and thirty times its bytes when decoded.)
 *
 * Lifecycle: all zero, decode, write, decode the next, ..., clear. A message lives until the next
 * decode. One thread.
 */
#ifndef SLUICE_TOOLS_DECODE_MESSAGE_MEMORY_H
#define SLUICE_TOOLS_DECODE_MESSAGE_MEMORY_H

#include "collector/base/error.h"
#include "collector/contract/schema.h"

#define MESSAGE_MEMORY_LIMIT (UINT32_C(1) << 30) /* bytes */

struct message_memory {
    struct arena arena;
    struct arena scratch; /* for what an Any holds */
    struct output text;
};

/*
 * Decodes `size` bytes into *message, as the schema does for a datagram. Returns 0, or -1 with
 * `error` filled: no such message (EXIT_CODE_BAD_INPUT), or no memory (EXIT_CODE_INTERNAL).
 */
int message_memory_decode(struct message_memory *memory, const struct schema *schema,
                          const uint8_t *data, size_t size, const void **message,
                          struct error *error);

/*
 * Writes the message to memory->text, from its beginning. Returns as message_memory_decode does,
 * and in JSON with EXIT_CODE_NO_JSON_FORM where a value has no form there.
 */
int message_memory_write_json(struct message_memory *memory, const struct schema *schema,
                              const void *message, const struct json_style *style,
                              struct error *error);
int message_memory_write_protobuf(struct message_memory *memory, const struct schema *schema,
                                  const void *message, struct error *error);

/* Frees what it holds, not the struct. */
void message_memory_clear(struct message_memory *memory);

#endif
