#include "tools/decode/options.h"

#include <string.h>

#include "proto/schemas.h"
#include "tools/command/value.h"

static const char *choice(const char *option, size_t at)
{
    if (strcmp(option, "schema") != 0 || builtin_schemas[at] == NULL)
        return NULL;
    return builtin_schemas[at]->name;
}

static int set_schema(void *settings, const char *value, struct error *error)
{
    const char *names[16] = {NULL};
    for (size_t i = 0; builtin_schemas[i] != NULL && i + 1 < sizeof names / sizeof names[0]; i++)
        names[i] = builtin_schemas[i]->name;
    size_t index;
    if (value_choice(value, names, &index, error) != 0)
        return -1;
    ((struct decode_settings *)settings)->schema = builtin_schemas[index];
    return 0;
}

static int set_descriptor_set(void *settings, const char *value, struct error *error)
{
    (void)error;
    ((struct decode_settings *)settings)->descriptor_set = value;
    return 0;
}

static int set_message(void *settings, const char *value, struct error *error)
{
    (void)error;
    ((struct decode_settings *)settings)->message = value;
    return 0;
}

static int set_delimited(void *settings, const char *value, struct error *error)
{
    (void)value;
    (void)error;
    ((struct decode_settings *)settings)->delimited = true;
    return 0;
}

/* One of two words; *second says which. */
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
    return choose(value, "json", "protobuf", &((struct decode_settings *)settings)->as_protobuf,
                  error);
}

static int set_names(void *settings, const char *value, struct error *error)
{
    return choose(value, "json", "proto", &((struct decode_settings *)settings)->style.proto_names,
                  error);
}

static int set_unknown(void *settings, const char *value, struct error *error)
{
    return choose(value, "hide", "show", &((struct decode_settings *)settings)->style.show_unknown,
                  error);
}

static int set_int64(void *settings, const char *value, struct error *error)
{
    return choose(value, "string", "number",
                  &((struct decode_settings *)settings)->style.int64_numbers, error);
}

static int check(void *settings, struct error *error)
{
    const struct decode_settings *given = settings;
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

static const struct command_option options[] = {
    {"schema", "NAME", "what the bytes mean", set_schema},
    {"descriptor-set", "FILE",
     "what the bytes mean: a file that protoc --include_imports\n--descriptor_set_out wrote, or a "
     ".proto file (protoc must be installed)",
     set_descriptor_set},
    {"message", "TYPE", "which message of the descriptor set: package.Type", set_message},
    {"delimited", NULL, "many messages, each after its length as a varint", set_delimited},
    {"format", "json|protobuf",
     "write one line of JSON a message (the default), or its bytes as\n"
     "encoded anew, each after its length where --delimited is given",
     set_format},
    {"names", "json|proto", "in JSON: lowerCamelCase (the default), or as in the .proto file",
     set_names},
    {"unknown", "hide|show", "in JSON: fields that the type does not have, as \"@unknown\"",
     set_unknown},
    {"int64", "string|number", "in JSON: 64-bit integers as strings (the default) or numbers",
     set_int64},
    {0},
};

const struct command decode_command = {
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
             "descriptor set is none, or lacks something, or protobuf is to go to a terminal.",
    .choice = choice,
    .check = check,
};
