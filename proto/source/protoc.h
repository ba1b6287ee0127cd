/*
 * Compiles .proto files with protoc, which must be installed. Reads files and runs programs: for a
 * start and a reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_SOURCE_PROTOC_H
#define SLUICE_PROTO_SOURCE_PROTOC_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"
#include "collector/platform/child.h"

/*
 * Compiles a .proto file, or all .proto files in a folder and its subfolders, with their imports,
 * to a descriptor set of at most `most` bytes: *set, whose data the caller frees in either case.
 * Returns 0, or -1 with `error` filled: one line that begins with `path` (EXIT_CODE_CONFIG), or
 * EXIT_CODE_INTERNAL if memory is short.
 */
int protoc_compile(const char *path, bool is_folder, size_t most, struct process_output *set,
                   struct error *error);

#endif
