/*
 * A file of a sink from its first block to its completion. While it is written it is called
 * PATH PART_SUFFIX, or has a number before that, and is locked; when it is complete it gets its
 * name (sinks/files/finished_files.h).
 *
 * It may be put aside meanwhile, closed, and goes on where it was. One that was moved away or
 * removed is finished where it is, and the next block begins a new one; so does it where another
 * program keeps one from being taken up again, or where one cannot get its name. Where no new one
 * can be begun either, that one is written on. Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_FILES_LIVE_FILE_H
#define SLUICE_SINKS_FILES_LIVE_FILE_H

#include "collector/base/counter.h"
#include "sinks/files/left_files.h"

/* How often a file that cannot get its name is tried, however many blocks are written. */
#define LIVE_FILE_RETRY_NS (INT64_C(1000000000) / 5)

/* What all files of a sink have in common. */
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
    bool torn;           /* put aside: more may lie in it than its size, which is no part of it */
    bool again;          /* it waited for its name, and was taken back: none else can be begun */
    uint32_t least;      /* parts of lower numbers were passed by */
    uint64_t size;       /* bytes in it; of one put aside, too */
    int64_t opened_ns;   /* since 1970 UTC: when it was begun */
    int64_t retry_at_ns; /* monotonic: when to try to complete it again; 0: at any time */
};

/* Whether something is in it. */
static inline bool live_file_is_begun(const struct live_file *file)
{
    return file->part != NULL || file->aside;
}

/*
 * Makes sure that it is open: a new one, or the one put aside. What a dead program left under its
 * name is completed first. Returns false with `error` filled.
 */
bool live_file_open(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/* Appends to an open one, all or nothing. Returns false with `error` filled. */
bool live_file_append(struct live_file *file, const void *bytes, size_t size, struct error *error);

/* Makes what was written reach the disk, also of one put aside. Returns false with `error` filled.
 */
bool live_file_sync(const struct file_makings *makings, struct live_file *file,
                    struct error *error);

/*
 * Completes it if it is begun: one without a record is removed, and one that has to wait for its
 * name is left to do so. Returns false with `error` filled, and it stays as it is, to be written on
 * or passed by, where too many wait.
 */
bool live_file_complete(const struct file_makings *makings, struct live_file *file,
                        struct error *error);

/* Puts an open one aside. */
void live_file_put_aside(struct live_file *file);

/* Closes it as it is: the next start finds it. */
void live_file_abandon(struct live_file *file);

/* The same, and the next one that is opened has a higher number. */
void live_file_pass_by(struct live_file *file);

#endif
