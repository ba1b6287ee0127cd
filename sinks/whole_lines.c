#include "sinks/whole_lines.h"

size_t whole_lines(const uint8_t *bytes, size_t size, bool at_start, bool *foreign)
{
    (void)at_start;
    *foreign = false;
    while (size != 0 && bytes[size - 1] != '\n')
        size--;
    return size;
}
