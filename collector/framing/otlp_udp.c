#include "collector/framing/otlp_udp.h"

#include <string.h>

#include "collector/text/json_reader.h"

static bool is_header(const char *line, size_t size)
{
    struct json_reader reader;
    struct json_item item;
    unsigned formats = 0, versions = 0, others = 0;
    json_reader_begin(&reader, line, size);
    while (json_read(&reader, &item)) {
        if (item.depth == 0)
            others += item.type != JSON_OBJECT && item.type != JSON_END;
        else if (item.type == JSON_STRING && json_text_is(item.name, "format"))
            formats += json_text_is(item.text, "json") ? 1 : 2;
        else if (item.type == JSON_NUMBER && json_text_is(item.name, "version"))
            versions += json_text_is(item.text, "1") ? 1 : 2;
        else
            others++;
    }
    return reader.wrong == NULL && formats == 1 && versions == 1 && others == 0;
}

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
    if (!is_header(text, (size_t)(end - text)))
        return OTLP_UDP_FOREIGN;
    *head = read_prefix(data, size, (size_t)(end - text) + 1);
    return OTLP_UDP_OK;
}

bool otlp_udp_is_for(enum otlp_udp_signal signal, const uint8_t *data, size_t size)
{
    struct otlp_udp_head head;
    return otlp_udp_read(data, size, &head) != OTLP_UDP_OK || head.signal == signal;
}
