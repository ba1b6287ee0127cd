/*
 * Converts a user's message in JSON to protobuf's wire format: reads the complete protobuf JSON
 * mapping (protobuf.dev, "ProtoJSON Format"), with the well-known types.
 *
 * For a start, not for the datagram path: allocates, and may read files and run protoc.
 */
#ifndef SLUICE_PROTO_READING_JSON_MESSAGE_H
#define SLUICE_PROTO_READING_JSON_MESSAGE_H

#include "collector/base/error.h"
#include "collector/contract/schema.h"

/* The type of the message: a built-in schema's, or a type in a file. */
struct json_message_type {
    const char *schema;  /* name of a built-in schema; NULL: `file` */
    const char *file;    /* a descriptor set, or a .proto file */
    const char *message; /* of a file: package.Type */
    const char *called;  /* name of the JSON in errors; NULL: "--json" */
};

/*
 * Makes the message of `json` in *bytes, which the caller frees, and its size. Returns 0, or -1
 * with `error` filled: an error in the JSON, with its line and column and the path of the field
 * (EXIT_CODE_USAGE); in the file or the type (EXIT_CODE_CONFIG); no memory (EXIT_CODE_INTERNAL).
 */
int json_message_encode(const struct json_message_type *type, const char *json, uint8_t **bytes,
                        size_t *size, struct error *error);

#endif
