/*
 * Emulates a Windows server on which other programs have files open: calls for such a file fail
 * with EBUSY. The linker redirects all calls of open, renameat2 and unlink to this file (--wrap).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags);
int __real_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags);
int __wrap_unlink(const char *path);
int __real_unlink(const char *path);

struct others_reader {
    bool used;
    enum others_share share;
    char path[600];
};

static struct others_reader readers[32];

struct others_reader *others_read(const char *name, enum others_share share)
{
    assert_true(scratch_has(name));
    struct others_reader *reader = readers;
    while (reader->used)
        assert_true(++reader < readers + sizeof readers / sizeof readers[0]);
    *reader = (struct others_reader){.used = true, .share = share};
    snprintf(reader->path, sizeof reader->path, "%s", scratch_path(name));
    return reader;
}

void others_close(struct others_reader *reader)
{
    reader->used = false;
}

/*
 * Returns true and sets errno to EBUSY if another program has the file open with the sharing
 * `least`, or with one that allows less.
 */
static bool is_read(const char *path, enum others_share least)
{
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (!readers[i].used || readers[i].share < least || strcmp(readers[i].path, path) != 0)
            continue;
        errno = EBUSY;
        return true;
    }
    return false;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    bool writes = (flags & O_ACCMODE) != O_RDONLY && (flags & O_CREAT) == 0;
    return writes && is_read(path, OTHERS_SHARE_READING) ? -1 : __real_open(path, flags, mode);
}

int __wrap_renameat2(int from_folder, const char *from, int to_folder, const char *to,
                     unsigned flags)
{
    return is_read(from, OTHERS_SHARE_WRITING)
               ? -1
               : __real_renameat2(from_folder, from, to_folder, to, flags);
}

int __wrap_unlink(const char *path)
{
    return is_read(path, OTHERS_SHARE_WRITING) ? -1 : __real_unlink(path);
}
