#include "sinks/files/finished_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/file_system.h"
#include "sinks/files/file_numbers.h"
#include "sinks/files/kept_files.h"

/* The maximum number of waiting files of a sink. Further files stay incomplete. */
#define MOST_WAITING 16

/* A complete file that cannot get its name yet. */
struct waiting {
    struct part_file *file; /* NULL: it could not even be opened */
    int64_t number;         /* reserved for its future name */
    uint32_t part_number;
    bool again;
    int64_t begun_ns;
    char path[PATH_TEMPLATE_SIZE];
    char name[FILE_NAME_SIZE]; /* the present name */
};

struct finished_files {
    const struct path_template *path;
    struct kept_files *kept;
    struct file_numbers *numbers;
    struct counter *renames_blocked;
    size_t waiting_count;
    struct waiting waiting[MOST_WAITING]; /* in the order in which they were added */
};

size_t finished_files_memory(size_t paths)
{
    return sizeof(struct finished_files) + kept_files_memory() + file_numbers_memory(paths);
}

struct finished_files *finished_files_create(const struct path_template *path,
                                             const struct file_options *options, size_t paths,
                                             struct counter *renames_blocked)
{
    struct finished_files *files = calloc(1, sizeof *files);
    if (files == NULL)
        return NULL;
    files->path = path;
    files->kept = kept_files_create(path, options);
    files->numbers = file_numbers_create(paths);
    files->renames_blocked = renames_blocked;
    if (files->kept != NULL && files->numbers != NULL)
        return files;
    finished_files_destroy(files);
    return NULL;
}

void finished_files_destroy(struct finished_files *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < files->waiting_count; i++)
        part_file_close(files->waiting[i].file);
    kept_files_destroy(files->kept);
    file_numbers_destroy(files->numbers);
    free(files);
}

/* --- choosing files to keep ------------------------------------------------------------------- */

bool finished_files_are_limited(const struct finished_files *files)
{
    return kept_files_are_limited(files->kept);
}

void finished_files_found(struct finished_files *files, const struct found_file *file)
{
    if (!file->part)
        kept_files_found(files->kept, &(struct kept_file){.name = file->path,
                                                          .match = file->match,
                                                          .begun_ns = file->modified_ns,
                                                          .modified_ns = file->modified_ns,
                                                          .size = file->size});
}

static void keep_new(struct finished_files *files, const char *name, int64_t begun_ns,
                     uint64_t size)
{
    struct path_match match;
    if (path_template_match(files->path, name, &match))
        kept_files_add(files->kept, &(struct kept_file){.name = name,
                                                        .match = &match,
                                                        .begun_ns = begun_ns,
                                                        .modified_ns = clock_wall_ns(),
                                                        .size = size});
}

void finished_files_expire(struct finished_files *files, int64_t now_ns)
{
    kept_files_expire(files->kept, now_ns);
}

/* --- names ------------------------------------------------------------------------------------ */

/*
 * Returns the highest number that is reserved for a waiting file of the path, or -1 if none waits.
 */
static int64_t highest_waiting(const struct finished_files *files, const char *path)
{
    int64_t highest = -1;
    for (size_t i = 0; i < files->waiting_count; i++)
        if (files->waiting[i].number > highest && file_path_same(files->waiting[i].path, path))
            highest = files->waiting[i].number;
    return highest;
}

/*
 * Returns one more than the highest number of the path's files, or 0 if there are none. After
 * PATH_NUMBER_MAX the numbers begin again. Of the next *tries numbers one is free.
 */
static int64_t next_number(const struct finished_files *files, const char *path, int64_t *tries)
{
    char folder_name[FILE_NAME_SIZE];
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    bool fits = file_path_copy_folder(path, folder_name, sizeof folder_name);
    RULE(fits, "a name of a file has room for that of its folder");
    int64_t highest = highest_waiting(files, path);
    *tries = 1000; /* a reserve, because another program may be using names, too */
    struct folder *folder = folder_open(folder_name);
    const char *name;
    while (folder != NULL && (name = folder_next_name(folder)) != NULL) {
        int64_t number = path_template_number_of(files->path, base, name);
        if (number > highest)
            highest = number;
        *tries += number >= 0;
    }
    folder_close(folder);
    return highest < PATH_NUMBER_MAX ? highest + 1 : 1;
}

