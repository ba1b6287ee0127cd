/* What lies in a folder, and removing files of it. Any thread; a walk belongs to one. */
#ifndef SLUICE_COLLECTOR_PLATFORM_FOLDER_H
#define SLUICE_COLLECTOR_PLATFORM_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"

struct folder;

struct folder_entry {
    const char *name; /* until the next call */
    bool is_folder;
    bool is_file;        /* a regular one */
    int64_t modified_ns; /* since 1970 UTC */
    uint64_t size;       /* bytes of a regular file */
};

/* Returns NULL where it cannot be read. */
struct folder *folder_open(const char *path);

/* The next entry, in no order; not "." and "..". Symbolic links are neither files nor folders. */
bool folder_next(struct folder *folder, struct folder_entry *entry);

/* NULL is allowed. */
void folder_close(struct folder *folder);

/* Whether a file, a folder or a link has this name. Where that cannot be found out: yes. */
bool folder_has(const char *path);

/* Removes a file. Returns false where it is still there. */
bool folder_remove_file(const char *path);

/* Gives a file another name on the same disk, in place of what has that name. Returns false where
 * it still has its own. */
bool folder_rename_file(const char *from, const char *to);

/*
 * Makes the names in a folder reach the disk: files that were made, renamed and removed. Returns
 * false with `error` filled. Windows has no such call: its file systems keep names in a journal.
 */
bool folder_sync(const char *path, struct error *error);

#endif
