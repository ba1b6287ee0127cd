#include "collector/contract/otlp_udp.h"

#include <string.h>

/* What is left of the line. */
struct line {
    const char *at, *end;
};

/* --- the line, as JSON (RFC 8259) ------------------------------------------------------------- */

static void skip_spaces(struct line *line)
{
    while (line->at != line->end && (*line->at == ' ' || *line->at == '\t' || *line->at == '\r'))
        line->at++;
}

/* Takes these characters, and the spaces after them. */
static bool take(struct line *line, const char *expected)
{
    size_t size = strlen(expected);
    if ((size_t)(line->end - line->at) < size || memcmp(line->at, expected, size) != 0)
        return false;
    line->at += size;
    skip_spaces(line);
    return true;
}

static bool take_format(struct line *line)
{
    return take(line, "\"format\"") && take(line, ":") && take(line, "\"json\"");
}

static bool take_version(struct line *line)
{
    return take(line, "\"version\"") && take(line, ":") && take(line, "1");
}

static bool take_members(struct line *line)
{
    const struct line begin = *line;
    if (take_format(line) && take(line, ",") && take_version(line))
        return true;
    *line = begin;
    return take_version(line) && take(line, ",") && take_format(line);
}

static bool is_header(struct line line)
{
    skip_spaces(&line);
    return take(&line, "{") && take_members(&line) && take(&line, "}") && line.at == line.end;
}

/* --- the head --------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    enum otlp_udp_signal signal;
    enum otlp_udp_sampling sampling;
} prefixes[] = {
    {"T1S", OTLP_UDP_TRACES, SAMPLING_SAMPLED},
    {"T1U", OTLP_UDP_TRACES, SAMPLING_UNSAMPLED},
    {"M1", OTLP_UDP_METRICS, SAMPLING_NOT_GIVEN},
};

static struct otlp_udp_head read_prefix(const uint8_t *data, size_t size, size_t at)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i].text);
        if (size - at >= length && memcmp(data + at, prefixes[i].text, length) == 0)
            return (struct otlp_udp_head){prefixes[i].signal, prefixes[i].sampling, at + length};
    }
    return (struct otlp_udp_head){.body = at};
}

enum otlp_udp_result otlp_udp_read(const uint8_t *data, size_t size, struct otlp_udp_head *head)
{
    size_t most = size < OTLP_UDP_LINE_MOST ? size : OTLP_UDP_LINE_MOST;
    const char *text = (const char *)data;
    const char *end = most == 0 ? NULL : memchr(text, '\n', most);
    if (end == NULL)
        return most < OTLP_UDP_LINE_MOST ? OTLP_UDP_SHORT : OTLP_UDP_FOREIGN;
    if (!is_header((struct line){text, end}))
        return OTLP_UDP_FOREIGN;
    *head = read_prefix(data, size, (size_t)(end - text) + 1);
    return OTLP_UDP_OK;
}

bool otlp_udp_is_for(enum otlp_udp_signal signal, const uint8_t *data, size_t size)
{
    struct otlp_udp_head head;
    return otlp_udp_read(data, size, &head) != OTLP_UDP_OK || head.signal == signal;
}
