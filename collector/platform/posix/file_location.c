/* Finds the location of a file (collector/platform/file_system.h) with stat(2). */
#include "collector/platform/file_system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define LINKS_MAX 40 /* the kernel's limit (path_resolution(7)) */

static bool location_fill(const struct stat *status, struct file_location *place)
{
    if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode) && !S_ISSOCK(status->st_mode))
        return false;
    *place = (struct file_location){.volume = (uint64_t)status->st_dev,
                                    .number = (uint64_t)status->st_ino};
    return true;
}

static bool is_null_device(const struct stat *status)
{
    struct stat null;
    return S_ISCHR(status->st_mode) && stat("/dev/null", &null) == 0 &&
           null.st_rdev == status->st_rdev;
}

static bool location_fill_any(const struct stat *status, struct file_location *place)
{
    if (is_null_device(status))
        return false;
    *place = (struct file_location){.volume = (uint64_t)status->st_dev,
                                    .number = (uint64_t)status->st_ino};
    return true;
}

static bool find_in_folder(const char *path, struct file_location *place)
{
    struct stat status;
    char folder[PATH_SIZE];
    const char *name = file_path_name(path);
    if (*name == '\0' || strlen(name) >= sizeof place->name ||
        !file_path_copy_folder(path, folder, sizeof folder) || stat(folder, &status) != 0 ||
        !S_ISDIR(status.st_mode) || !location_fill(&status, place))
        return false;
    memcpy(place->name, name, strlen(name) + 1);
    return true;
}

/* Replaces the path by its symbolic link's target. Returns false if it is not a link. */
static bool follow(char path[PATH_SIZE])
{
    char said[PATH_SIZE], whole[PATH_SIZE];
    ssize_t size = readlink(path, said, sizeof said - 1);
    if (size <= 0)
        return false;
    said[size] = '\0';
    int folder_size = *said == '/' ? 0 : (int)(file_path_name(path) - path);
    int needed = snprintf(whole, sizeof whole, "%.*s%s", folder_size, path, said);
    if (needed < 0 || (size_t)needed >= sizeof whole)
        return false;
    memcpy(path, whole, (size_t)needed + 1);
    return true;
}

/*
 * If a link leads to a missing file, finds the location of that file, because an open of the path
 * creates it.
 */
bool file_location_find(const char *path, struct file_location *place)
{
    struct stat status;
    char last[PATH_SIZE];
    if (stat(path, &status) == 0)
        return location_fill(&status, place);
    if (errno != ENOENT || strlen(path) >= sizeof last)
        return false;
    memcpy(last, path, strlen(path) + 1);
    for (unsigned links = 0; links < LINKS_MAX; links++)
        if (!follow(last))
            break;
    return find_in_folder(last, place);
}

bool file_location_find_any(const char *path, struct file_location *place)
{
    struct stat status;
    return stat(path, &status) == 0 ? location_fill_any(&status, place)
                                    : file_location_find(path, place);
}

bool file_location_of_stdout(struct file_location *place)
{
    struct stat status;
    return fstat(STDOUT_FILENO, &status) == 0 && location_fill_any(&status, place);
}
