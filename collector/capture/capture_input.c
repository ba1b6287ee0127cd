#include "collector/capture/capture_input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Few, large reads: a capture is read once from its beginning to its end. */
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
    input->file = fopen(path, "rb");
    if (input->file == NULL) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
        return -1;
    }
    /* Where this fails, stdio keeps its own smaller buffer: slower, not wrong. */
    (void)setvbuf(input->file, input->buffer, _IOFBF, BUFFER_SIZE);
    return 0;
}

size_t capture_input_read(struct capture_input *input, uint8_t *bytes, size_t size)
{
    size_t got = fread(bytes, 1, size, input->file);
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
    if (ferror(input->file)) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: cannot be read after byte %" PRIu64, input->path,
                  input->offset);
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (feof(input->file))
        error_set(error, EXIT_CODE_BAD_INPUT,
                  "%s: ends at byte %" PRIu64 ", within the record that begins at byte %" PRIu64,
                  input->path, input->offset, at);
    else
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: damaged at byte %" PRIu64 ": %s", input->path,
                  at, reason);
}

void capture_input_close(struct capture_input *input)
{
    if (input->file != NULL)
        fclose(input->file);
    free(input->buffer);
    free(input->path);
    *input = (struct capture_input){0};
}
