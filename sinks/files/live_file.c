#include "sinks/files/live_file.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"

static const char *part_name(const struct file_makings *makings, const struct live_file *file,
                             char *name)
{
    return file_part_name(makings->path, file->path, file->number, name);
}

static void forget(struct live_file *file)
{
    file->part = NULL;
    file->aside = false;
    file->size = 0;
    file->unsynced = false;
    file->again = false;
    file->retry_at_ns = 0;
}

static void log_moved(const struct file_makings *makings, const struct live_file *file)
{
    char name[FILE_NAME_SIZE];
    log_about(LOG_WARNING, LOG_OF_SINK, makings->content.name,
              "%s was moved, removed or changed; new records go to a new file",
              part_name(makings, file, name));
}

/* --- opening ---------------------------------------------------------------------------------- */

/*
 * To be called if another file has the name of the new file. If that file was left by an earlier
 * run, completes it, so that the name is free. PART_BUSY: the name will be free later. PART_TAKEN:
 * the other file keeps it, for the reason in `error`.
 */
static enum part_result clear_the_way(const struct file_makings *makings,
                                      const struct live_file *file, struct error *error)
{
    char name[FILE_NAME_SIZE];
    char format[FILE_CONTENT_TEXT_SIZE];
    struct error why;
    const struct complete_part left = {.name = part_name(makings, file, name),
                                       .path = file->path,
                                       .number = file->number,
                                       .begun_ns = clock_wall_ns()};
    switch (left_file_finish(&makings->content, &left, makings->finished, error)) {
    case LEFT_DONE:
        return PART_DONE;
    case LEFT_WAITS:
    case LEFT_BUSY:
        return PART_BUSY;
    case LEFT_LOCKED:
        error_set(error, EXIT_CODE_CANNOT_CREATE, "%s is being written by another program",
                  part_name(makings, file, name));
        return PART_TAKEN;
    case LEFT_FOREIGN:
        file_content_format(&makings->content, format);
        error_set(error, EXIT_CODE_CANNOT_CREATE, "%s is in the way, and is not a file of %s",
                  part_name(makings, file, name), format);
        return PART_TAKEN;
    case LEFT_FAILED:
        why = *error;
        error_set(error, EXIT_CODE_CANNOT_CREATE, "%s is in the way, and stays as it is: %s",
                  part_name(makings, file, name), why.text);
        break;
    }
    return PART_TAKEN;
}

/*
 * Opens a new file. PART_BUSY: its name will be free later. PART_TAKEN: another file keeps the
 * name.
 */
static enum part_result open_by_name(const struct file_makings *makings, struct live_file *file,
                                     struct error *error)
{
    char name[FILE_NAME_SIZE];
    part_name(makings, file, name);
    const size_t base = strlen(path_template_prefix(makings->path));
    enum part_result result = part_file_open_new(name, base, makings->mode, &file->part, error);
    if (result == PART_TAKEN) {
        result = clear_the_way(makings, file, error);
        if (result != PART_DONE)
            return result;
        result = part_file_open_new(name, base, makings->mode, &file->part, error);
        if (result == PART_TAKEN)
            error_set(error, EXIT_CODE_CANNOT_CREATE, "%s is in the way", name);
    }
    return result;
}

/*
 * Returns true if the new file gets another number because its name is not free. If another file
 * keeps the name (PART_TAKEN) and the path has no fields, returns false: users must remove that
 * file themselves.
 */
static bool goes_round(const struct file_makings *makings, struct live_file *file,
                       enum part_result result, const struct error *error)
{
    if (file->number == PART_NUMBER_MAX)
        return false;
    if (result != PART_TAKEN || !path_template_has_fields(makings->path))
        return result == PART_BUSY;
    if (!file->in_the_way)
        log_about(LOG_WARNING, LOG_OF_SINK, makings->content.name,
                  "%s; the records go to a file with another number", error->text);
    file->in_the_way = true;
    return true;
}

/*
 * If no new file can be begun: takes back the file that waits for its name and continues it, unless
 * a file of this format must be one block.
 */
static bool roll_back(const struct file_makings *makings, struct live_file *file,
                      const struct error *error)
{
    struct complete_part part;
    char name[FILE_NAME_SIZE];
    if (makings->content.encoder->arrange != NULL ||
        !finished_files_roll_back(makings->finished, file->path, &part))
        return false;
    RULE(part.file != NULL, "a part that is taken back is open");
    file->part = part.file;
    file->number = part.number;
    file->size = part_file_size(part.file);
    file->opened_ns = part.begun_ns;
    file->again = true;
    file->retry_at_ns = clock_monotonic_ns() + LIVE_FILE_RETRY_NS;
    if (!part.again)
        log_about(LOG_WARNING, LOG_OF_SINK, makings->content.name, "%s; going on with %s",
                  error->text, part_name(makings, file, name));
    return true;
}

static bool open_new(const struct file_makings *makings, struct live_file *file,
                     struct error *error)
{
    RULE(file->part == NULL, "a file is closed before the next one is opened");
    file->number = finished_files_next_part(makings->finished, file->path);
    if (file->number < file->least)
        file->number = file->least;
    uint32_t first = file->number;
    enum part_result result = open_by_name(makings, file, error);
    while (goes_round(makings, file, result, error)) {
        file->number++;
        result = open_by_name(makings, file, error);
    }
    file->refused = result == PART_REFUSED || result == PART_TAKEN;
    if (result != PART_DONE)
        return roll_back(makings, file, error);
    file->in_the_way = file->in_the_way && file->number != first;
    file->size = 0;
    file->opened_ns = clock_wall_ns();
    return true;
}