static void put_name(const struct finished_files *files, const char *path, int64_t number,
                     char *name)
{
    path_template_numbered(files->path, path, (uint32_t)number, name, FILE_NAME_SIZE);
}

/*
 * Tries the number after the path's last one, which is usually free. Returns PART_TAKEN if it is
 * not free or no number is known.
 */
static enum part_result give_next(const struct finished_files *files,
                                  const struct complete_part *part, int64_t *number, char *name,
                                  struct error *error)
{
    int64_t next = file_numbers_next(files->numbers, part->path);
    if (next <= *number)
        return PART_TAKEN;
    *number = next;
    put_name(files, part->path, next, name);
    return part_file_complete(part->file, name, error);
}

/*
 * Completes the file with *number or a free number, which is then stored in *number and in `name`.
 */
static enum part_result give_name(struct finished_files *files, const struct complete_part *part,
                                  int64_t *number, char *name, struct error *error)
{
    int64_t tries;
    uint64_t size = part_file_size(part->file);
    put_name(files, part->path, *number, name);
    enum part_result result = part_file_complete(part->file, name, error);
    if (result == PART_TAKEN)
        result = give_next(files, part, number, name, error);
    if (result == PART_TAKEN)
        *number = next_number(files, part->path, &tries);
    for (; result == PART_TAKEN && tries > 0; tries--) {
        put_name(files, part->path, *number, name);
        result = part_file_complete(part->file, name, error);
        *number += result == PART_TAKEN;
    }
    if (result == PART_TAKEN) {
        error_set(error, EXIT_CODE_IO, "no number is free for another %s", part->path);
        result = PART_FAILED;
    }
    if (result != PART_DONE)
        return result;
    /* If a name without a number is free, numbered files may still exist. */
    bool known = *number > 0 || finished_files_are_limited(files);
    if (known && *number <= PATH_NUMBER_MAX)
        file_numbers_note(files->numbers, part->path, *number);
    keep_new(files, name, part->begun_ns, size);
    return result;
}

/*
 * Returns the first number to try. A free name may have been used before: old files may have been
 * removed, and waiting files have reserved numbers. In these cases the number follows the path's
 * last one; if that is not known, the folder is searched.
 */
static int64_t first_number(const struct finished_files *files, const char *path)
{
    int64_t tries;
    bool waiting = highest_waiting(files, path) >= 0;
    if (!waiting && !finished_files_are_limited(files))
        return 0;
    int64_t next = waiting ? 0 : file_numbers_next(files->numbers, path);
    return next != 0 ? next : next_number(files, path, &tries);
}

/* Adds a waiting file. Its number is reserved now, so that later files get a higher number. */
static void put_in_line(struct finished_files *files, const struct complete_part *part,
                        const char *why)
{
    int64_t tries;
    int64_t number = next_number(files, part->path, &tries);
    RULE(files->waiting_count < MOST_WAITING, "there is room for a file that waits");
    struct waiting *waiting = &files->waiting[files->waiting_count++];
    waiting->file = part->file;
    waiting->number = number;
    waiting->part_number = part->number;
    waiting->again = part->again;
    waiting->begun_ns = part->begun_ns;
    memcpy(waiting->path, part->path, strlen(part->path) + 1);
    memcpy(waiting->name, part->name, strlen(part->name) + 1);
    if (part->again)
        return;
    counter_add(files->renames_blocked, 1);
    log_line(LOG_WARNING, "%s is complete, but %s; trying again", part->name, why);
}

enum part_result finished_files_add(struct finished_files *files, const struct complete_part *part,
                                    char *name, struct error *error)
{
    int64_t number = first_number(files, part->path);
    enum part_result result = give_name(files, part, &number, name, error);
    if (result != PART_BUSY && result != PART_FAILED)
        return result;
    if (files->waiting_count == MOST_WAITING)
        return PART_FAILED;
    put_in_line(files, part, error->text);
    return PART_BUSY;
}

/* --- files that wait for their name ----------------------------------------------------------- */

