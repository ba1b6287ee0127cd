/*
 * Implements the paths of collector/platform/file_system.h. A name may contain any bytes except '/'
 * and NUL.
 */
#include "collector/platform/file_system.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void file_path_normalise(char *path)
{
    (void)path;
}

size_t file_path_root(const char *path)
{
    return path[0] == '/' ? 1 : 0;
}

const char *file_path_fault(const char *path, size_t *at)
{
    (void)path;
    (void)at;
    return NULL;
}

static bool file_path_goes_up(const char *path)
{
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0)
            return true;
        path += length + (path[length] == '/');
    }
    return false;
}

/*
 * Appends each name of the path, after a '/', to `to`, except empty names and ".". Returns the end.
 */
static char *append_names(char *to, const char *path)
{
    while (*path != '\0') {
        size_t length = strcspn(path, "/");
        if (length != 0 && (length != 1 || *path != '.')) {
            *to++ = '/';
            memcpy(to, path, length);
            to += length;
        }
        path += length + (path[length] == '/');
    }
    return to;
}

char *file_path_absolute(const char *path)
{
    char current[4096] = "/";
    if (file_path_goes_up(path))
        return realpath(path, NULL);
    if (path[0] != '/' && getcwd(current, sizeof current) == NULL)
        return NULL;
    char *made = malloc(strlen(current) + strlen(path) + 3);
    if (made == NULL)
        return NULL;
    char *end = append_names(append_names(made, current), path);
    if (end == made)
        *end++ = '/';
    *end = '\0';
    return made;
}

const char file_path_list_separator = ':';
const char file_path_mkdir[] = "mkdir -p";
const char file_path_quoted[] = " '&;()<>|*?";

#define FOUR(n)    (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY(n)   SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)

const unsigned char file_path_fold[256] = {SIXTY(0), SIXTY(64), SIXTY(128), SIXTY(192)};
