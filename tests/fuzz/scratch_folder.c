#include "tests/fuzz/scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SCRATCH_PATH_SIZE / 2];

static void remove_folder(void)
{
    scratch_empty();
    rmdir(folder);
}

const char *scratch_folder(void)
{
    const char *above = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    if (folder[0] != '\0')
        return folder;
    snprintf(folder, sizeof folder, "%s/sluice-fuzz-XXXXXX", above);
    if (mkdtemp(folder) == NULL)
        abort();
    atexit(remove_folder);
    return folder;
}

void scratch_file(const char *name, char path[SCRATCH_PATH_SIZE])
{
    snprintf(path, SCRATCH_PATH_SIZE, "%s/%.200s", scratch_folder(), name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

size_t scratch_list(char names[SCRATCH_FILES][SCRATCH_PATH_SIZE])
{
    DIR *all = opendir(scratch_folder());
    const struct dirent *entry;
    size_t count = 0;
    if (all == NULL)
        abort();
    while ((entry = readdir(all)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            count < SCRATCH_FILES)
            snprintf(names[count++], SCRATCH_PATH_SIZE, "%s", entry->d_name);
    closedir(all);
    qsort(names, count, SCRATCH_PATH_SIZE, by_name);
    return count;
}

void scratch_empty(void)
{
    static char names[SCRATCH_FILES][SCRATCH_PATH_SIZE];
    size_t count;
    do {
        count = scratch_list(names);
        for (size_t i = 0; i < count; i++) {
            char path[SCRATCH_PATH_SIZE];
            scratch_file(names[i], path);
            if (unlink(path) != 0)
                abort();
        }
    } while (count == SCRATCH_FILES);
}

void scratch_write(const char *name, const void *bytes, size_t size)
{
    char path[SCRATCH_PATH_SIZE];
    scratch_file(name, path);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file) != 0)
        abort();
}

uint8_t *scratch_read(const char *name, size_t *size)
{
    char path[SCRATCH_PATH_SIZE];
    struct stat state;
    scratch_file(name, path);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *size = 0;
    if (file < 0)
        return NULL;
    uint8_t *bytes = fstat(file, &state) == 0 ? malloc((size_t)state.st_size + 1) : NULL;
    if (bytes == NULL || read(file, bytes, (size_t)state.st_size) != (ssize_t)state.st_size)
        abort();
    close(file);
    *size = (size_t)state.st_size;
    return bytes;
}