/*
 * Opens a file that was put aside. PART_MISSING: it was removed or changed. PART_BUSY: another
 * program has it open. PART_SHORT: there are no descriptors or no memory at present.
 */
static enum part_result take_up(const struct file_makings *makings, struct live_file *file,
                                struct error *error)
{
    char name[FILE_NAME_SIZE];
    enum part_result result =
        part_file_open_left(part_name(makings, file, name), &file->part, error);
    if (result == PART_BUSY || result == PART_SHORT)
        return result;
    if (result == PART_FAILED)
        log_about(LOG_WARNING, LOG_OF_SINK, makings->content.name, "%s", error->text);
    if (result != PART_DONE)
        return PART_MISSING;
    bool cut = file->torn && part_file_size(file->part) > file->size &&
               part_file_cut(file->part, file->size, error);
    if (cut || part_file_size(file->part) == file->size) {
        file->aside = false;
        return PART_DONE;
    }
    part_file_close(file->part);
    file->part = NULL;
    return PART_MISSING;
}

/*
 * The file cannot be continued, so it is complete: adds it to the files that wait for their names.
 */
static bool let_wait(const struct file_makings *makings, struct live_file *file,
                     struct error *error)
{
    char name[FILE_NAME_SIZE];
    const struct complete_part part = {.name = part_name(makings, file, name),
                                       .path = file->path,
                                       .number = file->number,
                                       .begun_ns = file->opened_ns};
    if (!finished_files_await(makings->finished, &part, error->text))
        return false;
    forget(file);
    return true;
}

bool live_file_open(const struct file_makings *makings, struct live_file *file, struct error *error)
{
    if (file->part != NULL && part_file_is_there(file->part)) {
        file->size = part_file_size(file->part); /* another program may have truncated it */
        return true;
    }
    if (file->part == NULL && !file->aside)
        return open_new(makings, file, error);
    enum part_result found = file->part == NULL ? take_up(makings, file, error) : PART_MISSING;
    if (found == PART_DONE)
        return true;
    if (found == PART_SHORT)
        return false;
    if (found == PART_BUSY)
        return let_wait(makings, file, error) && open_new(makings, file, error);
    log_moved(makings, file);
    if (file->part != NULL && makings->content.sync != SYNC_NEVER)
        part_file_sync(file->part, error);
    part_file_close(file->part);
    forget(file);
    return open_new(makings, file, error);
}

/* --- writing ---------------------------------------------------------------------------------- */

bool live_file_append(struct live_file *file, const void *bytes, size_t size, struct error *error)
{
    RULE(file->part != NULL && !file->aside, "a file is open while it is appended to");
    /* also on failure, because the removal of a written part is a change, too */
    file->unsynced = true;
    if (!part_file_append(file->part, bytes, size, error))
        return false;
    file->size = part_file_size(file->part);
    return true;
}

bool live_file_sync(const struct file_makings *makings, struct live_file *file, struct error *error)
{
    bool aside = file->aside;
    if (!file->unsynced || (aside && take_up(makings, file, error) != PART_DONE))
        return true; /* not a failure: the next open handles it */
    bool synced = part_file_sync(file->part, error);
    file->unsynced = !synced; /* after a failure, the next call must sync again */
    if (aside)
        live_file_put_aside(file);
    return synced;
}

/* --- the end ---------------------------------------------------------------------------------- */

static bool try_later(struct live_file *file)
{
    file->retry_at_ns = clock_monotonic_ns() + LIVE_FILE_RETRY_NS;
    return false;
}

bool live_file_complete(const struct file_makings *makings, struct live_file *file,
                        struct error *error)
{
    char name[FILE_NAME_SIZE];
    if (!live_file_is_begun(file))
        return true;
    enum part_result found = file->part == NULL ? take_up(makings, file, error) : PART_DONE;
    if (found == PART_BUSY)
        return let_wait(makings, file, error);
    if (found == PART_SHORT)
        return try_later(file);
    if (found == PART_MISSING) {
        log_moved(makings, file);
        forget(file);
        return true;
    }
    if (file->size <= makings->content.head_size) {
        /*
         * The file has no records, so it is removed. In case that fails, its torn end is cut off
         * first, so that it cannot be mistaken for records.
         */
        if (part_file_is_torn(file->part) && !part_file_cut(file->part, file->size, error))
            return try_later(file);
        part_file_remove(file->part, error); /* on failure at most an empty file is left */
        forget(file);
        return true;
    }
    if (makings->content.sync != SYNC_NEVER && !live_file_sync(makings, file, error))
        return false;
    char part_text[FILE_NAME_SIZE];
    const struct complete_part part = {.file = file->part,
                                       .name = part_name(makings, file, part_text),
                                       .path = file->path,
                                       .number = file->number,
                                       .begun_ns = file->opened_ns,
                                       .again = file->again};
    switch (finished_files_add(makings->finished, &part, name, error)) {
    case PART_DONE:
        counter_add(makings->files, 1);
        file->least = 0;
        break;
    case PART_BUSY:
        break;
    case PART_MISSING:
        log_moved(makings, file);
        part_file_close(file->part);
        break;
    default:
        return try_later(file);
    }
    forget(file);
    return true;
}

void live_file_put_aside(struct live_file *file)
{
    if (file->part == NULL)
        return;
    file->torn = part_file_is_torn(file->part);
    part_file_close(file->part);
    file->part = NULL;
    file->aside = true;
}

void live_file_abandon(struct live_file *file)
{
    part_file_close(file->part);
    forget(file);
}

void live_file_pass_by(struct live_file *file)
{
    if (file->number < PART_NUMBER_MAX)
        file->least = file->number + 1;
    live_file_abandon(file);
}
