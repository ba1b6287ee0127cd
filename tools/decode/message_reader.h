/*
 * Reads messages from a byte stream. The whole stream is one message, or it contains many messages,
 * each after its length as a varint (protobuf's usual stream form).
 *
 * Lifecycle: zero the struct, fill in the settings, read until the end, clear. One thread.
 */
#ifndef SLUICE_TOOLS_DECODE_MESSAGE_READER_H
#define SLUICE_TOOLS_DECODE_MESSAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "collector/base/error.h"

/* Largest size of a message in bytes; a larger one could decode to gigabytes. */
#define MESSAGE_MAX_SIZE (UINT32_C(64) << 20)

struct message_reader {
    FILE *input;    /* belongs to the caller */
    bool delimited; /* each message comes after its length */

    /*
     * The current message: its bytes, which are valid until the next read, and its place in the
     * stream.
     */
    uint8_t *data;
    size_t size;
    uint64_t offset; /* where the message begins in the stream, in bytes */
    uint64_t count;  /* messages read so far, including this one */

    size_t capacity;   /* size of the buffer `data` in bytes */
    uint64_t position; /* bytes read from the stream so far */
};

enum message_reader_result { MESSAGE_READER_OK, MESSAGE_READER_END, MESSAGE_READER_FAILED };

/*
 * Reads the next message. MESSAGE_READER_FAILED fills `error`: the stream ends inside a message, or
 * a message is longer than MESSAGE_MAX_SIZE (EXIT_CODE_BAD_INPUT); reading failed (EXIT_CODE_IO);
 * out of memory (EXIT_CODE_INTERNAL).
 */
enum message_reader_result message_reader_next(struct message_reader *reader, struct error *error);

/* Frees the buffer, but neither the struct nor the stream. */
void message_reader_clear(struct message_reader *reader);

#endif
