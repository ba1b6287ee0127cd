/*
 * Compiles .proto files by protoc, which must be installed. Reads files and runs programs: for a
 * start and a reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_SOURCE_PROTOC_H
#define SLUICE_PROTO_SOURCE_PROTOC_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/child.h"

/*
 * Compiles the .proto file, or all .proto files in the folder and below, with what they import, to
 * one descriptor set of at most `most` bytes: *set, whose data the caller frees, also after a
 * failure. Returns 0, or -1 with `error` filled: one line that begins with `path`
 * (EXIT_CODE_CONFIG), or EXIT_CODE_INTERNAL if memory is short.
 */
int protoc_compile(const char *path, bool is_folder, size_t most, struct process_output *set,
                   struct error *error);

#endif
