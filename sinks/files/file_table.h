/*
 * The files that a sink is writing, by their paths, with the blocks that they hold, and the choice
 * of a file to complete for another. All its memory is allocated when it is created.
 *
 * A sink's path depends on the time and the sender of each record, so several files are written at
 * a time. The number of different paths is limited; records for more of them go to a file with
 * "other" for each value. A file is over when the time in its path is, that is, when a record of a
 * later time has come.
 *
 * Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_FILE_TABLE_H
#define SLUICE_SINKS_FILES_FILE_TABLE_H

#include "sinks/files/live_file.h"

#define NO_BLOCK SIZE_MAX

struct table_file {
    struct live_file live;
    bool used;               /* the entry is used */
    bool other;              /* it is an "other" file */
    size_t block;            /* or NO_BLOCK */
    int64_t step;            /* of the time in its path */
    uint64_t last_use;       /* the table's count of uses at its last use */
    uint64_t seen_use;       /* the same at its user's last check; not used by the table */
    struct table_file *next; /* in its chain */
};

struct file_table;

/* Room for `most` different paths (and two more for "other"). Returns NULL if memory is short. */
struct file_table *file_table_create(const struct path_template *path, size_t most);
void file_table_destroy(struct file_table *table);

/* Bytes that create allocates. */
size_t file_table_memory(size_t most);

/*
 * Returns the file for these values. If there is none, makes one and sets *full to false; if there
 * is no free entry, returns NULL and sets *full to true: an entry from file_table_over must be
 * freed first.
 */
struct table_file *file_table_find(struct file_table *table, const struct path_values *values,
                                   bool *full);

/*
 * Returns an entry of an earlier step than the last one used, or NULL. Prefers an entry that makes
 * room for any other, so one that is not "other"; among these one without a block.
 */
struct table_file *file_table_over(struct file_table *table);

/* The latest step that was used; INT64_MIN: none was. */
int64_t file_table_newest_step(const struct file_table *table);

/* Whether a record of a later step has come. */
bool file_table_is_over(const struct file_table *table, const struct table_file *file);

/* Frees an entry without a block, whose file is complete or was never begun. */
void file_table_free(struct file_table *table, struct table_file *file);

/* Iterates over used entries: the one after `file`, or the first one (NULL); NULL at the end. */
struct table_file *file_table_next(struct file_table *table, struct table_file *file);

#endif
