#include "tests/support/sinks/compressed.h"

#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t compressed_random(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

char *compressed_lines(size_t size)
{
    char *text = malloc(size + 1);
    assert_non_null(text);
    for (size_t used = 0; used < size;) {
        char line[128];
        int length = snprintf(
            line, sizeof line, "{\"name\":\"cpu\",\"value\":%u,\"labels\":{\"host\":\"web%u\"}}\n",
            (unsigned)(compressed_random() % 1000000), (unsigned)(compressed_random() % 20));
        size_t part = (size_t)length < size - used ? (size_t)length : size - used;
        memcpy(text + used, line, part);
        used += part;
    }
    text[size] = '\0';
    return text;
}

void compressed_add(struct compressed *file, const void *bytes, size_t size)
{
    file->bytes = realloc(file->bytes, file->size + size + 1);
    assert_non_null(file->bytes);
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

size_t compressed_add_frame(struct compressed *file, struct compression *compression,
                            const void *in, size_t size)
{
    size_t bound = compression->ops->bound(size);
    unsigned char *frame = malloc(bound);
    assert_non_null(frame);
    size_t length = compression->ops->compress(compression, in, size, frame, bound);
    if (length == 0 || length > bound)
        fail_msg("%s: %zu bytes became %zu, bound %zu", compression->ops->name, size, length,
                 bound);
    compressed_add(file, frame, length);
    free(frame);
    return file->size;
}

struct prefix {
    const struct compressed *file;
    size_t size;
};

static size_t read_prefix(void *context, uint64_t offset, void *bytes, size_t size)
{
    const struct prefix *prefix = context;
    assert_in_range(size, 1, 65536);
    assert_true(offset <= prefix->size && size <= prefix->size - offset);
    size_t got = size - prefix->file->broken;
    memcpy(bytes, prefix->file->bytes + offset, got);
    return got;
}

int64_t compressed_whole(const struct compressed *file, size_t size,
                         struct compression *compression)
{
    struct prefix prefix = {file, size};
    struct compression_file look = {.read = read_prefix, .context = &prefix, .size = size};
    return compression->ops->whole(compression, &look);
}

void compressed_assert_cuts(const struct compressed *file, struct compression *compression,
                            const size_t *ends, size_t count)
{
    size_t next = 0;
    for (size_t size = 0; size <= file->size; size++) {
        if (next < count && size == ends[next])
            next++;
        size_t whole = next != 0 ? ends[next - 1] : 0;
        int64_t found = compressed_whole(file, size, compression);
        if (found != (int64_t)whole)
            fail_msg("%s: of the first %zu bytes %lld are whole frames, not %zu",
                     compression->ops->name, size, (long long)found, whole);
    }
    assert_int_equal(next, count);
}

void compressed_free(struct compressed *file)
{
    free(file->bytes);
    *file = (struct compressed){0};
}
