/*
 * The main function of a target without a fuzzer. Each argument is a file with one input, a folder
 * of such files, or a corpus (NAME.corpus): inputs that each follow their length in four bytes,
 * big-endian.
 *
 * Prints the number of inputs. If a property does not hold, the target ends the program; the
 * current input was printed before.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/target.h"

static size_t inputs;

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

/*
 * Runs the target with a copy of exactly the input's size, so that a sanitizer detects reads beyond
 * it.
 */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *input = malloc(size == 0 ? 1 : size);
    if (input == NULL)
        abort();
    if (size != 0)
        memcpy(input, bytes, size);
    LLVMFuzzerTestOneInput(input, size);
    free(input);
    inputs++;
}

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t room = 0, got;
    *size = 0;
    if (file == NULL)
        fail(path, strerror(errno));
    do {
        room += 1 << 16;
        bytes = realloc(bytes, room);
        if (bytes == NULL)
            abort();
        got = fread(bytes + *size, 1, room - *size, file);
        *size += got;
    } while (*size == room);
    if (ferror(file))
        fail(path, strerror(errno));
    fclose(file);
    return bytes;
}

static void run_corpus(const char *path, const uint8_t *bytes, size_t size)
{
    for (size_t at = 0, number = 0; at != size; number++) {
        if (size - at < 4)
            fail(path, "it ends within a length");
        size_t length = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 |
                        (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        at += 4;
        if (size - at < length)
            fail(path, "it ends within an input");
        printf("%s: input %zu at byte %zu\n", path, number, at);
        run(bytes + at, length);
        at += length;
    }
}

static void run_file(const char *path)
{
    static const char ending[] = ".corpus";
    size_t size, length = strlen(path);
    uint8_t *bytes = read_all(path, &size);
    if (length > sizeof ending - 1 && strcmp(path + length - (sizeof ending - 1), ending) == 0) {
        run_corpus(path, bytes, size);
    } else {
        printf("%s\n", path);
        run(bytes, size);
    }
    free(bytes);
}

static void run_path(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    if (folder == NULL) {
        run_file(path);
        return;
    }
    while ((entry = readdir(folder)) != NULL) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        run_file(name);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    for (int i = 1; i < argc; i++)
        run_path(argv[i]);
    printf("%zu inputs\n", inputs);
    return inputs == 0;
}
