/*
 * The descriptor set that a user names: a file that holds one, or a .proto file, which protoc
 * makes one of (it must be installed; imports are looked for beside the file). Reads files and
 * runs programs: for a start and a reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H
#define SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H

#include "proto/types/type_set.h"

/*
 * Loads the types of `path`. Returns 0, or -1 with `error` filled with one line that names the
 * file and what is wrong (EXIT_CODE_CONFIG), or EXIT_CODE_INTERNAL where memory is short.
 */
int descriptor_file_load(const char *path, struct type_set **out, struct error *error);

#endif
