/*
 * Finds the files that a sink is writing, by their paths. A file and its block have the same
 * number. All memory is allocated at creation.
 *
 * A path depends on the time and the sender of each record, so several files are written at a time.
 * The number of paths is limited: records for further paths go to a file with "other" instead of
 * each value. The time of a file is over when a record of a later time in the path has come. If
 * there is no free entry, the table selects such a file, which its owner completes.
 *
 * For the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_FILE_TABLE_H
#define SLUICE_SINKS_FILES_FILE_TABLE_H

#include "sinks/files/live_file.h"

#define NO_SLOT SIZE_MAX

struct table_file {
    struct live_file live;
    bool used;
    bool other;              /* its path has "other" instead of each value */
    size_t slot;             /* slot among the open files, or NO_SLOT; used by the owner */
    int64_t step;            /* number of the time in the path (path_template_step) */
    uint64_t last_use;       /* when the entry was last used, as a count of all uses of the table */
    uint64_t seen_use;       /* last_use at the owner's last check; used by the owner */
    struct table_file *next; /* next in the hash chain */
};

struct file_table;

/*
 * Creates a table for `most` paths, and two more for "other" files. Returns NULL if out of memory.
 */
struct file_table *file_table_create(const struct path_template *path, size_t most);
void file_table_destroy(struct file_table *table);

/* Returns the bytes that file_table_create allocates. */
size_t file_table_memory(size_t most);

/* Returns the number of entries of a table for `most` paths. */
size_t file_table_capacity(size_t most);

/* Return the number of an entry, which is less than the capacity, and the entry with the number. */
size_t file_table_number(const struct file_table *table, const struct table_file *file);
struct table_file *file_table_get(struct file_table *table, size_t number);

/*
 * Returns the file for the values, which is added if there is none, and sets *full to false. If
 * there is no free entry, returns NULL and sets *full to true: the caller must free the entry
 * returned by file_table_over first.
 */
struct table_file *file_table_find(struct file_table *table, const struct path_values *values,
                                   bool *full);

/*
 * Returns an entry of an earlier step than the newest one, or NULL. Prefers entries of files that
 * are not "other", because a free one can be used for any other file, and then the least recently
 * used entry.
 */
struct table_file *file_table_over(struct file_table *table);

/* Returns the latest step, or INT64_MIN before the first use. */
int64_t file_table_newest_step(const struct file_table *table);

/* Returns true if a record of a later step has come. */
bool file_table_is_over(const struct file_table *table, const struct table_file *file);

/* Frees an entry whose file is complete or was not begun. The next new file gets its number. */
void file_table_free(struct file_table *table, struct table_file *file);

/* Returns the used entry after `file`, or the first one if `file` is NULL; NULL at the end. */
struct table_file *file_table_next(struct file_table *table, struct table_file *file);

#endif
