#include "tools/decode/message_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 65536u
#define VARINT_MAX     10 /* maximum bytes of a 64-bit varint */

static enum message_reader_result fail(struct message_reader *reader, struct error *error,
                                       const char *what)
{
    error_set(error, EXIT_CODE_BAD_INPUT, "message %" PRIu64 " (at byte %" PRIu64 "): %s",
              reader->count, reader->offset, what);
    return MESSAGE_READER_FAILED;
}

static bool grow(struct message_reader *reader, size_t most, struct error *error)
{
    size_t wanted = reader->capacity == 0 ? FIRST_CAPACITY : reader->capacity * 2;
    if (wanted > most)
        wanted = most;
    uint8_t *data = realloc(reader->data, wanted);
    if (data == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a message of %zu bytes", wanted);
        return false;
    }
    reader->data = data;
    reader->capacity = wanted;
    return true;
}

/*
 * Reads `limit` bytes, or fewer at the end of the stream. The buffer grows only as bytes arrive, so
 * a message that claims to be long takes no memory for that. Returns false on an error.
 */
static bool read_bytes(struct message_reader *reader, size_t limit, struct error *error)
{
    reader->size = 0;
    while (reader->size < limit) {
        if (reader->size == reader->capacity && !grow(reader, MESSAGE_MAX_SIZE + 1, error))
            return false;
        size_t room = reader->capacity - reader->size;
        if (room > limit - reader->size)
            room = limit - reader->size;
        errno = 0;
        size_t got = fread(reader->data + reader->size, 1, room, reader->input);
        reader->size += got;
        reader->position += got;
        if (got == room)
            continue;
        if (!ferror(reader->input))
            break;
        error_set(error, EXIT_CODE_IO, "cannot read standard input: %s", strerror(errno));
        return false;
    }
    return true;
}

/*
 * Reads the length before a message. Returns MESSAGE_READER_END if the stream ends before the
 * length.
 */
static enum message_reader_result read_length(struct message_reader *reader, uint64_t *length,
                                              struct error *error)
{
    *length = 0;
    for (unsigned i = 0; i < VARINT_MAX; i++) {
        errno = 0;
        int byte = fgetc(reader->input);
        if (byte == EOF && ferror(reader->input)) {
            error_set(error, EXIT_CODE_IO, "cannot read standard input: %s", strerror(errno));
            return MESSAGE_READER_FAILED;
        }
        if (byte == EOF && i == 0)
            return MESSAGE_READER_END;
        reader->count += i == 0;
        if (byte == EOF)
            return fail(reader, error, "the input ends inside its length");
        reader->position++;
        if (i == VARINT_MAX - 1 && byte > 1)
            break;
        *length |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80)
            return MESSAGE_READER_OK;
    }
    return fail(reader, error, "its length is not a valid varint");
}

static enum message_reader_result next_delimited(struct message_reader *reader, struct error *error)
{
    uint64_t length;
    reader->offset = reader->position;
    enum message_reader_result result = read_length(reader, &length, error);
    if (result != MESSAGE_READER_OK)
        return result;
    reader->offset = reader->position;
    if (length > MESSAGE_MAX_SIZE)
        return fail(reader, error, "it is longer than 64 MiB");
    if (!read_bytes(reader, (size_t)length, error))
        return MESSAGE_READER_FAILED;
    return reader->size == length ? MESSAGE_READER_OK
                                  : fail(reader, error, "the input ends inside it");
}

enum message_reader_result message_reader_next(struct message_reader *reader, struct error *error)
{
    if (reader->delimited)
        return next_delimited(reader, error);
    if (reader->count != 0)
        return MESSAGE_READER_END;
    reader->count = 1;
    if (!read_bytes(reader, MESSAGE_MAX_SIZE + 1, error))
        return MESSAGE_READER_FAILED;
    return reader->size <= MESSAGE_MAX_SIZE ? MESSAGE_READER_OK
                                            : fail(reader, error, "it is longer than 64 MiB");
}

void message_reader_clear(struct message_reader *reader)
{
    free(reader->data);
    reader->data = NULL;
    reader->capacity = 0;
}
