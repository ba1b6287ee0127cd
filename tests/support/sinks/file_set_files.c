#include "tests/support/sinks/file_set_files.h"

#include <stdio.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "sinks/encoders/encoders.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

struct counter file_set_blocked;
static const struct path_template *file_set_path; /* template of the last created files */

const struct encoder_ops *file_set_lines(void)
{
    static struct encoder_ops lines;
    lines = encoder_json;
    lines.line = NULL;
    return &lines;
}

struct path_template *file_set_template(const char *path)
{
    struct path_template *made;
    size_t wrong_at;
    const char *why;
    if (!path_template_parse(scratch_path(path), &made, &wrong_at, &why))
        fail_msg("%s: %s", path, why);
    return made;
}

struct finished_files *file_set_finished_files_by(const struct path_template *path,
                                                  const struct file_options *options)
{
    static const struct counter none;
    static struct file_options copy;
    file_set_blocked = none;
    copy = *options;
    struct finished_files *files = finished_files_create(path, &copy, 1, &file_set_blocked);
    assert_non_null(files);
    file_set_path = path;
    return files;
}

struct finished_files *file_set_finished_files(const struct path_template *path, uint64_t keep)
{
    return file_set_finished_files_by(path, &(struct file_options){.keep = keep});
}

const char *file_set_finish(struct finished_files *files, const char *path, const char *text)
{
    static char name[FILE_NAME_SIZE];
    char whole[PATH_TEMPLATE_SIZE];
    char part_name[FILE_NAME_SIZE];
    struct complete_part part = {.name = part_name, .path = whole, .begun_ns = clock_wall_ns()};
    struct error error;
    snprintf(whole, sizeof whole, "%s", scratch_path(path));
    if (part_file_open_new(file_part_name(file_set_path, whole, 0, part_name),
                           strlen(scratch_path("")), 0, &part.file, &error) != PART_DONE ||
        !part_file_append(part.file, text, strlen(text), &error) ||
        finished_files_add(files, &part, name, &error) != PART_DONE)
        fail_msg("%s: %s", path, error.text);
    return name + strlen(scratch_path(""));
}
