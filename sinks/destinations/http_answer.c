#include "sinks/destinations/http_answer.h"

#include <stddef.h>
#include <string.h>

/* What statuses mean, from the first to the last of a row; the first row that has it counts. */
static const struct {
    long first, last;
    struct http_fate means;
} answers[] = {
    {200, 299, {DELIVERY_ACKNOWLEDGED, DELIVERY_REJECTED}},
    {401, 401, {DELIVERY_REFUSED, DELIVERY_DENIED}},
    {403, 403, {DELIVERY_REFUSED, DELIVERY_DENIED}},
    {408, 408, {DELIVERY_NOT_SENT, DELIVERY_REJECTED}},
    {413, 413, {DELIVERY_REFUSED, DELIVERY_TOO_LARGE}},
    {429, 429, {DELIVERY_NOT_SENT, DELIVERY_REJECTED}},
    {500, 599, {DELIVERY_NOT_SENT, DELIVERY_REJECTED}},
    {1, 999, {DELIVERY_REFUSED, DELIVERY_REJECTED}}, /* a redirection, too: it is not followed */
};

struct http_fate http_fate_of(long status, bool sent)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (status >= answers[i].first && status <= answers[i].last)
            return answers[i].means;
    return (struct http_fate){sent ? DELIVERY_UNKNOWN : DELIVERY_NOT_SENT, DELIVERY_REJECTED};
}

const char *http_content_type(const char *format)
{
    static const struct {
        const char *format, *type;
    } types[] = {
        {"json", "application/x-ndjson"},
        {"influx", "text/plain; charset=utf-8"},
        {"prometheus", "text/plain; version=0.0.4; charset=utf-8"},
        {"csv", "text/csv; charset=utf-8"},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(types[i].format, format) == 0)
            return types[i].type;
    return "application/octet-stream";
}
