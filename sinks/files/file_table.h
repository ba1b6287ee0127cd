/*
 * The files that a sink is writing, by their paths: which there are, which of them have a block,
 * and which to give up for another. All its memory is taken when it is made.
 *
 * A sink's path is written for the time and the sender of each record, so several files are begun
 * at a time. At most a certain number have different paths; what comes for more of them belongs to
 * the file that is called "other" where those have their values. A file is over when the time in
 * its path is, that is, when a record of a later time has come.
 *
 * Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_FILE_TABLE_H
#define SLUICE_SINKS_FILES_FILE_TABLE_H

#include "sinks/files/live_file.h"

#define NO_BLOCK SIZE_MAX

struct table_file {
    struct live_file live;
    bool used;               /* the entry is */
    bool other;              /* it is one for what is too many */
    size_t block;            /* or NO_BLOCK */
    int64_t step;            /* of the time in its path */
    uint64_t last_use;       /* the table's count of uses when it was asked for last */
    uint64_t seen_use;       /* that, when its user looked at it; the table does not */
    struct table_file *next; /* in its chain */
};

struct file_table;

/* `most` different paths (and two more for "other"). Returns NULL where memory is short. */
struct file_table *file_table_create(const struct path_template *path, size_t most);
void file_table_destroy(struct file_table *table);

/* Bytes that create takes. */
size_t file_table_memory(size_t most);

/*
 * The file for these values. Where there is none it is made, and *full is false; else, where there
 * is no entry left for it, *full is true, and it is NULL: an entry that file_table_over names has
 * to be freed first.
 */
struct table_file *file_table_find(struct file_table *table, const struct path_values *values,
                                   bool *full);

/*
 * One of an earlier step than the last that was asked for, or NULL. What makes room for any other
 * comes first, so one that is not "other"; of those one without a block.
 */
struct table_file *file_table_over(struct file_table *table);

/* The latest step that was asked for; INT64_MIN: none was. */
int64_t file_table_newest_step(const struct file_table *table);

/* Whether a record of a later step has been asked for. */
bool file_table_is_over(const struct file_table *table, const struct table_file *file);

/* Lets go of an entry, whose file is complete or was never begun, and which has no block. */
void file_table_free(struct file_table *table, struct table_file *file);

/* All entries that are used: the first one after `file`, or of all (NULL); NULL at the end. */
struct table_file *file_table_next(struct file_table *table, struct table_file *file);

#endif
