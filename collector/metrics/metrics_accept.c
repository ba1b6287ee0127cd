#include "collector/metrics/metrics_accept.h"

#include <stddef.h>
#include <string.h>

#include "collector/metrics/http_text.h"

static struct text take_part(struct text *rest, char until)
{
    const char *end = memchr(rest->data, until, rest->size);
    size_t length = end == NULL ? rest->size : (size_t)(end - rest->data);
    struct text taken = http_trimmed((struct text){rest->data, length});
    size_t gone = end == NULL ? length : length + 1;
    rest->data += gone;
    rest->size -= gone;
    return taken;
}

/* Returns the value of a parameter such as "q=0.75" in thousandths; -1 for other parameters. */
static int weight_of(struct text parameter)
{
    if (parameter.size < 3 || ascii_lower(parameter.data[0]) != 'q' || parameter.data[1] != '=')
        return -1;
    int weight = 0;
    int digits = 0;
    for (size_t i = 2; i < parameter.size && digits < 4; i++) {
        char c = parameter.data[i];
        if (c == '.' && i == 3)
            continue;
        if (c < '0' || c > '9')
            return 0;
        weight = weight * 10 + (c - '0');
        digits++;
    }
    for (; digits < 4; digits++)
        weight *= 10;
    return weight > 1000 ? 1000 : weight;
}

/*
 * Returns the weight in the parameters of a range such as "text/plain;version=0.0.4;q=0.5", in
 * thousandths.
 */
static int wanted(struct text parameters)
{
    int wanted = 1000;
    while (parameters.size != 0) {
        int weight = weight_of(take_part(&parameters, ';'));
        if (weight >= 0)
            wanted = weight;
    }
    return wanted;
}

bool metrics_accept_openmetrics(const char *accept)
{
    int openmetrics = 0;
    int text = 0;
    struct text rest = {accept, accept == NULL ? 0 : strlen(accept)};
    while (rest.size != 0) {
        struct text range = take_part(&rest, ',');
        struct text type = take_part(&range, ';');
        int *of = http_is_named(&type, "application/openmetrics-text") ? &openmetrics
                  : http_is_named(&type, "text/plain")                 ? &text
                                                                       : NULL;
        int weight = wanted(range);
        if (of != NULL && weight > *of)
            *of = weight;
    }
    return openmetrics != 0 && openmetrics >= text;
}

bool metrics_accept_gzip(const char *accept)
{
    struct text rest = {accept, accept == NULL ? 0 : strlen(accept)};
    while (rest.size != 0) {
        struct text range = take_part(&rest, ',');
        struct text coding = take_part(&range, ';');
        if (http_is_named(&coding, "gzip"))
            return wanted(range) != 0;
    }
    return false;
}
