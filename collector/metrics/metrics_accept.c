#include "collector/metrics/metrics_accept.h"

#include <stddef.h>
#include <string.h>

static bool accept_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct part {
    const char *text;
    size_t length;
};

static struct part trimmed(const char *text, size_t length)
{
    while (length != 0 && accept_is_blank(*text)) {
        text++;
        length--;
    }
    while (length != 0 && accept_is_blank(text[length - 1]))
        length--;
    return (struct part){text, length};
}

/*
 * Removes the text up to the next `until`, and the `until` itself, from `rest`. Returns the text.
 */
static struct part take_part(struct part *rest, char until)
{
    const char *end = memchr(rest->text, until, rest->length);
    size_t length = end == NULL ? rest->length : (size_t)(end - rest->text);
    struct part taken = trimmed(rest->text, length);
    size_t gone = end == NULL ? length : length + 1;
    rest->text += gone;
    rest->length -= gone;
    return taken;
}

static char accept_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool accept_is(struct part part, const char *name)
{
    size_t i = 0;
    while (i < part.length && name[i] != '\0' && accept_lower(part.text[i]) == name[i])
        i++;
    return i == part.length && name[i] == '\0';
}

/* Returns the value of "q=0.75" in thousandths; -1: the parameter is a different one. */
static int weight_of(struct part parameter)
{
    if (parameter.length < 3 || accept_lower(parameter.text[0]) != 'q' || parameter.text[1] != '=')
        return -1;
    int weight = 0;
    int digits = 0;
    for (size_t i = 2; i < parameter.length && digits < 4; i++) {
        char c = parameter.text[i];
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
static int wanted(struct part parameters)
{
    int wanted = 1000;
    while (parameters.length != 0) {
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
    struct part rest = {accept, accept == NULL ? 0 : strlen(accept)};
    while (rest.length != 0) {
        struct part range = take_part(&rest, ',');
        struct part type = take_part(&range, ';');
        int *of = accept_is(type, "application/openmetrics-text") ? &openmetrics
                  : accept_is(type, "text/plain")                 ? &text
                                                                  : NULL;
        int weight = wanted(range);
        if (of != NULL && weight > *of)
            *of = weight;
    }
    return openmetrics != 0 && openmetrics >= text;
}

bool metrics_accept_gzip(const char *accept)
{
    struct part rest = {accept, accept == NULL ? 0 : strlen(accept)};
    while (rest.length != 0) {
        struct part range = take_part(&rest, ',');
        struct part coding = take_part(&range, ';');
        if (accept_is(coding, "gzip"))
            return wanted(range) != 0;
    }
    return false;
}
