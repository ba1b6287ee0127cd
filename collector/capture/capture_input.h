/*
 * Reads the bytes of a capture file sequentially, so that the file may also be a FIFO.
 *
 * Counts the bytes, so that messages about damage contain the offset. One thread reads.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_CAPTURE_INPUT_H
#define SLUICE_COLLECTOR_CAPTURE_CAPTURE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/input_file.h"
#include "collector/text/compiler.h"

struct capture_input {
    struct input_file *file;
    char *path;      /* for error messages */
    uint8_t *buffer; /* the bytes from `start` to `end` were not returned yet */
    size_t start, end;
    uint64_t offset;        /* number of bytes returned so far */
    enum input_result last; /* result of the last read: INPUT_BYTES until the end */
    struct error failure;   /* the reason after INPUT_FAILED */

    /* Called each time before the reader waits for the writer of a live file. May be NULL. */
    void (*waiting)(void *context);
    void *context;
};

/*
 * Opens `path` without waiting for a writer. Returns 0, or -1 with `error` filled; the caller
 * closes the input in both cases. The struct must be zero before.
 */
int capture_input_open(struct capture_input *input, const char *path, struct error *error);

/*
 * Reads `size` bytes, waiting for the writer if necessary. Returns the number of bytes read, which
 * is smaller than `size` if the file ends, fails or is cancelled.
 */
size_t capture_input_read(struct capture_input *input, uint8_t *bytes, size_t size);

/*
 * Like capture_input_read, but without a copy if the buffer has all the bytes: returns a pointer to
 * them, valid until the next read. Otherwise reads them into `room`. *got is the number of bytes
 * read.
 */
static inline const uint8_t *capture_input_view(struct capture_input *input, uint8_t *room,
                                                size_t size, size_t *got)
{
    if (size > input->end - input->start) {
        *got = capture_input_read(input, room, size);
        return room;
    }
    const uint8_t *bytes = input->buffer + input->start;
    input->start += size;
    input->offset += size;
    *got = size;
    return bytes;
}

/* Skips `size` bytes. Returns false if the file ends, fails or is cancelled before their end. */
bool capture_input_skip(struct capture_input *input, uint64_t size);

/*
 * Fills `error` with the printf-formatted reason why the file is damaged at byte `at`. If a read
 * failed or the file ended, the reason is that instead.
 */
void capture_input_damage(const struct capture_input *input, uint64_t at, struct error *error,
                          const char *format, ...) PRINTF_LIKE(4, 5);

/* Closes the file. The struct may be zero. */
void capture_input_close(struct capture_input *input);

#endif
