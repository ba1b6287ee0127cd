/* sluice-decode: messages from standard input, decoded, on standard output. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "collector/entry.h"
#include "proto/schemas.h"
#include "tools/command/command.h"
#include "tools/command/value.h"
#include "tools/decode/message_memory.h"
#include "tools/decode/message_reader.h"

struct settings {
    const struct schema_ops *schema; /* a built-in one, or NULL */
    const char *descriptor_set;      /* a file; NULL: none */
    const char *message;             /* of the file */
    bool delimited;
    bool as_protobuf; /* else JSON */
    struct json_style style;
};

static int set_schema(void *settings, const char *value, struct error *error)
{
    const char *names[16] = {NULL};
    for (size_t i = 0; builtin_schemas[i] != NULL && i + 1 < sizeof names / sizeof names[0]; i++)
        names[i] = builtin_schemas[i]->name;
    size_t index;
    if (value_choice(value, names, &index, error) != 0)
        return -1;
    ((struct settings *)settings)->schema = builtin_schemas[index];
    return 0;
}

static int set_descriptor_set(void *settings, const char *value, struct error *error)
{
    (void)error;
    ((struct settings *)settings)->descriptor_set = value;
    return 0;
}

static int set_message(void *settings, const char *value, struct error *error)
{
    (void)error;
    ((struct settings *)settings)->message = value;
    return 0;
}

static int set_delimited(void *settings, const char *value, struct error *error)
{
    (void)value;
    (void)error;
    ((struct settings *)settings)->delimited = true;
    return 0;
}

/* One of two words; *second tells which. */
static int choose(const char *value, const char *first_word, const char *second_word, bool *second,
                  struct error *error)
{
    const char *const names[] = {first_word, second_word, NULL};
    size_t index;
    if (value_choice(value, names, &index, error) != 0)
        return -1;
    *second = index != 0;
    return 0;
}

static int set_format(void *settings, const char *value, struct error *error)
{
    return choose(value, "json", "protobuf", &((struct settings *)settings)->as_protobuf, error);
}

static int set_names(void *settings, const char *value, struct error *error)
{
    return choose(value, "json", "proto", &((struct settings *)settings)->style.proto_names, error);
}

static int set_unknown(void *settings, const char *value, struct error *error)
{
    return choose(value, "hide", "show", &((struct settings *)settings)->style.show_unknown, error);
}

static int set_int64(void *settings, const char *value, struct error *error)
{
    return choose(value, "string", "number", &((struct settings *)settings)->style.int64_numbers,
                  error);
}

static int check(void *settings, struct error *error)
{
    const struct settings *given = settings;
    const char *wrong = NULL;
    if (given->schema == NULL && given->descriptor_set == NULL)
        wrong = "--schema or --descriptor-set is missing (see --help)";
    else if (given->schema != NULL && given->descriptor_set != NULL)
        wrong = "--schema and --descriptor-set exclude each other";
    else if (given->descriptor_set != NULL && given->message == NULL)
        wrong = "--message is missing: which message of the descriptor set";
    else if (given->schema != NULL && given->message != NULL)
        wrong = "--message is for a --descriptor-set";
    if (wrong == NULL)
        return 0;
    error_set(error, EXIT_CODE_USAGE, "%s", wrong);
    return -1;
}

static char schema_help[256]; /* told by help_on_schemas */

static const struct command_option options[] = {
    {"schema", "NAME", schema_help, set_schema},
    {"descriptor-set", "FILE",
     "what the bytes mean: a file that protoc --include_imports\n--descriptor_set_out wrote, or a "
     ".proto file (protoc must be installed)",
     set_descriptor_set},
    {"message", "TYPE", "which message of the descriptor set: package.Type", set_message},
    {"delimited", NULL, "many messages, each behind its length as a varint", set_delimited},
    {"format", "json|protobuf",
     "write one line of JSON a message (the default), or its bytes as\n"
     "encoded anew, each behind its length where --delimited is given",
     set_format},
    {"names", "json|proto", "in JSON: lowerCamelCase (the default), or as in the .proto file",
     set_names},
    {"unknown", "hide|show", "in JSON: fields that the type does not have, as \"@unknown\"",
     set_unknown},
    {"int64", "string|number", "in JSON: 64-bit integers as strings (the default) or numbers",
     set_int64},
    {0},
};

