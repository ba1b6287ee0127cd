/*
 * Reads messages from a byte stream. The whole stream is one message, or it contains many messages,
 * each after its length as a varint (protobuf's usual form of streams).
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

/* The maximum size of a message in bytes. A larger one could decode to gigabytes. */
#define MESSAGE_MAX_SIZE (UINT32_C(64) << 20)

struct message_reader {
    FILE *input;    /* belongs to the caller */
    bool delimited; /* each message follows its length */

    /* The bytes of the current message, valid until the next read. */
    uint8_t *data;
    size_t size;
    uint64_t offset; /* position of the message in the stream, in bytes */
    uint64_t count;  /* number of messages read, with this one */

    size_t capacity;   /* size of the buffer `data` */
    uint64_t position; /* bytes read from the stream */
};

enum message_reader_result { MESSAGE_READER_OK, MESSAGE_READER_END, MESSAGE_READER_FAILED };

/*
 * Reads the next message. On MESSAGE_READER_FAILED `error` is filled, with one of these codes:
 *
 * EXIT_CODE_BAD_INPUT: the stream ends within a message, or the message exceeds MESSAGE_MAX_SIZE;
 * EXIT_CODE_IO: reading failed; EXIT_CODE_INTERNAL: out of memory.
 */
enum message_reader_result message_reader_next(struct message_reader *reader, struct error *error);

/* Frees the buffer, but neither the struct nor the stream. */
void message_reader_clear(struct message_reader *reader);

#endif
