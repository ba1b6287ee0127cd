/*
 * sluice-decode: decodes messages from standard input or a capture, and writes them to standard
 * output.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "collector/capture/capture.h"
#include "collector/platform/process.h"
#include "proto/schemas.h"
#include "tools/command/standard_streams.h"
#include "tools/decode/message_memory.h"
#include "tools/decode/message_reader.h"
#include "tools/decode/opening.h"
#include "tools/decode/options.h"
#include "tools/decode/samples.h"

static int put(const void *bytes, size_t size, struct error *error)
{
    errno = 0;
    if (fwrite(bytes, 1, size, stdout) == size)
        return 0;
    error_set(error, EXIT_CODE_IO, "cannot write to standard output: %s", strerror(errno));
    return -1;
}

static int put_length(size_t length, struct error *error)
{
    uint8_t bytes[10];
    size_t count = 0;
    for (; length >= 0x80; length >>= 7)
        bytes[count++] = (uint8_t)(length | 0x80);
    bytes[count++] = (uint8_t)length;
    return put(bytes, count, error);
}

static int write_message(const struct decode_settings *settings, struct message_memory *memory,
                         const struct schema *schema, const void *message, struct error *error)
{
    const struct output *text = &memory->text;
    if (settings->samples)
        return samples_write(memory, schema, message, error) != 0
                   ? -1
                   : put(text->data, text->used, error);
    if (!settings->as_protobuf) {
        if (message_memory_write_json(memory, schema, message, &settings->style, error) != 0 ||
            put(text->data, text->used, error) != 0)
            return -1;
        return put("\n", 1, error);
    }
    if (message_memory_write_protobuf(memory, schema, message, error) != 0 ||
        (settings->delimited && put_length(text->used, error) != 0))
        return -1;
    return put(text->data, text->used, error);
}

struct decoding {
    const struct decode_settings *settings;
    const struct schema *schema;
    struct message_memory memory;
    struct opening *opening; /* NULL if messages are not sealed */
};

static int convert(struct decoding *decoding, const uint8_t *data, size_t size, struct error *error)
{
    const void *message = NULL;
    if (decoding->opening != NULL &&
        opening_open(decoding->opening, data, size, &data, &size, error) != 0)
        return -1;
    if (message_memory_decode(&decoding->memory, decoding->schema, data, size, &message, error) !=
        0)
        return -1;
    return write_message(decoding->settings, &decoding->memory, decoding->schema, message, error);
}

/*
 * Converts all messages of standard input, or those before the first that fails. The error has the
 * number and the position of that message.
 */
static int convert_input(struct decoding *decoding, struct error *error)
{
    struct message_reader reader = {.input = stdin, .delimited = decoding->settings->delimited};
    enum message_reader_result result;
    struct error reason;
    while ((result = message_reader_next(&reader, error)) == MESSAGE_READER_OK) {
        if (convert(decoding, reader.data, reader.size, &reason) == 0)
            continue;
        if (reason.code == EXIT_CODE_IO)
            *error = reason;
        else
            error_set(error, reason.code,
                      "message %" PRIu64 " (at byte %" PRIu64 ", of %zu bytes): %s", reader.count,
                      reader.offset, reader.size, reason.text);
        break;
    }
    message_reader_clear(&reader);
    return result == MESSAGE_READER_END ? 0 : -1;
}

static int convert_datagrams(struct decoding *decoding, struct capture *capture,
                             struct error *error)
{
    struct capture_datagram datagram;
    enum capture_result result;
    struct error reason;
    uint64_t count = 0, failed = 0;
    while ((result = capture_next(capture, &datagram, error)) == CAPTURE_DATAGRAM) {
        count++;
        if (convert(decoding, datagram.data, datagram.size, &reason) == 0)
            continue;
        if (reason.code == EXIT_CODE_IO) {
            *error = reason;
            return -1;
        }
        failed++;
        fprintf(stderr, "%s: datagram %" PRIu64 " (%zu bytes): %s\n", decode_command.name, count,
                datagram.size, reason.text);
    }
    if (result == CAPTURE_DAMAGED || failed == 0)
        return result == CAPTURE_DAMAGED ? -1 : 0;
    error_set(error, EXIT_CODE_BAD_INPUT,
              "%" PRIu64 " of %" PRIu64 " datagrams could not be decoded", failed, count);
    return -1;
}

static int convert_capture(struct decoding *decoding, struct error *error)
{
    struct capture *capture;
    if (capture_open(decoding->settings->capture, (uint16_t)decoding->settings->port, &capture,
                     error) != 0)
        return -1;
    int result = convert_datagrams(decoding, capture, error);
    capture_close(capture);
    return result;
}

static int convert_all(const struct decode_settings *settings, const struct schema *schema,
                       struct error *error)
{
    struct decoding decoding = {.settings = settings, .schema = schema};
    if (settings->sender_keys != NULL &&
        opening_begin(settings->sender_keys, &decoding.opening, error) != 0)
        return -1;
    int result = settings->capture != NULL ? convert_capture(&decoding, error)
                                           : convert_input(&decoding, error);
    message_memory_clear(&decoding.memory);
    opening_end(decoding.opening);
    return result;
}

static int run(const struct decode_settings *settings, struct error *error)
{
    struct schema *schema;
    if (settings->as_protobuf && standard_output_is_terminal()) {
        error_set(error, EXIT_CODE_CONFIG,
                  "--format protobuf is binary and standard output is a terminal; write it to a "
                  "file or into a pipe");
        return -1;
    }
    const struct schema_ops *ops = settings->schema != NULL ? settings->schema : &schema_file;
    struct schema_options schema_options = settings->keys;
    schema_options.source =
        settings->schema != NULL ? settings->schema->name : settings->descriptor_set;
    schema_options.message = settings->message;
    schema_options.text_samples = settings->texts != NULL && strcmp(settings->texts, "info") == 0;
    if (settings->samples && settings->schema == NULL && schema_options.value == NULL)
        schema_options.value = "*";
    if (ops->create(&schema_options, &schema, error) != 0)
        return -1;
    int result = convert_all(settings, schema, error);
    schema->ops->destroy(schema);
    return result;
}

int program_main(int argc, char **argv)
{
    struct decode_settings settings = {0};
    struct error error;
    int code;
    if (!command_begin(&decode_command, argc, argv, &settings, &code))
        return code;
    return command_end(&decode_command, run(&settings, &error), &error);
}