static const struct command command = {
    .name = "sluice-decode",
    .usage = "--schema NAME | --descriptor-set FILE --message TYPE [options] < BYTES",
    .summary =
        "Decodes a protobuf message from standard input, as the collector decodes a datagram,\n"
        "and writes it to standard output in the protobuf JSON mapping.",
    .options = options,
    .notes = "A message has at most 64 MiB. Exit codes: 0 done; 3 the message has no JSON form (a\n"
             "Timestamp out of range, an Any of an unknown type); 64 wrong options; 65 the bytes "
             "are no\n"
             "such message, or the input ends inside one; 74 reading or writing failed; 78 the\n"
             "descriptor set is none, or lacks something.",
    .check = check,
};

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

static int write_message(const struct settings *settings, struct message_memory *memory,
                         const struct schema *schema, const void *message, struct error *error)
{
    const struct output *text = &memory->text;
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

/* Decodes and writes the message that was read; says which one it was where that fails. */
static int convert(const struct settings *settings, const struct message_reader *reader,
                   struct message_memory *memory, const struct schema *schema, struct error *error)
{
    const void *message = NULL;
    struct error reason;
    if (message_memory_decode(memory, schema, reader->data, reader->size, &message, &reason) == 0 &&
        write_message(settings, memory, schema, message, &reason) == 0)
        return 0;
    if (reason.code == EXIT_CODE_IO) {
        *error = reason;
        return -1;
    }
    error_set(error, reason.code, "message %" PRIu64 " (at byte %" PRIu64 ", of %zu bytes): %s",
              reader->count, reader->offset, reader->size, reason.text);
    return -1;
}

static int convert_all(const struct settings *settings, const struct schema *schema,
                       struct error *error)
{
    struct message_reader reader = {.input = stdin, .delimited = settings->delimited};
    struct message_memory memory = {0};
    enum message_reader_result result;
    while ((result = message_reader_next(&reader, error)) == MESSAGE_READER_OK)
        if (convert(settings, &reader, &memory, schema, error) != 0)
            break;
    message_memory_clear(&memory);
    message_reader_clear(&reader);
    return result == MESSAGE_READER_END ? 0 : -1;
}

static int run(const struct settings *settings, struct error *error)
{
    struct schema *schema;
    const struct schema_ops *ops = settings->schema != NULL ? settings->schema : &schema_file;
    const struct schema_options schema_options = {
        .source = settings->schema != NULL ? settings->schema->name : settings->descriptor_set,
        .message = settings->message};
    if (ops->create(&schema_options, &schema, error) != 0)
        return -1;
    int result = convert_all(settings, schema, error);
    schema->ops->destroy(schema);
    return result;
}

/* What --help says of the schemas: the names in their table. */
static void help_on_schemas(void)
{
    struct output help = {.data = schema_help, .capacity = sizeof schema_help - 1};
    output_literal(&help, "what the bytes mean: ");
    for (size_t i = 0; builtin_schemas[i] != NULL; i++) {
        if (i != 0 && builtin_schemas[i + 1] != NULL)
            output_literal(&help, ", ");
        else if (i != 0)
            output_literal(&help, " or ");
        output_bytes(&help, builtin_schemas[i]->name, strlen(builtin_schemas[i]->name));
    }
}

int program_main(int argc, char **argv)
{
    struct settings settings = {0};
    struct error error;
    int code;
    help_on_schemas();
    if (!command_begin(&command, argc, argv, &settings, &code))
        return code;
    return command_end(&command, run(&settings, &error), &error);
}
