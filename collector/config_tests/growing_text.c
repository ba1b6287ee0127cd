#include "collector/config_tests/growing_text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool growing_text_reserve(struct growing_text *text, size_t size)
{
    if (text->failed)
        return false;
    if (size < text->capacity - text->used)
        return true;
    size_t capacity = text->capacity == 0 ? 256 : text->capacity;
    while (capacity - text->used <= size && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *data = capacity - text->used <= size ? NULL : realloc(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void growing_text_put(struct growing_text *text, const void *bytes, size_t size)
{
    if (size == 0 || !growing_text_reserve(text, size))
        return;
    memcpy(text->data + text->used, bytes, size);
    text->used += size;
}

void growing_text_print(struct growing_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0 || !growing_text_reserve(text, (size_t)size))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->used, (size_t)size + 1, format, arguments);
    va_end(arguments);
    text->used += (size_t)size;
}

void growing_text_put_hex(struct growing_text *text, const void *bytes, size_t size, size_t width)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i++) {
        const char pair[3] = {digits[from[i] >> 4], digits[from[i] & 0xf], '\n'};
        bool ends = i + 1 == size || (i + 1) % width == 0;
        growing_text_put(text, pair, ends ? 3 : 2);
    }
}

void growing_text_free(struct growing_text *text)
{
    free(text->data);
    *text = (struct growing_text){.data = NULL};
}
