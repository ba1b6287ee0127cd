/*
 * The descriptor set that a user names: a file that holds one, or a .proto file, which protoc
 * makes one of (it must be installed; imports are looked for beside the file). Reads files and
 * runs programs: for a start and a reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H
#define SLUICE_PROTO_RUNTIME_DESCRIPTOR_FILE_H

#include "proto/types/type_set.h"

/* The bytes of a set. */
struct descriptor_file {
    const char *path; /* the caller's */
    unsigned char *data;
    size_t size;
};

/*
 * Reads the set of `path`. Returns 0, or -1 with `error` filled with one line that names the file
 * and what is wrong (EXIT_CODE_CONFIG), or EXIT_CODE_INTERNAL where memory is short. What was read
 * is freed by descriptor_file_free, which may be called in any case.
 */
int descriptor_file_read(const char *path, struct descriptor_file *file, struct error *error);
void descriptor_file_free(struct descriptor_file *file);

/* Loads its types, with changes (type_set_load_changed). Returns as above. */
int descriptor_file_types(const struct descriptor_file *file, const struct field_change *changes,
                          size_t change_count, struct type_set **out, struct error *error);

/* Reads it and loads its types as they are. */
int descriptor_file_load(const char *path, struct type_set **out, struct error *error);

#endif
