/*
 * Reads the descriptor set that a user names: a file that contains the set, or a .proto file or a
 * folder of .proto files, which protoc compiles (proto/source/protoc.h). protoc must be installed.
 * Reads files and runs programs: for a start and a reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H
#define SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H

#include "proto/types/type_set.h"

/* The bytes of a descriptor set. */
struct descriptor_file {
    const char *path; /* owned by the caller */
    unsigned char *data;
    size_t size;
};

/*
 * Reads the set at `path`. Returns 0, or -1 with `error` filled: one line that names the file and
 * the problem (EXIT_CODE_CONFIG), or EXIT_CODE_INTERNAL if memory is short. descriptor_file_free
 * releases the bytes, and can also be called after a failure.
 */
int descriptor_file_read(const char *path, struct descriptor_file *file, struct error *error);
void descriptor_file_free(struct descriptor_file *file);

/*
 * Loads the types of a set that was read, with changes (type_set_load_changed). Returns like
 * descriptor_file_read.
 */
int descriptor_file_types(const struct descriptor_file *file, const struct field_change *changes,
                          size_t change_count, struct type_set **out, struct error *error);

/* Reads the set at `path` and loads its types without changes. */
int descriptor_file_load(const char *path, struct type_set **out, struct error *error);

#endif
