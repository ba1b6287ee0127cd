/*
 * Writes a file of a sink, from its first block to its completion. During this time it is locked
 * and is named PATH.part, or has a number before ".part" (PART_SUFFIX). When it is complete it gets
 * its name (sinks/files/finished_files.h).
 *
 * A file can be put aside: it is closed, and later continued at its end. The next block begins a
 * new file if the old one was moved or removed, if another program prevents opening it again, or if
 * it cannot get its name. A moved file is finished in its new place. If no new file can be begun
 * either, the old file is continued. For the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_LIVE_FILE_H
#define SLUICE_SINKS_FILES_LIVE_FILE_H

#include "collector/base/counter.h"
#include "sinks/files/left_files.h"

/* Time between two attempts to name a file that cannot get its name. */
#define LIVE_FILE_RETRY_NS (INT64_C(1000000000) / 5)

/* Common to all files of a sink. */
struct file_makings {
    struct file_content content;
    const struct path_template *path;
    struct finished_files *finished;
    struct counter *files; /* counts complete files */
    unsigned mode;         /* permissions of new files (file_system.h) */
};

struct live_file {
    char path[PATH_TEMPLATE_SIZE];
    uint32_t number;        /* number in the name of the incomplete file (file_part_name) */
    struct part_file *part; /* NULL: not begun, or put aside */
    bool aside;
    bool unsynced;
    /* for a file put aside: it may have more than `size` bytes, which must be cut off */
    bool torn;
    /* taken back from the waiting files because no other file could be begun */
    bool again;
    bool refused;        /* the last open failed for a reason that is specific to this path */
    bool in_the_way;     /* another file had the name, and that was logged */
    uint32_t least;      /* minimum number in the file's name */
    uint64_t size;       /* bytes in the file, even while it is put aside */
    int64_t opened_ns;   /* since 1970 UTC: when the file was begun */
    int64_t retry_at_ns; /* monotonic: when to try again to complete the file; 0: at any time */
};

/* Returns true if the file may have content. */
static inline bool live_file_is_begun(const struct live_file *file)
{
    return file->part != NULL || file->aside;
}

/*
 * Makes sure that the file is open: begins a new file, or opens the file that was put aside. If an
 * earlier run left a file with the new file's name, that file is completed first. If the path has
 * fields and the name is still not free, the new file gets the next number. Returns false with
 * `error` filled; `file->refused` is true if the sink's other files are not affected.
 */
bool live_file_open(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/* Appends all bytes or none. Returns false with `error` filled. */
bool live_file_append(struct live_file *file, const void *bytes, size_t size, struct error *error);

/* Syncs the written data, even of a file that is put aside. Returns false with `error` filled. */
bool live_file_sync(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/*
 * Completes the file if it was begun. A file without records is removed. A file that cannot get its
 * name waits for it (finished_files.h). If too many files wait, returns false with `error` filled,
 * and the file unchanged: the caller continues or skips it.
 */
bool live_file_complete(const struct file_makings *makings, struct live_file *file,
                        struct error *error);

void live_file_put_aside(struct live_file *file);

/* Closes the file without completing it. The next start finds it. */
void live_file_abandon(struct live_file *file);

/* Closes the file without completing it. The next file has a higher number. */
void live_file_pass_by(struct live_file *file);

#endif
