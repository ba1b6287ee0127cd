#include "collector/metrics/page_writing.h"

#include <stdlib.h>

/* The first size and the maximum size of a page's buffer, in bytes. */
#define FIRST_SIZE ((size_t)64 * 1024)
#define MOST_SIZE  ((size_t)64 * 1024 * 1024)

bool page_write(page_writer *write, void *context, struct output *out)
{
    for (size_t capacity = FIRST_SIZE; capacity <= MOST_SIZE; capacity *= 2) {
        *out = (struct output){.data = malloc(capacity), .capacity = capacity};
        if (out->data == NULL)
            return false;
        write(context, out);
        if (!out->overflow)
            return true;
        free(out->data);
    }
    return false;
}
