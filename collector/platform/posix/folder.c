/* Implements the folders of collector/platform/file_system.h with readdir(3). */
#include "collector/platform/file_system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/platform/posix/lending.h"

struct folder;

static DIR *folder_stream_of(struct folder *folder)
{
    return (DIR *)folder;
}

struct folder *folder_open(const char *path)
{
    return (struct folder *)lending_opendir(path);
}

const char *folder_next_name(struct folder *folder)
{
    struct dirent *found;
    while ((found = readdir(folder_stream_of(folder))) != NULL)
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0)
            return found->d_name;
    return NULL;
}

bool folder_next(struct folder *folder, struct folder_entry *entry)
{
    const char *name;
    while ((name = folder_next_name(folder)) != NULL) {
        struct stat status;
        if (fstatat(dirfd(folder_stream_of(folder)), name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        *entry = (struct folder_entry){
            .name = name,
            .is_folder = S_ISDIR(status.st_mode),
            .is_file = S_ISREG(status.st_mode),
            .modified_ns = clock_wall_ns_of(status.st_mtim.tv_sec, status.st_mtim.tv_nsec),
            .size = (uint64_t)status.st_size,
        };
        return true;
    }
    return false;
}

void folder_close(struct folder *folder)
{
    if (folder != NULL)
        closedir(folder_stream_of(folder));
}

bool folder_has(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool folder_remove_file(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT;
}

bool folder_rename_file(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool folder_sync(const char *path, struct error *error)
{
    int fd = lending_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    bool done = fd >= 0 && fsync(fd) == 0;
    if (!done)
        error_set(error, EXIT_CODE_IO, "cannot write the folder to the disk: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return done;
}
