/*
 * A file of a sink from its first block to its completion. While it is written it is called
 * PATH PART_SUFFIX, or has a number before that, and is locked; when it is complete it gets its
 * name (sinks/finished_files.h).
 *
 * It may be put aside meanwhile, closed, and goes on where it was. One that was moved away or
 * removed is finished where it is, and the next block begins a new one; so does it where another
 * program keeps one from being taken up again, or from its name. Used by the sink's thread.
 */
#ifndef SLUICE_SINKS_LIVE_FILE_H
#define SLUICE_SINKS_LIVE_FILE_H

#include "collector/counter.h"
#include "sinks/left_files.h"

/* What all files of a sink have in common. */
struct file_makings {
    struct file_content content;
    const struct path_template *path;
    struct finished_files *finished;
    enum file_sync sync;
    struct counter *files; /* complete ones, counted */
};

struct live_file {
    char path[PATH_TEMPLATE_SIZE];
    uint32_t number;        /* of its name until it is complete (file_part_name) */
    struct part_file *part; /* NULL: there is none, or it is put aside */
    bool aside;
    bool unsynced;
    uint64_t size;     /* bytes in it; of one put aside, too */
    int64_t opened_ns; /* since 1970 UTC: when it was begun */
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
 * name is left to do so. Returns false with `error` filled, and it goes on being written, where it
 * cannot be given its name.
 */
bool live_file_complete(const struct file_makings *makings, struct live_file *file,
                        struct error *error);

/* Puts an open one aside. */
void live_file_put_aside(struct live_file *file);

/* Closes it as it is: the next start finds it. */
void live_file_abandon(struct live_file *file);

#endif
