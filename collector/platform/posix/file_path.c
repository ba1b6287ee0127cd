/*
 * The paths of collector/platform/file_system.h on POSIX: a name consists of any bytes but '/' and
 * NUL.
 */
#include "collector/platform/file_system.h"

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

const char file_path_mkdir[] = "mkdir -p";
const char file_path_quoted[] = " '&;()<>|*?";

#define FOUR(n)    (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY(n)   SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)

/* Each byte maps to itself. */
const unsigned char file_path_fold[256] = {SIXTY(0), SIXTY(64), SIXTY(128), SIXTY(192)};