bool finished_files_await(struct finished_files *files, const struct complete_part *part,
                          const char *why)
{
    if (files->waiting_count == MOST_WAITING)
        return false;
    put_in_line(files, part, why);
    return true;
}

static void take_out(struct finished_files *files, size_t at)
{
    RULE(at < files->waiting_count, "a file that is taken out waits");
    struct waiting *waiting = &files->waiting[at];
    files->waiting_count--;
    memmove(waiting, waiting + 1, (files->waiting_count - at) * sizeof *waiting);
}

bool finished_files_roll_back(struct finished_files *files, const char *path,
                              struct complete_part *part)
{
    char name[FILE_NAME_SIZE];
    for (size_t i = files->waiting_count; i-- > 0;) {
        const struct waiting *waiting = &files->waiting[i];
        if (waiting->file == NULL || !file_path_same(waiting->path, path) ||
            !file_path_same(waiting->name,
                            file_part_name(files->path, path, waiting->part_number, name)))
            continue;
        *part = (struct complete_part){.file = waiting->file,
                                       .number = waiting->part_number,
                                       .begun_ns = waiting->begun_ns,
                                       .again = waiting->again};
        take_out(files, i);
        return true;
    }
    return false;
}

bool finished_files_are_waiting(const struct finished_files *files)
{
    return files->waiting_count != 0;
}

uint32_t finished_files_next_part(const struct finished_files *files, const char *path)
{
    bool held[PART_NUMBER_MAX + 1] = {false};
    uint32_t next = 0;
    for (size_t i = 0; i < files->waiting_count; i++) {
        const struct waiting *waiting = &files->waiting[i];
        if (!file_path_same(waiting->path, path))
            continue;
        held[waiting->part_number] = true;
        if (waiting->part_number >= next)
            next = waiting->part_number + 1;
    }
    /*
     * After the maximum number use the lowest free one. There are more numbers than files that may
     * wait.
     */
    for (uint32_t i = 0; next > PART_NUMBER_MAX; i++)
        if (!held[i])
            next = i;
    return next;
}

/* Tries to name a waiting file. PART_BUSY: it still waits, and `error` has the reason. */
static enum part_result try_again(struct finished_files *files, struct waiting *waiting,
                                  struct error *error)
{
    char name[FILE_NAME_SIZE];
    enum part_result result = PART_DONE;
    if (waiting->file == NULL)
        result = part_file_open_left(waiting->name, &waiting->file, error);
    const struct complete_part part = {
        .file = waiting->file, .path = waiting->path, .begun_ns = waiting->begun_ns};
    if (result == PART_DONE)
        result = give_name(files, &part, &waiting->number, name, error);
    switch (result) {
    case PART_DONE:
        log_line(LOG_INFO, "%s: renamed to %s after earlier failures", waiting->name, name);
        return PART_DONE;
    case PART_MISSING:
        log_line(LOG_WARNING, "%s: it was moved or removed while it waited for its name",
                 waiting->name);
        part_file_close(waiting->file);
        return PART_MISSING;
    case PART_LOCKED:
        error_set(error, EXIT_CODE_IO, "another program has locked it");
        return PART_BUSY;
    default:
        return PART_BUSY;
    }
}

/*
 * Tries to name all waiting files. With `last`, reports and closes those that still wait. Returns
 * the number of files that got their names.
 */
static size_t try_all(struct finished_files *files, bool last, size_t *unnamed)
{
    size_t done = 0;
    for (size_t i = 0; i < files->waiting_count;) {
        struct waiting *waiting = &files->waiting[i];
        struct error error;
        enum part_result result = try_again(files, waiting, &error);
        done += result == PART_DONE;
        if (result == PART_BUSY && !last) {
            i++;
            continue;
        }
        if (result == PART_BUSY) {
            log_line(LOG_ERROR, "%s is complete, but %s; the next start renames it", waiting->name,
                     error.text);
            part_file_close(waiting->file);
            ++*unnamed;
        }
        take_out(files, i);
    }
    return done;
}

size_t finished_files_retry(struct finished_files *files)
{
    return try_all(files, false, NULL);
}

size_t finished_files_end(struct finished_files *files, size_t *unnamed)
{
    *unnamed = 0;
    return try_all(files, true, unnamed);
}
