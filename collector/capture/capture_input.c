#include "collector/capture/capture_input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/* A capture is read once from its beginning to its end, so a large buffer needs few reads. */
#define BUFFER_SIZE ((size_t)256 * 1024)

int capture_input_open(struct capture_input *input, const char *path, struct error *error)
{
    size_t path_size = strlen(path) + 1;
    input->path = malloc(path_size);
    input->buffer = malloc(BUFFER_SIZE);
    if (input->path == NULL || input->buffer == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: out of memory", path);
        return -1;
    }
    memcpy(input->path, path, path_size);
    return input_file_open(path, &input->file, error);
}

static bool fill_buffer(struct capture_input *input)
{
    while (input->last == INPUT_BYTES) {
        size_t got;
        enum input_result result =
            input_file_read(input->file, input->buffer, BUFFER_SIZE, &got, &input->failure);
        if (result == INPUT_BYTES) {
            input->start = 0;
            input->end = got;
            return true;
        }
        if (result != INPUT_WOULD_WAIT) {
            input->last = result;
            return false;
        }
        if (input->waiting != NULL)
            input->waiting(input->context);
        input_file_wait(input->file);
    }
    return false;
}

size_t capture_input_read(struct capture_input *input, uint8_t *bytes, size_t size)
{
    size_t got = 0;
    while (got < size && (input->start < input->end || fill_buffer(input))) {
        RULE(input->start < input->end && input->end <= BUFFER_SIZE,
             "bytes are read from within the buffer");
        size_t part = input->end - input->start;
        if (part > size - got)
            part = size - got;
        memcpy(bytes + got, input->buffer + input->start, part);
        input->start += part;
        got += part;
    }
    input->offset += got;
    return got;
}

bool capture_input_skip(struct capture_input *input, uint64_t size)
{
    uint8_t dropped[4096];
    while (size != 0) {
        size_t part = size < sizeof dropped ? (size_t)size : sizeof dropped;
        if (capture_input_read(input, dropped, part) != part)
            return false;
        size -= part;
    }
    return true;
}

void capture_input_damage(const struct capture_input *input, uint64_t at, struct error *error,
                          const char *format, ...)
{
    char reason[256];
    if (input->last == INPUT_FAILED) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: cannot be read after byte %" PRIu64 ": %s",
                  input->path, input->offset, input->failure.text);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (input->last == INPUT_END)
        error_set(error, EXIT_CODE_BAD_INPUT,
                  "%s: ends at byte %" PRIu64 ", within the record that begins at byte %" PRIu64,
                  input->path, input->offset, at);
    else
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: damaged at byte %" PRIu64 ": %s", input->path,
                  at, reason);
}

void capture_input_close(struct capture_input *input)
{
    input_file_close(input->file);
    free(input->buffer);
    free(input->path);
    *input = (struct capture_input){0};
}
