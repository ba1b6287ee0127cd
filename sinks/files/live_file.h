/*
 * A file of a sink from its first block to its completion. While the file is written, it is locked
 * and is called PATH.part, possibly with a number before ".part" (PART_SUFFIX). When it is complete
 * it gets its name (sinks/files/finished_files.h).
 *
 * In between, a file may be put aside: it is closed, and continued later where it ended. A file
 * that was moved away or removed is finished in its new place, and the next block begins a new
 * file. The next block also begins a new file if the old one cannot be opened again because of
 * another program, or cannot get its name. If no new file can be begun either, the old file is
 * continued. Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_LIVE_FILE_H
#define SLUICE_SINKS_FILES_LIVE_FILE_H

#include "collector/base/counter.h"
#include "sinks/files/left_files.h"

/* Time between two tries to name a file that cannot get its name, for any number of blocks. */
#define LIVE_FILE_RETRY_NS (INT64_C(1000000000) / 5)

/* Common state of all files of a sink. */
struct file_makings {
    struct file_content content;
    const struct path_template *path;
    struct finished_files *finished;
    struct counter *files; /* counts complete files */
    unsigned mode;         /* permissions of new files (file_system.h) */
};

struct live_file {
    char path[PATH_TEMPLATE_SIZE];
    uint32_t number;        /* number in the name until the file is complete (file_part_name) */
    struct part_file *part; /* NULL: the file was not begun, or it is put aside */
    bool aside;
    bool unsynced;
    bool torn;           /* put aside: bytes beyond `size` are not part of the file */
    bool again;          /* taken back from the waiting files, because no other
                            file could be begun */
    bool refused;        /* the last open failed, and only for this path */
    bool in_the_way;     /* another file had the name of the last part, which was logged */
    uint32_t least;      /* smallest number that the file's part may have: lower ones are skipped */
    uint64_t size;       /* bytes in the file; also while it is put aside */
    int64_t opened_ns;   /* since 1970 UTC: when the file was begun */
    int64_t retry_at_ns; /* monotonic: time of the next try to complete the file; 0: any time */
};

/* Returns whether the file was begun, so that it may have content. */
static inline bool live_file_is_begun(const struct live_file *file)
{
    return file->part != NULL || file->aside;
}

/*
 * Makes sure that the file is open: begins a new file, or opens the file that was put aside. If a
 * dead program left a file under the new file's name, that file is completed first. A path with
 * fields is one of many, so it waits for no other file or folder of that name: the new file has the
 * next number. Returns false with `error` filled; `file->refused`: the other files of the sink can
 * be opened.
 */
bool live_file_open(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/* Appends to an open file, all or nothing. Returns false with `error` filled. */
bool live_file_append(struct live_file *file, const void *bytes, size_t size, struct error *error);

/* Syncs the written data, also of a file put aside. Returns false with `error` filled. */
bool live_file_sync(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/*
 * Completes the file if it is begun. A file without records is removed, and a file that must wait
 * for its name waits. If too many files wait, returns false with `error` filled; the file is
 * unchanged, to be continued or skipped.
 */
bool live_file_complete(const struct file_makings *makings, struct live_file *file,
                        struct error *error);

/* Puts an open file aside. */
void live_file_put_aside(struct live_file *file);

/* Closes the file as it is. The next start finds it. */
void live_file_abandon(struct live_file *file);

/* Closes the file as it is. The next file has a higher number. */
void live_file_pass_by(struct live_file *file);

#endif
