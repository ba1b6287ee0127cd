#include "sinks/live_file.h"

#include <stdio.h>

#include "collector/log.h"
#include "collector/thread.h"

static const char *part_name(const struct live_file *file, char *name)
{
    snprintf(name, FILE_NAME_SIZE, "%s" PART_SUFFIX, file->path);
    return name;
}

static void forget(struct live_file *file)
{
    file->part = NULL;
    file->aside = false;
    file->size = 0;
    file->unsynced = false;
}

static void tell_astray(const struct file_makings *makings, const struct live_file *file)
{
    log_line(LOG_WARNING,
             "%s: %s" PART_SUFFIX " was moved or removed; what comes goes to a new one",
             makings->content.name, file->path);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Something has that name: what a dead program left, which is completed, or what is in the way. */
static bool clear_the_way(const struct file_makings *makings, const struct live_file *file,
                          struct error *error)
{
    char name[FILE_NAME_SIZE];
    char format[FILE_CONTENT_TEXT_SIZE];
    switch (left_file_finish(&makings->content, file->path, makings->finished, error)) {
    case LEFT_DONE:
        return true;
    case LEFT_LOCKED:
        error_set(error, EXIT_CODE_CANNOT_CREATE, "%s is being written by another program",
                  part_name(file, name));
        return false;
    case LEFT_FOREIGN:
        file_content_format(&makings->content, format);
        error_set(error, EXIT_CODE_CANNOT_CREATE, "%s is in the way, and is no file of %s",
                  part_name(file, name), format);
        return false;
    case LEFT_FAILED:
        break;
    }
    return false;
}

static bool open_new(const struct file_makings *makings, struct live_file *file,
                     struct error *error)
{
    char name[FILE_NAME_SIZE];
    part_name(file, name);
    enum part_result result = part_file_open_new(name, makings->base_length, &file->part, error);
    if (result == PART_TAKEN) {
        if (!clear_the_way(makings, file, error))
            return false;
        result = part_file_open_new(name, makings->base_length, &file->part, error);
    }
    if (result == PART_TAKEN)
        error_set(error, EXIT_CODE_CANNOT_CREATE, "%s is in the way", name);
    if (result != PART_DONE)
        return false;
    file->size = 0;
    file->opened_ns = clock_wall_ns();
    return true;
}

/* Returns false where it is not there any more as it was left. */
static bool take_up(struct live_file *file)
{
    char name[FILE_NAME_SIZE];
    struct error ignored;
    if (part_file_open_left(part_name(file, name), &file->part, &ignored) != PART_DONE)
        return false;
    if (part_file_size(file->part) == file->size) {
        file->aside = false;
        return true;
    }
    part_file_close(file->part);
    file->part = NULL;
    return false;
}

bool live_file_open(const struct file_makings *makings, struct live_file *file, struct error *error)
{
    if (file->part != NULL && part_file_is_there(file->part)) {
        file->size = part_file_size(file->part); /* somebody may have emptied it */
        return true;
    }
    if (file->part == NULL && !file->aside)
        return open_new(makings, file, error);
    if (file->part == NULL && take_up(file))
        return true;
    tell_astray(makings, file);
    if (file->part != NULL && makings->sync != SYNC_NEVER)
        part_file_sync(file->part, error);
    part_file_close(file->part);
    forget(file);
    return open_new(makings, file, error);
}

/* --- writing ---------------------------------------------------------------------------------- */

bool live_file_append(struct live_file *file, const void *bytes, size_t size, struct error *error)
{
    if (!part_file_append(file->part, bytes, size, error))
        return false;
    file->size = part_file_size(file->part);
    file->unsynced = true;
    return true;
}

bool live_file_sync(struct live_file *file, struct error *error)
{
    bool aside = file->aside;
    if (!file->unsynced || (aside && !take_up(file)))
        return true; /* what went astray is told when it is looked for next */
    file->unsynced = false;
    bool synced = part_file_sync(file->part, error);
    if (aside)
        live_file_put_aside(file);
    return synced;
}

/* --- the end ---------------------------------------------------------------------------------- */

bool live_file_complete(const struct file_makings *makings, struct live_file *file,
                        struct error *error)
{
    char name[FILE_NAME_SIZE];
    if (!live_file_is_begun(file))
        return true;
    if (file->part == NULL && !take_up(file)) {
        tell_astray(makings, file);
        forget(file);
        return true;
    }
    if (file->size <= makings->content.head_size) {
        part_file_remove(file->part);
        forget(file);
        return true;
    }
    if (makings->sync != SYNC_NEVER && !live_file_sync(file, error))
        return false;
    switch (finished_files_add(makings->finished, file->part, file->path, name, error)) {
    case PART_DONE:
        counter_add(makings->files, 1);
        break;
    case PART_MISSING:
        tell_astray(makings, file);
        part_file_close(file->part);
        break;
    default:
        return false;
    }
    forget(file);
    return true;
}

void live_file_put_aside(struct live_file *file)
{
    if (file->part == NULL)
        return;
    part_file_close(file->part);
    file->part = NULL;
    file->aside = true;
}

void live_file_abandon(struct live_file *file)
{
    part_file_close(file->part);
    forget(file);
}
