#include "tools/top/line_buffer.h"

#include <string.h>

#include "collector/text/control_character.h"

size_t line_buffer_next(struct line_buffer *buffer, const char **line)
{
    char *begin = buffer->bytes + buffer->begin;
    const char *newline = memchr(begin, '\n', buffer->end - buffer->begin);
    if (newline == NULL)
        return 0;
    size_t size = (size_t)(newline - begin) + 1;
    buffer->begin += size;
    control_characters_hide(begin, size - 1);
    *line = begin;
    return size;
}

size_t line_buffer_room(struct line_buffer *buffer)
{
    buffer->end -= buffer->begin;
    memmove(buffer->bytes, buffer->bytes + buffer->begin, buffer->end);
    buffer->begin = 0;
    return LINE_BUFFER_SIZE - buffer->end;
}
