/*
 * A file of a sink from its first block to its completion. While it is written, its name is PATH
 * PART_SUFFIX, or has a number before the suffix, and it is locked; when it is complete it gets its
 * name (sinks/files/finished_files.h).
 *
 * It may be put aside in between, closed, and continues where it was. A file that was moved away or
 * removed is finished where it is, and the next block begins a new one; the same happens if another
 * program prevents it from being opened again, or if it cannot get its name. If no new one can be
 * begun either, the old one is continued. Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_LIVE_FILE_H
#define SLUICE_SINKS_FILES_LIVE_FILE_H

#include "collector/base/counter.h"
#include "sinks/files/left_files.h"

/* How often a file that cannot get its name is tried, independently of the number of blocks. */
#define LIVE_FILE_RETRY_NS (INT64_C(1000000000) / 5)

/* Common state of all files of a sink. */
struct file_makings {
    struct file_content content;
    const struct path_template *path;
    struct finished_files *finished;
    struct counter *files; /* complete ones, counted */
};

struct live_file {
    char path[PATH_TEMPLATE_SIZE];
    uint32_t number;        /* of its name until it is complete (file_part_name) */
    struct part_file *part; /* NULL: there is none, or it is put aside */
    bool aside;
    bool unsynced;
    bool torn;           /* put aside: bytes beyond its size are not part of it */
    bool again;          /* it waited for its name, and was taken back: no other one can be begun */
    uint32_t least;      /* parts with lower numbers were skipped */
    uint64_t size;       /* bytes in it; also while it is put aside */
    int64_t opened_ns;   /* since 1970 UTC: when it was begun */
    int64_t retry_at_ns; /* monotonic: time of the next try to complete it; 0: any time */
};

/* Whether it has content. */
static inline bool live_file_is_begun(const struct live_file *file)
{
    return file->part != NULL || file->aside;
}

/*
 * Makes sure that it is open: a new one, or the one put aside. A file left by a dead program under
 * its name is completed first. Returns false with `error` filled.
 */
bool live_file_open(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/* Appends to an open file, all or nothing. Returns false with `error` filled. */
bool live_file_append(struct live_file *file, const void *bytes, size_t size, struct error *error);

/* Syncs the written data, also of a file put aside. Returns false with `error` filled. */
bool live_file_sync(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/*
 * Completes it if it is begun: a file without records is removed, and one that must wait for its
 * name waits. Returns false with `error` filled, and the file unchanged, to be continued or
 * skipped, if too many wait.
 */
bool live_file_complete(const struct file_makings *makings, struct live_file *file,
                        struct error *error);

/* Puts an open file aside. */
void live_file_put_aside(struct live_file *file);

/* Closes it as it is: the next start finds it. */
void live_file_abandon(struct live_file *file);

/* The same, and the next one has a higher number. */
void live_file_pass_by(struct live_file *file);

#endif
