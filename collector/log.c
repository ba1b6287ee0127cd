#include "collector/log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "collector/log_stream.h"
#include "collector/thread.h"

#define LIMIT_INTERVAL_NS INT64_C(1000000000)
#define LINE_SIZE         1024

/* Lines that could not be written, and have not been told of. */
static _Atomic uint64_t lost;

static log_taker *diverted_to;

void log_divert(log_taker *taker)
{
    diverted_to = taker;
}

bool log_text(enum log_level level, const char *lines, size_t size, int wait_ms)
{
    if (diverted_to != NULL)
        return diverted_to(level, lines, size);
    return log_stream_write(lines, size, wait_ms);
}

/* U+0000 to U+001F, U+007F, and U+0080 to U+009F, which are C2 80 to C2 9F in UTF-8. */
static void replace_controls(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        unsigned char next = (unsigned char)(i + 1 < size ? text[i + 1] : 0);
        if (byte < 0x20 || byte == 0x7f)
            text[i] = '?';
        else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f)
            text[i] = text[i + 1] = '?';
    }
}

void log_line(enum log_level level, const char *format, ...)
{
    static const char *const on_stderr[] = {
        [LOG_ERROR] = "sluice: error: ",
        [LOG_WARNING] = "sluice: warning: ",
        [LOG_INFO] = "sluice: ",
    };
    static const char *const diverted[] = {[LOG_ERROR] = "", [LOG_WARNING] = "", [LOG_INFO] = ""};
    const char *const *prefixes = diverted_to != NULL ? diverted : on_stderr;
    char text[LINE_SIZE + 64];
    uint64_t before = atomic_exchange(&lost, 0);
    size_t start = before == 0 ? 0
                               : (size_t)snprintf(text, 64, "%s%" PRIu64 " lines were lost\n",
                                                  prefixes[LOG_INFO], before);
    char *line = text + start;
    size_t used = strlen(prefixes[level]);
    memcpy(line, prefixes[level], used);
    va_list arguments;
    va_start(arguments, format);
    line[used] = '\0'; /* what stands where the format cannot be followed */
    vsnprintf(line + used, LINE_SIZE - used - 1, format, arguments);
    va_end(arguments);
    size_t end = strlen(line);
    replace_controls(line + used, end - used);
    line[end++] = '\n';
    if (!log_text(level, text, start + end, 0))
        atomic_fetch_add(&lost, before + 1);
}

bool log_allowed(struct log_limit *limit, uint64_t *held)
{
    int64_t now = clock_monotonic_ns();
    if (now < limit->next_ns) {
        limit->held++;
        return false;
    }
    *held = limit->held;
    limit->held = 0;
    limit->next_ns = now + LIMIT_INTERVAL_NS;
    return true;
}
