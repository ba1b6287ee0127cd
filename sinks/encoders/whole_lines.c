#include "sinks/encoders/whole_lines.h"

#include "collector/text/utf8.h"

/*
 * Number of bytes of a file that are examined. In every format, a sender's value, which may not be
 * UTF-8, begins later. The shortest text before a value is `a{b=` of prometheus.
 */
#define BEGINNING 4

/*
 * Returns true if a file of lines can begin with these bytes. A file of zstd, gzip or pcap, which
 * the same sink may have written earlier, begins with other bytes. A power cut may leave NULs.
 */
static bool is_beginning(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    if (size < BEGINNING || bytes[0] == '\0')
        return true;
    while (at < BEGINNING) {
        bool valid;
        size_t length = utf8_sequence(bytes + at, size - at, &valid);
        if (!valid)
            return at + length == size; /* true if the bytes end within a character */
        if (bytes[at] < ' ' || bytes[at] == 0x7f)
            return at != 0 && (bytes[at] == '\r' || bytes[at] == '\n');
        at += length;
    }
    return true;
}

size_t whole_lines(const uint8_t *bytes, size_t size, bool at_start, bool *foreign)
{
    *foreign = at_start && !is_beginning(bytes, size);
    if (*foreign)
        return 0;
    while (size != 0 && bytes[size - 1] != '\n')
        size--;
    return size;
}
