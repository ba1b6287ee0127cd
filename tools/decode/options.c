#include "tools/decode/options.h"

#include <string.h>

#include "collector/platform/file_system.h"
#include "proto/schemas.h"
#include "tools/command/value.h"

static const char *choice(const char *option, size_t at)
{
    if (strcmp(option, "schema") != 0 || builtin_schemas[at] == NULL)
        return NULL;
    return builtin_schemas[at]->name;
}

/* Returns true if the value of --schema is a path and not the name of a built-in schema. */
static bool is_path(const char *value)
{
    for (size_t i = 0; builtin_schemas[i] != NULL; i++)
        if (strcmp(builtin_schemas[i]->name, value) == 0)
            return false;
    return strpbrk(value, "./\\") != NULL || folder_is_readable(value);
}

static int set_schema(void *settings, const char *value, struct error *error)
{
    struct decode_settings *decode = settings;
    decode->schema = NULL;
    decode->schema_path = is_path(value) ? value : NULL;
    if (decode->schema_path != NULL)
        return 0;
    const char *names[16] = {NULL};
    for (size_t i = 0; builtin_schemas[i] != NULL && i + 1 < sizeof names / sizeof names[0]; i++)
        names[i] = builtin_schemas[i]->name;
    size_t index;
    if (value_choice(value, names, &index, error) != 0)
        return -1;
    decode->schema = builtin_schemas[index];
    return 0;
}

static const char *check_keys(const struct decode_settings *given)
{
    const struct schema_options *keys = &given->keys;
    bool of_samples = keys->value != NULL || keys->labels != NULL || keys->name != NULL ||
                      keys->time != NULL || given->texts != NULL;
    if (of_samples && !given->samples)
        return "--value, --labels, --name, --time and --texts need --samples";
    if ((of_samples || keys->nested != NULL) && given->descriptor_set == NULL)
        return "--value, --labels, --name, --time, --texts and --nested are for a schema from a "
               "file";
    if (given->texts != NULL && strcmp(given->texts, "drop") != 0 &&
        strcmp(given->texts, "info") != 0)
        return "--texts is drop or info";
    if (given->samples && given->schema != NULL && given->schema->next_sample == NULL)
        return "this --schema has no samples";
    return NULL;
}

static int check(void *settings, struct error *error)
{
    struct decode_settings *given = settings;
    const char *wrong = NULL;
    bool both =
        given->descriptor_set != NULL && (given->schema != NULL || given->schema_path != NULL);
    if (given->descriptor_set == NULL)
        given->descriptor_set = given->schema_path;
    if (given->schema == NULL && given->descriptor_set == NULL)
        wrong = "--schema or --descriptor-set is missing (see --help)";
    else if (both)
        wrong = "--schema and --descriptor-set exclude each other";
    else if (given->descriptor_set != NULL && given->message == NULL)
        wrong = "--message is missing: the type of the message in the schema's file";
    else if (given->schema != NULL && given->message != NULL)
        wrong = "--message is for a --schema that is a file, or a --descriptor-set";
    else if (given->samples && given->as_protobuf)
        wrong = "--samples are JSON; remove --format protobuf";
    else if (given->capture != NULL && given->delimited && !given->as_protobuf)
        wrong = "--delimited is for standard input; a capture has datagrams";
    else if (given->capture == NULL && given->port != 0)
        wrong = "--port is for a --capture";
    else
        wrong = check_keys(given);
    if (wrong == NULL)
        return 0;
    error_set(error, EXIT_CODE_USAGE, "%s", wrong);
    return -1;
}

