#include "collector/platform/common/torn_end.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/progress.h"
#include "collector/base/rule.h"

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

static bool is_zeros(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* --- lines ------------------------------------------------------------------------------------ */

/*
 * Stores the number of bytes after the last newline of the first `size` bytes. A number above
 * OUTPUT_FILE_TORN_MAX means that no newline was found. Returns NULL, or why the bytes cannot be
 * read.
 */
static const char *find_unended(const struct torn_file_ops *ops, void *context, uint64_t size,
                                uint64_t *unended)
{
    char block[16384];
    *unended = 0;
    while (size > 0 && *unended <= OUTPUT_FILE_TORN_MAX) {
        size_t want = size < sizeof block ? (size_t)size : sizeof block;
        if (*unended == 0 && want > 1)
            want = 1; /* usually the file ends in a newline */
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

static const char something_else[] =
    "it holds something else; move it away, or write to another file";
static const char foreign_end[] =
    "its last line has no end and is not a torn line of ours; end it, move the file away, or write "
    "to another file";

struct line_look {
    uint8_t bytes[OUTPUT_LINE_LOOK];
    size_t size; /* 0: there is no such line */
};

static const char *look_at_line(const struct torn_file_ops *ops, void *context, uint64_t offset,
                                uint64_t length, struct line_look *look)
{
    look->size = length < sizeof look->bytes ? (size_t)length : sizeof look->bytes;
    return look->size == 0 ? NULL : ops->read(context, offset, look->bytes, look->size);
}

/*
 * Reads the beginning of the line that ends before `end`, which includes its newline. Its size is 0
 * if the line is longer than OUTPUT_FILE_TORN_MAX.
 */
static const char *look_at_whole(const struct torn_file_ops *ops, void *context, uint64_t end,
                                 struct line_look *look)
{
    uint64_t length;
    look->size = 0;
    if (end == 0)
        return NULL;
    const char *why = find_unended(ops, context, end - 1, &length);
    if (why != NULL || length > OUTPUT_FILE_TORN_MAX)
        return why;
    return look_at_line(ops, context, end - 1 - length, length + 1, look);
}

/* Returns true if the bytes are text: no control characters except those of lines and colours. */
static bool is_text(const struct line_look *look)
{
    for (size_t i = 0; i < look->size; i++)
        if ((look->bytes[i] < ' ' && strchr("\t\r\n\f\033", look->bytes[i]) == NULL) ||
            look->bytes[i] == '\0' || look->bytes[i] == 0x7f || look->bytes[i] >= 0xf8)
            return false;
    return true;
}

/*
 * Returns the number of bytes before the first NUL. A power cut can leave NULs at the end of a torn
 * line; they do not count.
 */
static size_t before_nul(const struct line_look *look)
{
    const uint8_t *nul = memchr(look->bytes, '\0', look->size);
    return nul == NULL ? look->size : (size_t)(nul - look->bytes);
}

static bool is_ours(const struct line_look *torn, const struct line_look *before,
                    const struct output_file_format *format)
{
    bool follows =
        before->size != 0 && format->line(before->bytes, before->size) == OUTPUT_LINE_OWN;
    size_t size = before_nul(torn);
    if (size == 0)
        return follows && is_zeros(torn->bytes, torn->size);
    switch (format->line(torn->bytes, size)) {
    case OUTPUT_LINE_FOREIGN:
        break;
    case OUTPUT_LINE_LIKELY:
        return follows;
    case OUTPUT_LINE_OWN:
        return follows || before->size == 0;
    }
    return false;
}

/* Checks that a file that is empty or ends in a newline may be appended to. */
static const char *judge_whole(const struct torn_file_ops *ops, void *context, uint64_t size,
                               const struct output_file_format *format,
                               struct output_file_start *start)
{
    struct line_look last;
    const char *why = look_at_whole(ops, context, size, &last);
    if (why != NULL || size == 0 ||
        (last.size != 0 && format->line(last.bytes, last.size) == OUTPUT_LINE_OWN))
        return why;
    bool text = last.size != 0 && is_text(&last);
    why = look_at_line(ops, context, 0, size, &last);
    start->mixed = true;
    return why != NULL || (text && is_text(&last)) ? why : something_else;
}

static const char *judge_line(const struct torn_file_ops *ops, void *context,
                              const struct output_file_format *format,
                              struct output_file_start *start, uint64_t *size)
{
    struct line_look torn;
    struct line_look before;
    const char *why = ops->size(context, size);
    if (why == NULL)
        why = find_unended(ops, context, *size, &start->torn_size);
    if (why != NULL || format == NULL)
        return why;
    if (start->torn_size == 0)
        return judge_whole(ops, context, *size, format, start);
    if (start->torn_size > OUTPUT_FILE_TORN_MAX)
        return foreign_end;
    uint64_t begin = *size - start->torn_size;
    why = look_at_line(ops, context, begin, start->torn_size, &torn);
    if (why == NULL)
        why = look_at_whole(ops, context, begin, &before);
    return why != NULL || is_ours(&torn, &before, format) ? why : foreign_end;
}

static const char *mend_line(const struct torn_file_ops *ops, void *context, bool sole_writer,
                             const struct output_file_format *format,
                             struct output_file_start *start)
{
    uint64_t size;
    const char *why = judge_line(ops, context, format, start, &size);
    bool foreign = why == foreign_end || why == something_else;
    if (foreign && !format->opened)
        return why;
    if ((why != NULL && !foreign) || start->torn_size == 0) {
        /* A file that shrinks while it is read is being changed by another program. */
        return why == torn_file_changes || foreign ? NULL : why;
    }
    RULE(start->torn_size <= size, "a torn line is part of its file");
    bool is_long = start->torn_size > OUTPUT_FILE_TORN_MAX;
    if (sole_writer && !is_long && !foreign && ops->cut(context, size, size - start->torn_size)) {
        start->torn = TORN_LINE_CUT;
        return NULL;
    }
    start->kept = is_long       ? TORN_LINE_LONG
                  : foreign     ? TORN_LINE_FOREIGN
                  : sole_writer ? TORN_LINE_STUCK
                                : TORN_LINE_SHARED;
    why = ops->end_line(context);
    if (why == NULL)
        start->torn = TORN_LINE_ENDED;
    return why;
}

/* --- records ---------------------------------------------------------------------------------- */

/*
 * The number of bytes that are read at a time: more than the longest record of any binary format.
 */
#define WINDOW_SIZE ((size_t)256 * 1024)

/*
 * Walks over whole records. Returns NULL with *end after the last one, or why it cannot be found.
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
            return something_else;
        RULE(found <= want, "whole records are part of what was looked at");
        *end += found;
        progress_report(&(struct progress){
            .doing = "checking a file,", .name = format->name, .done = *end, .total = size});
        if (found == 0)
            break;
    }
    return NULL;
}

static const char *judge_record(const struct torn_file_ops *ops, void *context,
                                const struct output_file_format *format,
                                struct output_file_start *start, uint64_t *size)
{
    uint64_t end;
    const char *why = ops->size(context, size);
    if (why != NULL)
        return why;
    uint8_t *window = malloc(WINDOW_SIZE);
    if (window == NULL)
        return no_memory;
    why = find_end(ops, context, *size, format, window, &end);
    progress_end();
    /*
     * Zeros look like empty records, so they do not prove that the torn record is the program's
     * own.
     */
    size_t first = end < WINDOW_SIZE ? (size_t)end : WINDOW_SIZE;
    if (why == NULL && format->unmarked && end != *size)
        why = ops->read(context, 0, window, first);
    if (why == NULL && format->unmarked && end != *size && is_zeros(window, first))
        why = something_else;
    free(window);
    start->torn_size = *size - end;
    return why;
}

static const char *mend_record(const struct torn_file_ops *ops, void *context, bool sole_writer,
                               const struct output_file_format *format,
                               struct output_file_start *start)
{
    uint64_t size;
    const char *why = judge_record(ops, context, format, start, &size);
    if (why != NULL || start->torn_size == 0)
        return why;
    if (!sole_writer)
        return "its last record is not whole, and another program may be writing it";
    if (!ops->cut(context, size, size - start->torn_size))
        return "its last record is not whole and cannot be cut off";
    start->torn = TORN_LINE_CUT;
    return NULL;
}

/* --- both ------------------------------------------------------------------------------------- */

static bool has_records(const struct output_file_format *format)
{
    return format != NULL && format->line == NULL;
}

const char *torn_end_judge(const struct torn_file_ops *ops, void *context,
                           const struct output_file_format *format, struct output_file_start *start)
{
    uint64_t size;
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    if (has_records(format))
        return judge_record(ops, context, format, start, &size);
    const char *why = judge_line(ops, context, format, start, &size);
    return why == foreign_end && format->opened ? NULL : why;
}

const char *torn_end_mend(const struct torn_file_ops *ops, void *context, bool sole_writer,
                          const struct output_file_format *format, struct output_file_start *start)
{
    *start = (struct output_file_start){.torn = TORN_LINE_NONE};
    return has_records(format) ? mend_record(ops, context, sole_writer, format, start)
                               : mend_line(ops, context, sole_writer, format, start);
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
