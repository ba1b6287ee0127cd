/*
 * The .proto files of a schema: the file that the user names, or all files in a folder and below
 * it, and the files that they import, as far as they are found. For each file this module finds the
 * name that protoc uses, and it finds the folders in which protoc must search these names (the
 * roots).
 *
 * An import is a path below some folder, and protoc must be told that folder. For each import it is
 * the nearest folder that contains the import, searched from the importing file's folder upward. If
 * one folder, from the schema's folder upward, contains all imports of all files, then that folder
 * is the only root.
 *
 * Lifecycle: zero the struct, open, read it, clear. One thread. Reads files: for a start and a
 * reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_SOURCE_PROTO_FILES_H
#define SLUICE_PROTO_SOURCE_PROTO_FILES_H

#include "collector/base/error.h"
#include "proto/source/proto_head.h"

/* Limits of the files of one schema, with those that they import. */
#define PROTO_FILES_MAX        ((size_t)10000)
#define PROTO_BYTES_MAX        ((size_t)128 * 1024 * 1024)
#define PROTO_FOLDER_ENTRIES   ((size_t)100000) /* files and folders of any kind in it and below */
#define PROTO_FOLDER_DEPTH     ((size_t)64)
#define PROTO_ROOTS_MAX        ((size_t)64)
#define PROTO_FILES_OF_BUCKETS ((size_t)4096)

struct proto_file {
    const char *path; /* in full */
    const char *name; /* for protoc: a path below one of the roots; NULL: not known yet */
    bool listed;      /* the user named it, or it is in the folder */
    struct proto_head head;
    const struct proto_file *importer; /* the first file that imports it by `name`; or NULL */
    unsigned visit;
    struct proto_file *chain; /* in the same bucket */
};

struct proto_files {
    struct growing_arena memory;
    const char *given; /* the path as the user wrote it; for errors */
    const char *base;  /* the folder of the schema, in full */
    struct proto_file **files; /* the listed ones first */
    size_t count, capacity;
    size_t listed;
    size_t bytes; /* of all texts */
    char *probe;  /* the last path that was searched */
    size_t probe_size;
    const char *roots[PROTO_ROOTS_MAX]; /* folders in which protoc searches, in this order */
    size_t root_count;
    struct proto_file *buckets[PROTO_FILES_OF_BUCKETS];
    struct error *error;
};

/*
 * Finds the files of `path`, a .proto file or a folder. `path` belongs to the caller and must live
 * as long as *files. In a folder, names that begin with a dot are skipped; links are followed, each
 * folder once. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if
 * memory is short): the file or the folder cannot be read, a limit is exceeded, a folder has no
 * .proto file, or one file has two names. A missing import is not an error here: protoc may find it
 * in its own folder, and otherwise reports it.
 */
int proto_files_open(const char *path, bool is_folder, struct proto_files *files,
                     struct error *error);
void proto_files_clear(struct proto_files *files);

/*
 * Returns the file that has this name for protoc, or NULL. `length` is the size of the name in
 * bytes.
 */
const struct proto_file *proto_files_named(const struct proto_files *files, const char *name,
                                           size_t length);

/* --- functions for this folder only ----------------------------------------------------------- */

/*
 * proto_table.c: returns the file with that name in a folder; the folder's full path is the first
 * `size` bytes of `folder`. Returns NULL if there is no such file, or, with *failed set and the
 * error filled, if it cannot be added.
 */
struct proto_file *proto_files_get(struct proto_files *files, const char *folder, size_t size,
                                   const char *name, bool *failed);

/* Fills the error, which begins with the path that the user gave. Returns false. */
bool proto_files_refuse(struct proto_files *files, const char *format, ...) PRINTF_LIKE(2, 3);
bool proto_files_no_memory(struct proto_files *files);

/* proto_folder.c: lists the .proto files of files->base and below, in the order of their names. */
bool proto_folder_list(struct proto_files *files);

/* proto_roots.c: finds the imports of all files, and sets all names and the roots. */
bool proto_roots_find(struct proto_files *files);

#endif
