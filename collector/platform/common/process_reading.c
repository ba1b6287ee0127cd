#include "collector/platform/common/process_reading.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/*
 * Once the reading has reached its limit, the end of the buffer is reused for bytes that are
 * dropped.
 */
unsigned char *process_reading_room(struct process_reading *reading, size_t *size)
{
    if (reading->bytes.size == reading->capacity) {
        size_t wanted = reading->capacity == 0 ? 16384 : reading->capacity * 2;
        unsigned char *grown = realloc(reading->bytes.data, wanted);
        if (grown == NULL) {
            reading->no_memory = true;
            reading->ended = true;
            return NULL;
        }
        reading->bytes.data = grown;
        reading->capacity = wanted;
    }
    *size = reading->capacity - reading->bytes.size;
    return reading->bytes.data + reading->bytes.size;
}

void process_reading_add(struct process_reading *reading, size_t size)
{
    RULE(size <= reading->capacity - reading->bytes.size, "what is read fits into its room");
    reading->bytes.size += size;
    if (reading->bytes.size > reading->most) {
        reading->too_much = true;
        reading->bytes.size = reading->most;
    }
}

static bool is_warning(const char *line, size_t length)
{
    static const char *const words[] = {"WARNING", "warning:"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t at = 0; at + strlen(words[i]) <= length; at++)
            if (memcmp(line + at, words[i], strlen(words[i])) == 0)
                return true;
    return false;
}

/*
 * Finds the first line that is neither empty nor a warning. Returns its length, or 0 if there is
 * none.
 */
static size_t first_line(const struct process_reading *errors, const char **line)
{
    const char *at = (const char *)errors->bytes.data;
    if (errors->bytes.size == 0) /* without bytes `data` may be NULL */
        return 0;
    const char *end = at + errors->bytes.size;
    while (at != end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline != NULL ? newline + 1 : end;
        size_t length = (size_t)((newline != NULL ? newline : end) - at);
        if (length != 0 && at[length - 1] == '\r')
            length--;
        *line = at;
        if (length != 0 && !is_warning(at, length))
            return length;
        at = next;
    }
    return 0;
}

enum process_result process_outcome(const struct process_reading *output,
                                    const struct process_reading *errors,
                                    const struct process_limits *exceeded, const char *how,
                                    struct process_output *out, struct error *error)
{
    const char *line = NULL;
    size_t length;
    *out = output->bytes;
    bool good = exceeded == NULL && how == NULL && !output->no_memory;
    if (output->no_memory)
        error_set(error, EXIT_CODE_INTERNAL, "no memory for its output");
    else if (output->too_much)
        error_set(error, EXIT_CODE_CONFIG, "writes more than %zu bytes", output->most);
    else if (exceeded != NULL)
        error_set(error, EXIT_CODE_CONFIG, "has not ended after %g s",
                  (double)exceeded->time_ns / 1e9);
    else if (!good && (length = first_line(errors, &line)) != 0)
        error_set(error, EXIT_CODE_CONFIG, "%.*s", (int)length, line);
    else if (!good)
        error_set(error, EXIT_CODE_CONFIG, "%s", how);
    free(errors->bytes.data);
    return good ? PROCESS_DONE : PROCESS_FAILED;
}
