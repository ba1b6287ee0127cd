#include "sinks/encoders/line_mark.h"

#include <stdbool.h>

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

enum output_line line_mark(const uint8_t *bytes, size_t size, const char *mark)
{
    size_t at = 0;
    for (; at < size && mark[at] != '\0'; at++)
        if (mark[at] == '9' ? !is_digit(bytes[at]) : bytes[at] != (uint8_t)mark[at])
            return OUTPUT_LINE_FOREIGN;
    return mark[at] == '\0' ? OUTPUT_LINE_OWN : OUTPUT_LINE_LIKELY;
}

enum output_line line_mark_ends_with_time(const uint8_t *bytes, size_t size)
{
    bool ended = bytes[size - 1] == '\n';
    if (!ended)
        return OUTPUT_LINE_LIKELY;
    const size_t end = size - 1;
    size_t at = end;
    while (at > 0 && is_digit(bytes[at - 1]))
        at--;
    if (at == end)
        return OUTPUT_LINE_FOREIGN;
    if (at > 0 && bytes[at - 1] == '-')
        at--;
    return at > 1 && bytes[at - 1] == ' ' ? OUTPUT_LINE_OWN : OUTPUT_LINE_FOREIGN;
}