static const struct command_option options[] = {
    {"schema", "NAME",
     "a built-in schema; or, with --message, a .proto file or a folder of\nthem, or a descriptor "
     "set",
     .set = set_schema},
    {"descriptor-set", "FILE",
     "what the bytes mean: a file that protoc --include_imports\n--descriptor_set_out wrote, or a "
     ".proto file or a folder of them\n(protoc must be installed)",
     COMMAND_KEEP(TEXT, struct decode_settings, descriptor_set)},
    {"message", "TYPE", "type of the message in the schema's file: package.Type",
     COMMAND_KEEP(TEXT, struct decode_settings, message)},
    {"samples", NULL,
     "write a line of JSON for each sample: those of the built-in\nschema, or of value=* and the "
     "keys below, as of a listener",
     COMMAND_KEEP(FLAG, struct decode_settings, samples)},
    {"value", "PATHS", "with --samples: fields whose numbers are samples; default *",
     COMMAND_KEEP(TEXT, struct decode_settings, keys.value)},
    {"labels", "PATHS", "with --samples: fields that are labels",
     COMMAND_KEEP(TEXT, struct decode_settings, keys.labels)},
    {"name", "PATH", "with --samples: the field that names samples",
     COMMAND_KEEP(TEXT, struct decode_settings, keys.name)},
    {"time", "PATH", "with --samples: the field with their time",
     COMMAND_KEEP(TEXT, struct decode_settings, keys.time)},
    {"nested", "FIELDS", "bytes fields that contain messages",
     COMMAND_KEEP(TEXT, struct decode_settings, keys.nested)},
    {"texts", "drop|info",
     "with --samples: texts that are not labels are left out, or make a sample",
     COMMAND_KEEP(TEXT, struct decode_settings, texts)},
    {"keys", "FILE",
     "the messages are sealed datagrams: open them with the keys of this\n"
     "file (sluice keygen)",
     COMMAND_KEEP(TEXT, struct decode_settings, sender_keys)},
    {"capture", "FILE",
     "the messages are the UDP payloads of this capture (pcap or\n"
     "pcapng), such as a file of dead letters; one that cannot be decoded\n"
     "is reported, and the others are decoded",
     COMMAND_KEEP(TEXT, struct decode_settings, capture)},
    {"port", "N", "with --capture: only datagrams to this port; default all",
     COMMAND_KEEP(COUNT, struct decode_settings, port), .least = 1, .most = UINT16_MAX},
    {"delimited", NULL, "many messages, each after its length as a varint",
     COMMAND_KEEP(FLAG, struct decode_settings, delimited)},
    {"format", "json|protobuf",
     "write each message as one line of JSON (the default), or encoded\n"
     "again, after its length if --delimited is given",
     COMMAND_KEEP(EITHER, struct decode_settings, as_protobuf)},
    {"names", "json|proto", "in JSON: lowerCamelCase (the default), or as in the .proto file",
     COMMAND_KEEP(EITHER, struct decode_settings, style.proto_names)},
    {"unknown", "hide|show", "in JSON: fields that the type does not have, as \"@unknown\"",
     COMMAND_KEEP(EITHER, struct decode_settings, style.show_unknown)},
    {"int64", "string|number", "in JSON: 64-bit integers as strings (the default) or numbers",
     COMMAND_KEEP(EITHER, struct decode_settings, style.int64_numbers)},
    {0},
};

const struct command decode_command = {
    .name = "sluice-decode",
    .usage = "--schema NAME | --schema PATH --message TYPE [options] < BYTES",
    .summary =
        "Decodes a protobuf message from standard input, as the collector decodes a datagram,\n"
        "and writes it to standard output in the protobuf JSON mapping.",
    .options = options,
    .notes =
        "A message has at most 64 MiB. A sealed datagram that cannot be opened is malformed,\n"
        "no_key (the file has no such key, or it was not valid at the datagram's time) or\n"
        "forged, as in a listener's ledger; its age does not matter, and it may come twice.\n"
        "Exit codes: 0 done; 3 the message has no JSON form (a\n"
        "Timestamp out of range, an Any of an unknown type); 64 wrong options; 65 the bytes "
        "are not\n"
        "such a message, or the input ends inside one; 74 reading or writing failed; 78 the\n"
        "descriptor set is invalid or incomplete, protobuf would go to a terminal, or the file of\n"
        "--keys is not one of keys, or is open to other users.",
    .choice = choice,
    .check = check,
};
