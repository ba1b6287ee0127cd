#include "tests/support/platform/scratch_directory.h"

#include "tests/support/test.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The maximum depth of nested folders. musl's nftw(3) skips folders that are nested deeper than the
 * number of descriptors it may use.
 */
#define DEPTH_MOST 128

static char directory[256];

int scratch_make(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/sluice-test-XXXXXX", base != NULL ? base : "/tmp");
    return mkdtemp(directory) == NULL ? -1 : 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

int scratch_remove(void **state)
{
    (void)state;
    return nftw(directory, remove_entry, DEPTH_MOST, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_path(const char *name)
{
    static char paths[8][1200];
    static unsigned next;
    char *path = paths[next++ % 8];
    int length = snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    assert_in_range(length, 1, sizeof paths[0] - 1);
    return path;
}

void scratch_make_folder(const char *name)
{
    if (mkdir(scratch_path(name), 0777) != 0)
        fail_msg("cannot make the folder %s", name);
}

bool scratch_has(const char *name)
{
    struct stat status;
    return lstat(scratch_path(name), &status) == 0;
}

size_t scratch_count(const char *name)
{
    size_t count = 0;
    DIR *opened = opendir(scratch_path(name));
    assert_non_null(opened);
    while (readdir(opened) != NULL)
        count++;
    closedir(opened);
    return count - 2; /* "." and ".." */
}

void scratch_put(const char *name, const char *bytes, size_t size)
{
    FILE *file = fopen(scratch_path(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

char *scratch_read(const char *name, size_t *size)
{
    FILE *file = fopen(scratch_path(name), "rb");
    if (file == NULL)
        fail_msg("%s: no such file", name);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *found = calloc(1, *size + 1);
    assert_non_null(found);
    assert_int_equal(fread(found, 1, *size, file), *size);
    fclose(file);
    return found;
}

void scratch_assert_holds(const char *name, const char *bytes, size_t size)
{
    size_t count;
    char *found = scratch_read(name, &count);
    if (count != size || memcmp(found, bytes, size) != 0)
        fail_msg("%s does not hold the expected %zu bytes, but %zu: %.*s", name, size, count,
                 (int)(count < 200 ? count : 200), found);
    free(found);
}

void scratch_make_private(const char *name)
{
    assert_int_equal(chmod(scratch_path(name), 0600), 0);
}
