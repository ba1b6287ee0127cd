/* Implements the advice about missing folders of collector/platform/file_system.h. */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/text/copy.h"

void folder_advise_missing(const char *folder, struct error *error)
{
    char why[sizeof error->text];
    if (error == NULL || folder_has(folder))
        return;
    const char *quote = strpbrk(folder, file_path_quoted) != NULL ? "\"" : "";
    memcpy(why, error->text, sizeof why);
    error_set(error, error->code, "%s; create the folder: %s %s%s%s", why, file_path_mkdir, quote,
              folder, quote);
}

static void advise_file(struct error *error)
{
    char why[sizeof error->text];
    memcpy(why, error->text, sizeof why);
    error_set(error, error->code, "%s; it is a folder: name a file in it", why);
}

void folder_advise_missing_of(const char *file, struct error *error)
{
    if (error != NULL && folder_is_readable(file)) {
        advise_file(error);
        return;
    }
    char *folder = text_copy(file, file_path_folder(file));
    if (folder != NULL && *folder != '\0')
        folder_advise_missing(folder, error);
    free(folder);
}

bool folder_is_readable(const char *path)
{
    struct folder *folder = folder_open(path);
    folder_close(folder);
    return folder != NULL;
}
