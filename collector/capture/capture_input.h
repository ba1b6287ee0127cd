/*
 * A capture file's bytes, read forward only, so that a FIFO serves as well as a file.
 *
 * Knows how far it has come, so that damage can be named by its place. One thread reads; any
 * thread cancels.
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_CAPTURE_INPUT_H
#define SLUICE_COLLECTOR_CAPTURE_CAPTURE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/compiler.h"
#include "collector/base/error.h"
#include "collector/platform/input_file.h"

struct capture_input {
    struct input_file *file;
    char *path;      /* for error texts */
    uint8_t *buffer; /* what was read ahead: bytes `start` to `end` of it */
    size_t start, end;
    uint64_t offset;        /* bytes given out so far */
    enum input_result last; /* of reading the file: INPUT_BYTES until it has come to an end */
    struct error failure;   /* why, after INPUT_FAILED */

    /* Called before each wait of a live file. May be NULL. */
    void (*waiting)(void *context);
    void *context;
};

/*
 * Opens `path`, without waiting for anybody. Returns 0, or -1 with `error` filled; close it in
 * either case. The struct must be zero before.
 */
int capture_input_open(struct capture_input *input, const char *path, struct error *error);

/*
 * Reads `size` bytes, waiting for them where they have yet to be written; or fewer where the file
 * ends, fails or is cancelled before. Returns how many.
 */
size_t capture_input_read(struct capture_input *input, uint8_t *bytes, size_t size);

/*
 * The same without a copy if all of them are in the buffer: returns a pointer to them, valid until
 * the next read. Otherwise they are read into `room`. *got is their number.
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

/* Reads and drops `size` bytes; false where the file comes to an end before, in any way. */
bool capture_input_skip(struct capture_input *input, uint64_t size);

/*
 * Fills `error`: the file makes no sense at byte `at`, for the printf-formatted reason. Where
 * reading has failed, or has met the file's end, that is the reason given instead.
 */
void capture_input_damage(const struct capture_input *input, uint64_t at, struct error *error,
                          const char *format, ...) PRINTF_LIKE(4, 5);

/* Closes the file; allowed on a struct that is still zero. */
void capture_input_close(struct capture_input *input);

#endif
