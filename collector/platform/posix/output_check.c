/* Implements the checks of collector/platform/output_file.h with stat(2) and faccessat(2). */
#include "collector/platform/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/platform/file_system.h"
#include "collector/platform/posix/guarded_open.h"
#include "collector/text/copy.h"

static int cannot_write(struct error *error, const char *path, int number)
{
    error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot write to %s: %s", path,
              guarded_open_why(number));
    return -1;
}

static int cannot_create_file(struct error *error, const char *path, int number)
{
    cannot_write(error, path, number);
    if (number == ENOENT || number == EISDIR)
        folder_advise_missing_of(path, error);
    return -1;
}

static int folder_problem(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (!S_ISDIR(status.st_mode))
        return ENOTDIR;
    return faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

static int problem_of_folder_of(const char *path)
{
    size_t length = file_path_folder(path);
    if (length == 0)
        return folder_problem(".");
    char *folder = text_copy(path, length);
    if (folder == NULL)
        return ENOMEM;
    int problem = folder_problem(folder);
    free(folder);
    return problem;
}

/* Returns 0 if the file can be written, or errno. Does not check whether a pipe has a reader. */
static int file_problem(const char *path)
{
    struct stat status;
    int found = guarded_open(path, O_PATH | O_CLOEXEC, 0);
    int number = errno;
    if (found >= 0)
        close(found);
    else if (number == EXDEV)
        return number;
    if (stat(path, &status) != 0)
        return errno == ENOENT ? problem_of_folder_of(path) : errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

int output_check_file(const char *path, struct error *error)
{
    int problem = file_problem(path);
    return problem == 0 ? 0 : cannot_create_file(error, path, problem);
}

int output_check_replaceable(const char *path, struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode))
        return 0;
    error_set(error, EXIT_CODE_CANNOT_CREATE,
              "cannot write to %s: it is not a regular file, and cannot be rotated, compressed or "
              "replaced",
              path);
    return -1;
}

int output_check_beside(const char *path, struct error *error)
{
    int problem = problem_of_folder_of(path);
    return problem == 0 ? 0 : cannot_create_file(error, path, problem);
}

int output_check_folder(const char *path, struct error *error)
{
    int problem = folder_problem(path);
    if (problem == 0)
        return 0;
    cannot_write(error, path, problem);
    if (problem == ENOENT)
        folder_advise_missing(path, error);
    return -1;
}
