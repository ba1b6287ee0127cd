/*
 * The files that a sink is writing, by their paths. Each has a number, which is that of its block.
 * If there is no room for a further file, the table chooses a file to complete. All its memory is
 * allocated when it is created.
 *
 * A sink's path depends on the time and the sender of each record, so several files are written at
 * a time. The number of different paths is limited; records for further paths go to a file with
 * "other" for each value. A file is over when the time in its path is over, that is, when a record
 * of a later time has come.
 *
 * Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_FILE_TABLE_H
#define SLUICE_SINKS_FILES_FILE_TABLE_H

#include "sinks/files/live_file.h"

#define NO_SLOT SIZE_MAX

struct table_file {
    struct live_file live;
    bool used;               /* the entry is used */
    bool other;              /* the file has "other" for each value in its path */
    size_t slot;             /* of the files that may be open, or NO_SLOT; only for the owner */
    int64_t step;            /* step of the time in the path */
    uint64_t last_use;       /* count of all uses of the table when this entry was last used */
    uint64_t seen_use;       /* last_use when the owner last checked it; only for the owner */
    struct table_file *next; /* next entry in the hash chain */
};

struct file_table;

/*
 * Creates a table with room for `most` different paths (and two more for "other"). Returns NULL if
 * memory is short.
 */
struct file_table *file_table_create(const struct path_template *path, size_t most);
void file_table_destroy(struct file_table *table);

/* Bytes that file_table_create allocates. */
size_t file_table_memory(size_t most);

/* The number of entries of a table for `most` paths. */
size_t file_table_capacity(size_t most);

/* The number of an entry, less than the capacity, and the entry of a number. */
size_t file_table_number(const struct file_table *table, const struct table_file *file);
struct table_file *file_table_get(struct file_table *table, size_t number);

/*
 * Returns the file for these values, and sets *full to false. The file is new if there was none. If
 * there is no free entry, returns NULL and sets *full to true: an entry from file_table_over must
 * be freed first.
 */
struct table_file *file_table_find(struct file_table *table, const struct path_values *values,
                                   bool *full);

/*
 * Returns an entry of an earlier step than the last step used, or NULL. Prefers an entry that is
 * not "other", because it makes room for any other file, and among such entries the least recently
 * used one.
 */
struct table_file *file_table_over(struct file_table *table);

/* Returns the latest step that was used, or INT64_MIN before the first use. */
int64_t file_table_newest_step(const struct file_table *table);

/* Whether the file is over: a record of a later step has come. */
bool file_table_is_over(const struct file_table *table, const struct table_file *file);

/* Frees an entry whose file is complete or was never begun. The next new file gets its number. */
void file_table_free(struct file_table *table, struct table_file *file);

/*
 * Iterates over used entries: returns the entry after `file`, or the first entry if `file` is NULL.
 * Returns NULL at the end.
 */
struct table_file *file_table_next(struct file_table *table, struct table_file *file);

#endif
