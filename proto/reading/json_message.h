/*
 * Converts a message that a user wrote in JSON to protobuf's wire format. Reads the complete
 * protobuf JSON mapping (protobuf.dev, "ProtoJSON Format"), with the well-known types.
 *
 * For the start of a program, not for the datagram path: allocates memory, and may read files and
 * run protoc.
 */
#ifndef SLUICE_PROTO_READING_JSON_MESSAGE_H
#define SLUICE_PROTO_READING_JSON_MESSAGE_H

#include "collector/base/error.h"
#include "collector/contract/schema.h"

/* The type of the message: a built-in schema's, or a type in a file. */
struct json_message_type {
    const char *schema;  /* name of a built-in schema; NULL: the type is in `file` */
    const char *file;    /* a descriptor set, a .proto file, or a folder of them */
    const char *message; /* full name of the type in `file`: "package.Type" */
    const char *called;  /* name of the JSON in errors; NULL: "--json" */
};

/*
 * Encodes the message `json` in *bytes, which the caller frees, and sets *size. Returns 0, or -1
 * with `error` filled: an error in the JSON, with its line and column and the path of the field
 * (EXIT_CODE_USAGE), an error in the file or the type (EXIT_CODE_CONFIG), or a lack of memory
 * (EXIT_CODE_INTERNAL).
 */
int json_message_encode(const struct json_message_type *type, const char *json, uint8_t **bytes,
                        size_t *size, struct error *error);

/* Does the same for a type that is loaded; `called` is the name of the JSON in errors. */
struct message_type;
int json_message_encode_type(const struct message_type *type, const char *called, const char *json,
                             uint8_t **bytes, size_t *size, struct error *error);

#endif
