/* Implements the functions of collector/config_tests/config_test_file.h that do not read YAML. */
#include "collector/config_tests/config_test_file.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"

static void free_lines(struct config_test_expectation *expectation)
{
    for (size_t i = 0; i < expectation->line_count; i++)
        free(expectation->lines[i].data);
    free(expectation->lines);
}

static void free_test(struct config_test *test)
{
    free(test->name.data);
    free(test->listener.data);
    free(test->hostname.data);
    for (size_t i = 0; i < test->input_count; i++) {
        free(test->inputs[i].text.data);
        free(test->inputs[i].schema.data);
    }
    free(test->inputs);
    for (size_t i = 0; i < test->expectation_count; i++) {
        struct config_test_expectation *expectation = &test->expectations[i];
        free(expectation->sink.data);
        free(expectation->reason.data);
        free(expectation->refused.data);
        free_lines(expectation);
    }
    free(test->expectations);
}

void config_test_file_free(struct config_test_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        free_test(&file->tests[i]);
    free(file->tests);
    free(file->path);
    free(file->config);
    free(file->text);
    *file = (struct config_test_file){.path = NULL};
}

char *config_test_file_path(const struct config_test_file *file, const char *path)
{
    char *made = malloc(strlen(file->path) + strlen(path) + 2);
    if (made == NULL)
        return NULL;
    strcpy(made, path);
    file_path_normalise(made);
    if (file_path_root(made) != 0)
        return made;
    size_t folder = 0;
    for (size_t i = 0; file->path[i] != '\0'; i++)
        if (file->path[i] == '/')
            folder = i + 1;
    memcpy(made, file->path, folder);
    strcpy(made + folder, path);
    file_path_normalise(made);
    return made;
}

/*
 * Returns the size of the line break at `at`: CR, LF, CR LF, NEL, LS or PS (YAML 1.1, 5.4). Returns
 * 0 if there is no line break.
 */
static size_t line_end_at(const struct config_test_file *file, size_t at)
{
    static const char *const ends[] = {"\r\n",     "\r",           "\n",
                                       "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t size = strlen(ends[i]);
        if (size <= file->size - at && memcmp(file->text + at, ends[i], size) == 0)
            return size;
    }
    return 0;
}

size_t config_test_file_at(const struct config_test_file *file, struct provenance_mark mark)
{
    size_t at = 0;
    for (size_t line = 1; line < mark.line && at < file->size;) {
        size_t end = line_end_at(file, at);
        line += end != 0;
        at += end != 0 ? end : 1;
    }
    for (size_t column = 1; column < mark.column && at < file->size; column++) {
        at++;
        while (at < file->size && ((unsigned char)file->text[at] & 0xc0) == 0x80)
            at++;
    }
    return at;
}

const char *config_test_file_line_end(const struct config_test_file *file)
{
    const char *first = memchr(file->text, '\n', file->size);
    return first != NULL && first != file->text && first[-1] == '\r' ? "\r\n" : "\n";
}

void config_test_file_error(const struct config_test_file *file, struct provenance_mark mark,
                            const char *why, struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "%s:%zu:%zu: %s", file->path, mark.line, mark.column, why);
}
