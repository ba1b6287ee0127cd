/*
 * `json_server FILE TYPE` converts JSON to messages of a type, for a test. A request on stdin is a
 * size (4 bytes, little-endian) and JSON. The answer is a byte (0: success, 1: error), a size, and
 * the message or the error.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/process.h"
#include "proto/reading/json_message.h"

static void answer(uint8_t verdict, const void *bytes, size_t size)
{
    const uint8_t head[] = {verdict, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16),
                            (uint8_t)(size >> 24)};
    fwrite(head, 1, sizeof head, stdout);
    fwrite(bytes, 1, size, stdout);
    fflush(stdout);
}

static void encode(const struct json_message_type *type, const char *json)
{
    uint8_t *bytes;
    size_t size;
    struct error error;
    if (json_message_encode(type, json, &bytes, &size, &error) != 0) {
        answer(1, error.text, strlen(error.text));
        return;
    }
    answer(0, bytes, size);
    free(bytes);
}

int program_main(int argc, char **argv)
{
    uint8_t head[4];
    if (argc != 3)
        return EXIT_FAILURE;
    const struct json_message_type type = {.file = argv[1], .message = argv[2]};
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        size_t size =
            head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *json = malloc(size + 1);
        if (json == NULL || fread(json, 1, size, stdin) != size)
            return EXIT_FAILURE;
        json[size] = '\0';
        encode(&type, json);
        free(json);
    }
    return EXIT_SUCCESS;
}
