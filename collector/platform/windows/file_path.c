/*
 * Implements the paths of collector/platform/file_system.h on Windows ("Naming Files, Paths, and
 * Namespaces").
 */
#include "collector/platform/file_system.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"

const char file_path_list_separator = ';';
const char file_path_mkdir[] = "mkdir";
const char file_path_quoted[] = " /&"; /* the shell treats "/" as the beginning of an option */

void file_path_normalise(char *path)
{
    for (; *path != '\0'; path++)
        if (*path == '\\')
            *path = '/';
}

char *file_path_absolute(const char *path)
{
    wchar_t *wide = text_wide_copy(path);
    DWORD room = wide == NULL ? 0 : GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *full = room == 0 ? NULL : calloc(room, sizeof *full);
    DWORD length = full == NULL ? 0 : GetFullPathNameW(wide, room, full, NULL);
    char *made = length == 0 || length >= room ? NULL : text_from_wide_copy(full);
    free(wide);
    free(full);
    if (made == NULL)
        return NULL;
    file_path_normalise(made);
    size_t size = strlen(made);
    if (size > file_path_root(made) && made[size - 1] == '/')
        made[size - 1] = '\0';
    return made;
}

/* --- roots ------------------------------------------------------------------------------------ */

static bool is_drive(const char *path)
{
    char letter = path[0];
    bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return is_letter && path[1] == ':';
}

static size_t drive_root(const char *path)
{
    return !is_drive(path) ? 0 : path[2] == '/' ? 3 : 2;
}

static size_t name_with_slash(const char *path)
{
    size_t length = strcspn(path, "/");
    return path[length] == '/' ? length + 1 : length;
}

static bool is_of_devices(const char *path)
{
    return strncmp(path, "//./", 4) == 0 || strncmp(path, "//?/", 4) == 0;
}

size_t file_path_root(const char *path)
{
    if (is_of_devices(path))
        return 4 + drive_root(path + 4);
    if (strncmp(path, "//", 2) == 0) {
        size_t server = 2 + name_with_slash(path + 2);
        return server + name_with_slash(path + server);
    }
    return path[0] == '/' ? 1 : drive_root(path);
}

/* --- names ------------------------------------------------------------------------------------ */

/*
 * Returns true if the system would remove characters at the end of the name. "." and ".." are not
 * cut.
 */
static bool is_cut(const char *name, size_t size)
{
    bool leads_elsewhere = size <= 2 && strncmp(name, "..", size) == 0;
    return size != 0 && !leads_elsewhere && strchr(". ", name[size - 1]) != NULL;
}

const char *file_path_fault(const char *path, size_t *at)
{
    size_t root = file_path_root(path);
    *at = root;
    /* Without a separator "C:logs" is relative to the drive's current folder. */
    if (root >= 2 && path[root - 1] == ':')
        return "a drive must be followed by a separator: C:\\logs";
    for (*at = root; path[*at] != '\0'; ++*at) {
        /* A colon would name a stream of the file, which the folder's listing does not show. */
        if ((unsigned char)path[*at] < ' ' || strchr("<>:\"|?*", path[*at]) != NULL)
            return "Windows does not allow < > : \" | ? * in names";
    }
    for (const char *name = path + root; *name != '\0'; name += name_with_slash(name)) {
        size_t size = strcspn(name, "/");
        *at = (size_t)(name - path) + size - 1;
        if (is_cut(name, size))
            return "Windows removes a dot or a space at the end of a name";
    }
    return NULL;
}

#define FOUR(n)    (n), (n) + 1, (n) + 2, (n) + 3
#define SIXTEEN(n) FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12)
#define SIXTY(n)   SIXTEEN(n), SIXTEEN((n) + 16), SIXTEEN((n) + 32), SIXTEEN((n) + 48)
#define LETTERS(n)                                                                                 \
    FOUR(n), FOUR((n) + 4), FOUR((n) + 8), FOUR((n) + 12), FOUR((n) + 16), FOUR((n) + 20),         \
        (n) + 24, (n) + 25

/*
 * Upper case ASCII letters map to lower case ones. For other letters each volume has its own table,
 * but the paths of one template differ only in their values, which are ASCII.
 */
const unsigned char file_path_fold[256] = {SIXTY(0),     '@',          LETTERS('a'), FOUR('['), '_',
                                           SIXTEEN('`'), SIXTEEN('p'), SIXTY(128),   SIXTY(192)};
