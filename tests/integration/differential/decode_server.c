/*
 * Decodes messages of any type on request. Only for test_differential.py.
 *
 * On standard input it reads frames: a letter, a length in 4 bytes (little-endian), and that number
 * of bytes. It answers each with a frame on standard output.
 *
 *   'T'  sets the type: its full name, a NUL, a descriptor set. The answer is 'T', or 'E' with the
 *        error.
 *   'M'  messages of that type, each a byte of style bits, a length (4 bytes) and its bytes. The
 *        answer is 'M': for each message its result (1 byte). For DECODE_OK there follow, in 4
 *        bytes each, the number of values without a JSON form, the number of unknown fields, the
 *        length of its JSON and the length of its bytes encoded again; then the JSON and the bytes.
 *
 * It reads a frame completely before it answers. So a client that writes a whole frame before it
 * reads cannot deadlock. It ends with 0 at the end of the input.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/process.h"
#include "proto/message/decode.h"
#include "proto/message/encode.h"
#include "proto/message/json.h"
#include "proto/types/type_set.h"

#define ROOM ((size_t)32 * 1024 * 1024) /* for a decoded message, and for its text */

enum { STYLE_PROTO_NAMES = 1, STYLE_SHOW_UNKNOWN = 2 };

struct server {
    struct type_set *set;
    const struct message_type *type;
    struct arena arena, scratch;
    struct output json, bytes;
    struct output answer; /* grows */
};

static void fail(const char *why)
{
    fprintf(stderr, "decode_server: %s\n", why);
    exit(1);
}

static void *allocate(size_t size)
{
    void *block = malloc(size == 0 ? 1 : size);
    if (block == NULL)
        fail("out of memory");
    return block;
}

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void write_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void put(struct server *server, const void *bytes, size_t size)
{
    struct output *answer = &server->answer;
    if (size > answer->capacity - answer->used) {
        answer->capacity = 2 * (answer->capacity + size);
        answer->data = realloc(answer->data, answer->capacity);
        if (answer->data == NULL)
            fail("out of memory");
    }
    output_bytes(answer, bytes, size);
}

static void put_u32(struct server *server, size_t value)
{
    uint8_t bytes[4];
    write_u32(bytes, (uint32_t)value);
    put(server, bytes, sizeof bytes);
}

static void send_answer(struct server *server, char letter)
{
    uint8_t head[5] = {(uint8_t)letter};
    write_u32(head + 1, (uint32_t)server->answer.used);
    if (fwrite(head, sizeof head, 1, stdout) != 1 ||
        (server->answer.used != 0 &&
         fwrite(server->answer.data, server->answer.used, 1, stdout) != 1) ||
        fflush(stdout) != 0)
        fail("cannot write");
}

/* --- requests --------------------------------------------------------------------------------- */

static void take_type(struct server *server, const uint8_t *frame, size_t size)
{
    struct error error;
    const uint8_t *end = memchr(frame, '\0', size);
    if (end == NULL)
        fail("a type without a name");
    type_set_destroy(server->set);
    server->set = NULL;
    server->type = NULL;
    if (type_set_load("set", end + 1, size - (size_t)(end + 1 - frame), NULL, &server->set,
                      &error) == 0)
        server->type = type_set_require(server->set, (const char *)frame, &error);
    if (server->type == NULL)
        put(server, error.text, strlen(error.text));
    send_answer(server, server->type == NULL ? 'E' : 'T');
}

static void put_decoded(struct server *server, const struct decoded *decoded, uint8_t style_bits)
{
    struct json_style style = {.proto_names = (style_bits & STYLE_PROTO_NAMES) != 0,
                               .show_unknown = (style_bits & STYLE_SHOW_UNKNOWN) != 0};
    server->json.used = 0;
    server->bytes.used = 0;
    size_t fallbacks =
        message_write_json(server->type, decoded->message, &style, &server->scratch, &server->json);
    message_encode(server->type, decoded->message, &server->bytes);
    if (server->json.overflow || server->bytes.overflow)
        fail("too little room for what a message becomes");
    put_u32(server, fallbacks);
    put_u32(server, decoded->unknown_fields);
    put_u32(server, server->json.used);
    put_u32(server, server->bytes.used);
    put(server, server->json.data, server->json.used);
    put(server, server->bytes.data, server->bytes.used);
}

/*
 * Copies the bytes to a block of exactly their size, so that a sanitizer detects reads beyond the
 * end.
 */
static void take_message(struct server *server, uint8_t style, const uint8_t *bytes, size_t size)
{
    struct decoded decoded;
    uint8_t *copy = allocate(size);
    if (size != 0)
        memcpy(copy, bytes, size);
    server->arena.used = 0;
    uint8_t verdict = (uint8_t)message_decode(server->type, copy, size, SCHEMA_MAX_DEPTH,
                                              &server->arena, &decoded);
    put(server, &verdict, 1);
    if (verdict == DECODE_OK)
        put_decoded(server, &decoded, style);
    free(copy);
}

static void take_messages(struct server *server, const uint8_t *frame, size_t size)
{
    const uint8_t *end = frame + size;
    if (server->type == NULL)
        fail("messages of no type");
    while (frame != end) {
        if (end - frame < 5 || read_u32(frame + 1) > (size_t)(end - frame) - 5)
            fail("a frame ends inside a message");
        size_t length = read_u32(frame + 1);
        take_message(server, frame[0], frame + 5, length);
        frame += 5 + length;
    }
    send_answer(server, 'M');
}

static void serve(struct server *server)
{
    uint8_t head[5];
    while (fread(head, sizeof head, 1, stdin) == 1) {
        size_t size = read_u32(head + 1);
        uint8_t *frame = allocate(size);
        if (fread(frame, 1, size, stdin) != size)
            fail("the input ends inside a frame");
        server->answer.used = 0;
        if (head[0] == 'T')
            take_type(server, frame, size);
        else if (head[0] == 'M')
            take_messages(server, frame, size);
        else
            fail("a frame of no known kind");
        free(frame);
    }
}

int program_main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    struct server server = {
        .arena = {.base = allocate(ROOM), .capacity = ROOM},
        .scratch = {.base = allocate(ROOM), .capacity = ROOM},
        .json = {.data = allocate(ROOM), .capacity = ROOM},
        .bytes = {.data = allocate(ROOM), .capacity = ROOM},
    };
    serve(&server);
    type_set_destroy(server.set);
    free(server.arena.base);
    free(server.scratch.base);
    free(server.json.data);
    free(server.bytes.data);
    free(server.answer.data);
    return 0;
}
