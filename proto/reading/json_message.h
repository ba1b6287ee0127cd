/*
 * A message that a user gives as JSON, in protobuf's wire format: the protobuf JSON mapping
 * (protobuf.dev, "ProtoJSON Format") read, complete with the well-known types.
 *
 * For a start, not for the datagram path: allocates, and may read files and run protoc.
 */
#ifndef SLUICE_PROTO_READING_JSON_MESSAGE_H
#define SLUICE_PROTO_READING_JSON_MESSAGE_H

#include "collector/base/error.h"
#include "collector/contract/schema.h"

/* What the message is of: a built-in schema's message, or a type of a file. */
struct json_message_type {
    const char *schema;  /* the name of a built-in one; NULL: `file` */
    const char *file;    /* a descriptor set, or a .proto file */
    const char *message; /* of a file: package.Type */
    const char *called;  /* what errors call the JSON; NULL: "--json" */
};

/*
 * Makes the message of `json` in *bytes, which is the caller's to free, and its size. Returns 0, or
 * -1 with `error` filled: what is wrong with the JSON, with its line and column and the path of the
 * field (EXIT_CODE_USAGE); with the file or the type (EXIT_CODE_CONFIG); no memory
 * (EXIT_CODE_INTERNAL).
 */
int json_message_encode(const struct json_message_type *type, const char *json, uint8_t **bytes,
                        size_t *size, struct error *error);

#endif
