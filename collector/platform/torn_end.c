#include "collector/platform/torn_end.h"

#include <stdlib.h>

#include "collector/base/progress.h"

const char torn_file_changes[] = "it changes while it is read";

static const char no_memory[] = "out of memory";

/* --- the end of a predecessor ----------------------------------------------------------------- */

static unsigned patience_ms = 400;

bool torn_end_is_patient(unsigned waited_ms)
{
    return waited_ms < patience_ms;
}

void torn_end_set_patience(unsigned milliseconds)
{
    patience_ms = milliseconds;
}

/* --- lines ------------------------------------------------------------------------------------ */

/*
 * Bytes after the last newline of the first `size`; more than OUTPUT_FILE_TORN_MAX: not found.
 * Returns NULL, or why they cannot be read.
 */
static const char *find_unended(const struct torn_file_ops *ops, void *context, uint64_t size,
                                uint64_t *unended)
{
    char block[16384];
    *unended = 0;
    while (size > 0 && *unended <= OUTPUT_FILE_TORN_MAX) {
        size_t want = size < sizeof block ? (size_t)size : sizeof block;
        if (*unended == 0 && want > 1)
            want = 1; /* as a rule the file ends in a newline */
        const char *why = ops->read(context, size - want, block, want);
        if (why != NULL)
            return why;
        size_t at = want;
        while (at > 0 && block[at - 1] != '\n')
            at--;
        *unended += want - at;
        if (at > 0)
            break;
        size -= want;
    }
    return NULL;
}

static const char *mend_line(const struct torn_file_ops *ops, void *context, bool alone,
                             struct output_file_start *start)
{
    uint64_t size;
    const char *why = ops->size(context, &size);
    if (why != NULL)
        return why;
    why = find_unended(ops, context, size, &start->torn_size);
    if (why != NULL || start->torn_size == 0) {
        /* It shrinks while we look: that is somebody else's business. */
        return why == torn_file_changes ? NULL : why;
    }
    bool is_long = start->torn_size > OUTPUT_FILE_TORN_MAX;
    if (alone && !is_long && ops->cut(context, size, size - start->torn_size)) {
        start->torn = TORN_LINE_CUT;
        return NULL;
    }
    start->kept = is_long ? TORN_LINE_LONG : alone ? TORN_LINE_STUCK : TORN_LINE_SHARED;
    why = ops->end_line(context);
    if (why == NULL)
        start->torn = TORN_LINE_ENDED;
    return why;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Bytes that are looked at together: more than a record of any format without lines has. */
#define WINDOW_SIZE ((size_t)256 * 1024)

/*
 * Walks over the first `size` bytes from record to record. Returns NULL with *end after the last
 * whole one, or why that cannot be known.
 */
static const char *find_end(const struct torn_file_ops *ops, void *context, uint64_t size,
                            const struct output_file_format *format, uint8_t *window, uint64_t *end)
{
    bool foreign = false;
    for (*end = 0; *end < size;) {
        uint64_t left = size - *end;
        size_t want = left < WINDOW_SIZE ? (size_t)left : WINDOW_SIZE;
        const char *why = ops->read(context, *end, window, want);
        if (why != NULL)
            return why;
        size_t found = format->whole(window, want, *end == 0, &foreign);
        if (foreign || (found == 0 && want == WINDOW_SIZE))
            return "it holds something else; move it away, or write to another file";
        *end += found;
        progress_report(&(struct progress){
            .doing = "checking a file,", .name = format->name, .done = *end, .total = size});
        if (found == 0)
            break;
    }
    return NULL;
}

static const char *mend_record(const struct torn_file_ops *ops, void *context, bool alone,
                               const struct output_file_format *format,
                               struct output_file_start *start)
{
    uint64_t size;
    uint64_t end;
    const char *why = ops->size(context, &size);
    if (why != NULL)
        return why;
    uint8_t *window = malloc(WINDOW_SIZE);
    if (window == NULL)
        return no_memory;
    why = find_end(ops, context, size, format, window, &end);
    progress_end();
    free(window);
    if (why != NULL || end == size)
        return why;
    start->torn_size = size - end;
    if (!alone)
        return "its last record is not whole, and another program may be writing it";
    if (!ops->cut(context, size, end))
        return "its last record is not whole and cannot be cut off";
    start->torn = TORN_LINE_CUT;
    return NULL;
}

const char *torn_end_mend(const struct torn_file_ops *ops, void *context, bool alone,
                          const struct output_file_format *format, struct output_file_start *start)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    return format == NULL ? mend_line(ops, context, alone, start)
                          : mend_record(ops, context, alone, format, start);
}

int torn_end_not_mended(const char *path, const struct output_file_format *format, const char *why,
                        struct error *error)
{
    if (format == NULL)
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot write to %s: %s", path, why);
    else
        error_set(error, why == no_memory ? EXIT_CODE_INTERNAL : EXIT_CODE_CANNOT_CREATE,
                  "cannot append %s to %s: %s", format->name, path, why);
    return -1;
}
