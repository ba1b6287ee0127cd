#include "collector/platform/posix/file_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/file_system.h"
#include "collector/platform/posix/guarded_open.h"

bool file_modes_exist(void)
{
    return true;
}

mode_t file_mode_of(unsigned mode)
{
    return mode == 0 ? FILE_MODE_USUAL : (mode_t)mode;
}

mode_t file_mode_of_folder(unsigned mode)
{
    mode_t file = file_mode_of(mode);
    return (file | S_IRWXU) | ((file & (S_IRGRP | S_IROTH)) >> 2);
}

int file_mode_create(const char *path, int flags, unsigned mode)
{
    int fd = guarded_open(path, flags | O_CREAT | O_EXCL, file_mode_of(mode));
    if (fd < 0 || mode == 0 || fchmod(fd, (mode_t)mode) == 0)
        return fd;
    int number = errno;
    unlink(path);
    close(fd);
    errno = number;
    return -1;
}
