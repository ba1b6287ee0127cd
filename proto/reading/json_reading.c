#include "proto/reading/json_reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "proto/message/decode.h"
#include "proto/message/encode.h"

/* --- places ----------------------------------------------------------------------------------- */

bool json_refuse(struct json_reading *reading, const char *format, ...)
{
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    unsigned line;
    unsigned column;
    json_text_place(reading->text, reading->value->at, &line, &column);
    error_set(reading->error, EXIT_CODE_USAGE, "%s: line %u, column %u: %s%s%s", reading->called,
              line, column, reading->place, reading->place_size != 0 ? ": " : "", why);
    return false;
}

static size_t enter(struct json_reading *reading, const char *format, ...) PRINTF_LIKE(2, 3);

/* Appends a text to the path, as far as it fits. Returns the previous length of the path. */
static size_t enter(struct json_reading *reading, const char *format, ...)
{
    size_t entered = reading->place_size;
    size_t room = sizeof reading->place - entered;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(reading->place + entered, room, format, arguments);
    va_end(arguments);
    if (size > 0)
        reading->place_size += (size_t)size < room ? (size_t)size : room - 1;
    return entered;
}

size_t json_enter(struct json_reading *reading, const char *name)
{
    return enter(reading, "%s%s", reading->place_size != 0 ? "." : "", name);
}

size_t json_enter_element(struct json_reading *reading, size_t index)
{
    return enter(reading, "[%zu]", index);
}

void json_leave(struct json_reading *reading, size_t entered)
{
    RULE(entered <= reading->place_size, "a place that is left was entered");
    reading->place_size = entered;
    reading->place[entered] = '\0';
}

/* --- encoding again --------------------------------------------------------------------------- */

/*
 * Bytes for a decoded message: at first ARENA_LEAST, and ARENA_PER_BYTE for each encoded byte; at
 * most ARENA_MOST.
 */
#define ARENA_LEAST    ((size_t)64 << 10)
#define ARENA_PER_BYTE ((size_t)64)
#define ARENA_MOST     ((size_t)1 << 30)

/*
 * Decodes a message. arena->base becomes the memory, which the caller frees. Returns NULL with the
 * error filled on failure.
 */
static const ProtobufCMessage *decode(struct json_reading *reading, const struct message_type *type,
                                      const struct output *from, struct arena *arena)
{
    enum decode_result result = DECODE_TOO_LARGE;
    for (size_t capacity = ARENA_LEAST + ARENA_PER_BYTE * from->used;
         result == DECODE_TOO_LARGE && capacity <= ARENA_MOST; capacity *= 4) {
        struct decoded decoded;
        free(arena->base);
        *arena = (struct arena){.base = malloc(capacity), .capacity = capacity};
        if (arena->base == NULL) {
            error_no_memory(reading->error);
            return NULL;
        }
        result = message_decode(type, (const uint8_t *)from->data, from->used, SCHEMA_MAX_DEPTH,
                                arena, &decoded);
        if (result == DECODE_OK)
            return decoded.message;
    }
    json_refuse(reading, "the message %s",
                result == DECODE_TOO_DEEP    ? "nests too deep"
                : result == DECODE_TOO_LARGE ? "is too large"
                                             : "cannot be encoded");
    return NULL;
}

static bool replace(struct json_reading *reading, const struct message_type *type,
                    const ProtobufCMessage *message, size_t begun)
{
    struct output *out = reading->out;
    size_t capacity = 2 * (out->used - begun) + 64; /* packing a single element adds bytes */
    struct output to = {.data = malloc(capacity), .capacity = capacity};
    if (to.data == NULL) {
        error_no_memory(reading->error);
        return false;
    }
    message_encode(type, message, &to);
    out->used = begun;
    output_bytes(out, to.data, to.used);
    free(to.data);
    return (!out->overflow && !to.overflow) || json_refuse(reading, "the message is too large");
}

bool json_encode_again(struct json_reading *reading, const struct message_type *type, size_t begun)
{
    const struct output *out = reading->out;
    if (out->overflow)
        return json_refuse(reading, "the message is too large");
    RULE(begun <= out->used, "a message that is written again has begun");
    const struct output from = {.data = out->data + begun, .used = out->used - begun};
    struct arena arena = {.base = NULL};
    const ProtobufCMessage *message = decode(reading, type, &from, &arena);
    bool good = message != NULL && replace(reading, type, message, begun);
    free(arena.base);
    return good;
}
