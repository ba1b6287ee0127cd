/* collector/platform/file_place.h by stat(2). */
#include "collector/platform/file_place.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/file_path.h"

static bool fill(const struct stat *status, struct file_place *place)
{
    if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode) && !S_ISSOCK(status->st_mode))
        return false;
    *place = (struct file_place){.volume = (uint64_t)status->st_dev,
                                 .number = (uint64_t)status->st_ino};
    return true;
}

/* Of a name that no file has. */
static bool find_in_folder(const char *path, struct file_place *place)
{
    struct stat status;
    char folder[4096];
    const char *name = file_path_name(path);
    if (*name == '\0' || strlen(name) >= sizeof place->name ||
        !file_path_copy_folder(path, folder, sizeof folder) || stat(folder, &status) != 0 ||
        !S_ISDIR(status.st_mode) || !fill(&status, place))
        return false;
    memcpy(place->name, name, strlen(name) + 1);
    return true;
}

bool file_place_find(const char *path, struct file_place *place)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return fill(&status, place);
    return errno == ENOENT && find_in_folder(path, place);
}

bool file_place_of_stdout(struct file_place *place)
{
    struct stat status;
    return fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode) && fill(&status, place);
}
