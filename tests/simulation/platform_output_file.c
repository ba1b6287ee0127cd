/* Implements output files in the simulated world: regular files, and standard output as a pipe. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/common/torn_end.h"
#include "collector/platform/output_file.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/streams.h"
#include "tests/simulation/world.h"

struct output_file {
    struct disk_node *node; /* NULL for standard output */
    bool begun;
    uint64_t end; /* offset after the last write of this program, minus bytes removed since */
};

static int cannot_write(struct error *error, const char *path, const char *why)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot write to %s: %s", path, why);
    return -1;
}

/* --- the torn end ----------------------------------------------------------------------------- */

static const char *size_of(void *context, uint64_t *size)
{
    world_step();
    *size = ((struct disk_node *)context)->size;
    return NULL;
}

static const char *read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    world_step();
    return disk_read(context, offset, bytes, size) == size ? NULL : torn_file_changes;
}

static bool cut(void *context, uint64_t size, uint64_t kept)
{
    struct disk_node *node = context;
    world_step();
    return node->size == size && disk_truncate(node, kept);
}

static const char *end_line(void *context)
{
    struct disk_node *node = context;
    size_t written;
    world_step();
    return disk_write(node, node->size, "\n", 1, &written) == DISK_DONE ? NULL : "the disk fails";
}

static const struct torn_file_ops ops = {
    .size = size_of,
    .read = read_at,
    .cut = cut,
    .end_line = end_line,
};

/* --- opening ---------------------------------------------------------------------------------- */

static int make(struct output_file **out, struct disk_node *node, struct error *error)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return error_no_memory(error);
    (*out)->node = node;
    if (node != NULL) {
        node->open++;
        node->writers++;
    }
    return 0;
}

int output_file_open_append(const char *path, unsigned mode,
                            const struct output_file_format *format, struct output_file **out,
                            struct output_file_start *start, struct error *error)
{
    (void)mode;
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    world_step();
    struct disk_node *node = disk_find(path);
    if (node == NULL)
        node = disk_make(path, false);
    if (node == NULL || node->is_folder)
        return cannot_write(error, path, "no such folder, or the disk fails");
    const char *why = torn_end_mend(&ops, node, node->writers == 0, format, start);
    if (why != NULL)
        return torn_end_not_mended(path, format, why, error);
    world_step();
    return make(out, node, error);
}

int output_file_check_content(const char *path, const struct output_file_format *format,
                              struct output_file_start *start, struct error *error)
{
    struct disk_node *node = disk_find(path);
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    if (node == NULL)
        return 0;
    const char *why = torn_end_judge(&ops, node, format, start);
    return why == NULL ? 0 : torn_end_not_mended(path, format, why, error);
}

int output_file_open_stdout(struct output_file **out, struct error *error)
{
    return make(out, NULL, error);
}

void output_file_hold_standard_streams(void)
{
}

void output_file_close(struct output_file *file)
{
    if (file == NULL)
        return;
    world_step();
    if (file->node != NULL) {
        file->node->open--;
        file->node->writers--;
    }
    free(file);
}

/* --- writing ---------------------------------------------------------------------------------- */

static enum write_result write_to_pipe(const void *bytes, size_t size, size_t *written,
                                       struct error *error)
{
    if (stream_is_broken(STREAM_STDOUT))
        return WRITE_CLOSED;
    (void)error;
    *written = stream_has_room(STREAM_STDOUT) ? stream_write(bytes, size) : 0;
    return *written != 0 ? WRITE_OK : WRITE_WOULD_BLOCK;
}

enum write_result output_file_write(struct output_file *file, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    enum write_result result = WRITE_OK;
    world_step();
    /* A system may accept only a part of a write. */
    size_t offered = world_chance(50) ? 1 + (size_t)world_below(size) : size;
    if (file->node == NULL) {
        result = write_to_pipe(bytes, offered, written, error);
    } else {
        disk_write(file->node, file->node->size, bytes, offered, written);
        file->end = file->node->size;
        if (*written == 0) {
            error_set(error, EXIT_CODE_IO, "cannot write: the disk is full, or it fails");
            result = WRITE_FAILED;
        }
    }
    file->begun = file->begun || result == WRITE_OK;
    world_step();
    return result;
}

size_t output_file_cancel(struct output_file *file)
{
    (void)file;
    return 0;
}

wait_handle output_file_handle(const struct output_file *file)
{
    return file->node == NULL ? STREAM_STDOUT : NO_HANDLE;
}

bool output_file_roll_back(struct output_file *file, size_t size)
{
    world_step();
    if (file->node == NULL || file->node->size != file->end || size > file->end ||
        !disk_truncate(file->node, file->end - size))
        return false;
    file->end -= size;
    return true;
}

bool output_file_sync(struct output_file *file, struct error *error)
{
    world_step();
    if (file->node == NULL || disk_sync(file->node))
        return true;
    error_set(error, EXIT_CODE_IO, "cannot write to the disk: it fails");
    return false;
}

/* --- facts about the file --------------------------------------------------------------------- */

bool output_file_at_beginning(const struct output_file *file)
{
    return file->node == NULL ? !file->begun : file->node->size == 0;
}

/* In the simulated world standard output is not a file. */
bool output_file_is_in_line(const struct output_file *file)
{
    (void)file;
    return false;
}

bool output_file_is_regular(const struct output_file *file)
{
    return file->node != NULL;
}

uint64_t output_file_size(const struct output_file *file)
{
    return file->node != NULL ? file->node->size : 0;
}

bool output_file_is_terminal(const struct output_file *file)
{
    (void)file;
    return false;
}

bool output_file_is_removed(const struct output_file *file)
{
    return file->node != NULL && file->node->links == 0;
}

bool output_file_let_name_go(struct output_file *file)
{
    (void)file;
    return false;
}

bool output_file_is_cut(const struct output_file *file)
{
    return file->node != NULL && file->node->size < file->end;
}

enum output_file_state output_file_look(const struct output_file *file, const char *path,
                                        struct error *error)
{
    (void)error;
    world_step();
    if (file->node == NULL || disk_find(path) != file->node)
        return OUTPUT_FILE_MOVED;
    return output_file_is_cut(file) ? OUTPUT_FILE_CUT : OUTPUT_FILE_IN_PLACE;
}

int output_file_mend(struct output_file *file, const char *path,
                     const struct output_file_format *format, struct output_file_start *start,
                     struct error *error)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    const char *why = torn_end_mend(&ops, file->node, file->node->writers == 1, format, start);
    file->end = file->node->size;
    return why == NULL ? 0 : torn_end_not_mended(path, format, why, error);
}

/* --- checks before a start -------------------------------------------------------------------- */

int output_check_file(const char *path, struct error *error)
{
    const struct disk_node *node = disk_find(path);
    if (node != NULL && node->is_folder)
        return cannot_write(error, path, "it is a folder");
    return node != NULL ? 0 : output_check_beside(path, error);
}

int output_check_folder(const char *path, struct error *error)
{
    const struct disk_node *node = disk_find(path);
    return node != NULL && node->is_folder ? 0 : cannot_write(error, path, "there is none");
}

/* All files of the disk are regular. */
int output_check_replaceable(const char *path, struct error *error)
{
    (void)path;
    (void)error;
    return 0;
}

int output_check_beside(const char *path, struct error *error)
{
    char folder[DISK_PATH_SIZE] = "";
    const char *slash = strrchr(path, '/');
    if (slash != NULL && (size_t)(slash - path) < sizeof folder)
        memcpy(folder, path, (size_t)(slash - path));
    return output_check_folder(folder, error);
}
