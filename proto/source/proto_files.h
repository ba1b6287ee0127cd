/*
 * Finds the .proto files of a schema: the file that the user names, or all files in a folder and
 * its subfolders, and the files that they import. Also finds the name of each file for protoc, and
 * the folders (roots) in which protoc must search these names.
 *
 * An import is a path below some folder, which protoc must be given. If one folder, from the
 * schema's folder upward, contains all imports of all files, it is the only root. Otherwise the
 * root of each import is the nearest folder that contains it, from the importing file's folder
 * upward.
 *
 * Lifecycle: zero the struct, open, read it, clear. One thread. Reads files: for a start and a
 * reload, not for the datagram path.
 */
#ifndef SLUICE_PROTO_SOURCE_PROTO_FILES_H
#define SLUICE_PROTO_SOURCE_PROTO_FILES_H

#include "collector/base/error.h"
#include "proto/source/proto_head.h"

/* Limits for the files of a schema, with those that they import. */
#define PROTO_FILES_MAX        ((size_t)10000)
#define PROTO_BYTES_MAX        ((size_t)128 * 1024 * 1024)
#define PROTO_FOLDER_ENTRIES   ((size_t)100000) /* of any kind, with those in subfolders */
#define PROTO_FOLDER_DEPTH     ((size_t)64)
#define PROTO_ROOTS_MAX        ((size_t)64)
#define PROTO_FILES_OF_BUCKETS ((size_t)4096)

struct proto_file {
    const char *path; /* absolute */
    const char *name; /* for protoc: a path below a root; NULL: not determined yet */
    bool listed;      /* the user named the file, or its folder */
    struct proto_head head;
    const struct proto_file *importer; /* the first file that imports it by `name`, or NULL */
    unsigned visit;
    struct proto_file *chain; /* the next file in the same bucket */
};

struct proto_files {
    struct growing_arena memory;
    const char *given;         /* as the user wrote it, for errors */
    const char *base;          /* the folder of the schema, absolute */
    struct proto_file **files; /* the listed ones first */
    size_t count, capacity;
    size_t listed;
    size_t bytes; /* total size of all files */
    char *probe;  /* the last path that was searched */
    size_t probe_size;
    const char *roots[PROTO_ROOTS_MAX]; /* in the order in which protoc searches them */
    size_t root_count;
    struct proto_file *buckets[PROTO_FILES_OF_BUCKETS];
    struct error *error;
};

/*
 * Finds the files of `path`, a .proto file or a folder. `path` must exist as long as *files. In a
 * folder, ignores names that begin with a dot, and follows links, but lists each folder only once.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if memory is
 * short): the file or the folder cannot be read, a limit is exceeded, a folder has no .proto file,
 * or a file has two names. A missing import is not an error: protoc may find it in its own folder,
 * or reports it.
 */
int proto_files_open(const char *path, bool is_folder, struct proto_files *files,
                     struct error *error);
void proto_files_clear(struct proto_files *files);

/* Returns the file with this name for protoc, of `length` bytes, or NULL. */
const struct proto_file *proto_files_named(const struct proto_files *files, const char *name,
                                           size_t length);

/* --- functions for this folder only ----------------------------------------------------------- */

/*
 * proto_table.c: returns the file `name` of a folder, whose absolute path is the first `size` bytes
 * of `folder`. Returns NULL if it does not exist. On an error also sets *failed, with the error
 * filled.
 */
struct proto_file *proto_files_get(struct proto_files *files, const char *folder, size_t size,
                                   const char *name, bool *failed);

/* Fills the error, which begins with the user's path. Returns false. */
bool proto_files_refuse(struct proto_files *files, const char *format, ...) PRINTF_LIKE(2, 3);
bool proto_files_no_memory(struct proto_files *files);

/*
 * proto_folder.c: lists the .proto files in files->base and its subfolders, in the order of their
 * names.
 */
bool proto_folder_list(struct proto_files *files);

/* proto_roots.c: finds the imports of all files, and determines all names and roots. */
bool proto_roots_find(struct proto_files *files);

#endif
