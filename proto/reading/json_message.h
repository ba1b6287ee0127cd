/*
 * Converts a message that a user wrote in JSON to protobuf's wire format. Reads the complete
 * protobuf JSON mapping (protobuf.dev, "ProtoJSON Format"), with the well-known types. For the
 * start of a program, not for the datagram path: allocates memory, and may read files and run
 * protoc.
 */
#ifndef SLUICE_PROTO_READING_JSON_MESSAGE_H
#define SLUICE_PROTO_READING_JSON_MESSAGE_H

#include "collector/base/error.h"
#include "collector/contract/schema.h"

/* The type of the message: that of a built-in schema, or a type in a file. */
struct json_message_type {
    const char *schema;  /* of a built-in schema; NULL if the type is in `file` */
    const char *file;    /* a descriptor set, a .proto file, or a folder of .proto files */
    const char *message; /* full name of the type in `file`: "package.Type" */
    const char *called;  /* name of the JSON in errors; NULL: "--json" */
};

/*
 * Encodes the message `json` to *bytes, which the caller frees, and sets *size. Returns 0, or -1
 * with `error` filled: EXIT_CODE_USAGE for the JSON, with line, column and the path of the field;
 * EXIT_CODE_CONFIG for the file or the type; EXIT_CODE_INTERNAL if memory is short.
 */
int json_message_encode(const struct json_message_type *type, const char *json, uint8_t **bytes,
                        size_t *size, struct error *error);

/* Does the same with a type that is already loaded; `called` is the name of the JSON in errors. */
struct message_type;
int json_message_encode_type(const struct message_type *type, const char *called, const char *json,
                             uint8_t **bytes, size_t *size, struct error *error);

#endif
