#include "collector/platform/input_file.h"

#include <stdint.h>

#include "collector/platform/clock.h"

static int load_fail(struct error *error, const char *path, const char *why)
{
    error_set(error, EXIT_CODE_BAD_INPUT, "%s: %s", path, why);
    return -1;
}

static int late(struct error *error, const char *path)
{
    error_set(error, EXIT_CODE_BAD_INPUT,
              "%s: it is a pipe or a device, and its end did not come in %d s", path,
              INPUT_LOAD_SECONDS);
    return -1;
}

static bool wait_for_more(struct input_file *file, int64_t until_ns)
{
    int64_t left_ns = until_ns - clock_monotonic_ns();
    if (left_ns <= 0)
        return false;
    input_file_wait_for(file, (unsigned)(left_ns / 1000000) + 1);
    return true;
}

static int read_all(struct input_file *file, const char *path, char *bytes, size_t size,
                    size_t *length, struct error *error)
{
    const int64_t until_ns = clock_monotonic_ns() + INPUT_LOAD_SECONDS * INT64_C(1000000000);
    struct error why;
    while (*length < size) {
        size_t got = 0;
        switch (input_file_read(file, bytes + *length, size - *length, &got, &why)) {
        case INPUT_BYTES:
            *length += got;
            break;
        case INPUT_WOULD_WAIT:
            if (!wait_for_more(file, until_ns))
                return late(error, path);
            break;
        case INPUT_END:
        case INPUT_CANCELLED:
            return 0;
        case INPUT_FAILED:
            return load_fail(error, path, why.text);
        }
    }
    return 0;
}

int input_load(const char *path, void *bytes, size_t size, size_t *length, struct error *error)
{
    struct input_file *file;
    *length = 0;
    if (input_file_open(path, &file, error) != 0)
        return -1;
    int result = read_all(file, path, bytes, size, length, error);
    if (result == 0 && input_file_has_changed(file))
        result = load_fail(error, path,
                           "changed while it was read; replace a file by renaming a complete one");
    input_file_close(file);
    return result;
}

int input_load_check(const char *path, struct error *error)
{
    bool live;
    if (input_file_look(path, &live, error) != 0)
        return -1;
    return live ? load_fail(error, path, "it is a pipe or a device, not a file") : 0;
}

int input_load_probe(const char *path, struct error *error)
{
    char first;
    size_t length;
    return input_load_check(path, error) != 0
               ? -1
               : input_load(path, &first, sizeof first, &length, error);
}

static int of_key(const char *key, const char *path,
                  int (*check)(const char *path, struct error *error), struct error *error)
{
    struct error why;
    if (path == NULL || check(path, &why) == 0)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "%s=%s", key, why.text);
    return -1;
}

int input_load_check_key(const char *key, const char *path, struct error *error)
{
    return of_key(key, path, input_load_check, error);
}

int input_load_probe_key(const char *key, const char *path, struct error *error)
{
    return of_key(key, path, input_load_probe, error);
}
