/* collector/cases/case_file.h in a program without YAML. */
#include "collector/cases/case_file.h"

bool case_file_parse(const char *path, const char *text, size_t size, struct case_file *file,
                     struct error *error)
{
    (void)text;
    (void)size;
    return case_file_read(path, file, error);
}

bool case_file_read_part(const char *path, const char *config, struct case_file *file,
                         struct error *error)
{
    (void)config;
    return case_file_read(path, file, error);
}

bool case_file_read(const char *path, struct case_file *file, struct error *error)
{
    (void)file;
    error_set(error, EXIT_CODE_CONFIG, "%s: this program was built without YAML (libyaml)", path);
    return false;
}
