/*
 * Reads the descriptor set that a user names: a file with the set, or a .proto file or a folder of
 * .proto files, which protoc compiles (proto/source/protoc.h). Reads files and runs programs: for a
 * start and a reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H
#define SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H

#include "proto/types/type_set.h"

/*
 * Reads the set at `path` and loads its types. The caller destroys the set. Returns 0, or -1 with
 * `error` filled: one line with the file and the problem (EXIT_CODE_CONFIG), or EXIT_CODE_INTERNAL
 * if memory is short.
 */
int descriptor_file_load(const char *path, struct type_set **out, struct error *error);

#endif
