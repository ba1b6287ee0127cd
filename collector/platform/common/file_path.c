#include "collector/platform/file_system.h"

#include <string.h>

size_t file_path_folder(const char *path)
{
    size_t root = file_path_root(path);
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    return length > root ? length : root;
}

bool file_path_copy_folder(const char *path, char *to, size_t size)
{
    size_t length = file_path_folder(path);
    const char *folder = length == 0 ? "." : path;
    if (length == 0)
        length = 1;
    if (length >= size)
        return false;
    memcpy(to, folder, length);
    to[length] = '\0';
    return true;
}

const char *file_path_name(const char *path)
{
    size_t length = file_path_folder(path);
    return path + length + (length != 0 && path[length] == '/');
}

bool file_path_begins(const char *path, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (file_path_fold[(unsigned char)path[i]] != file_path_fold[(unsigned char)bytes[i]])
            return false;
    return true;
}

bool file_path_same(const char *a, const char *b)
{
    size_t length = strlen(a);
    return file_path_begins(b, a, length) && b[length] == '\0';
}

static bool file_path_is_word(const char *name, const char *word)
{
    for (; *word != '\0'; name++, word++)
        if ((*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name) != *word)
            return false;
    return true;
}

bool file_path_is_device(const char *name, size_t size)
{
    static const char *const plain[] = {"CON", "PRN", "AUX", "NUL"};
    static const char *const numbered[] = {"COM", "LPT"};
    const char *dot = memchr(name, '.', size);
    size_t stem = dot != NULL ? (size_t)(dot - name) : size;
    for (size_t i = 0; stem == 3 && i < sizeof plain / sizeof plain[0]; i++)
        if (file_path_is_word(name, plain[i]))
            return true;
    for (size_t i = 0; stem == 4 && i < sizeof numbered / sizeof numbered[0]; i++)
        if (file_path_is_word(name, numbered[i]) && name[3] >= '0' && name[3] <= '9')
            return true;
    return false;
}
