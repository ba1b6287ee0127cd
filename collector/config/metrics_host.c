#include "collector/config/metrics_host.h"

#include <string.h>

#include "collector/base/host_names.h"

bool metrics_host_parse(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault)
{
    struct parse_error why;
    if (host_names_parse(text, length, field, &why))
        return true;
    return parse_error_set(fault, why.at, "%s: %s", name, why.text);
}

bool metrics_host_equal(const void *a, const void *b)
{
    const struct host_names *one = a;
    const struct host_names *other = b;
    return strcmp(one->text, other->text) == 0;
}
