/* Parse a path template, or an address. Fail the running cmocka test if the text is not valid. */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_PATH_PARSING_H
#define SLUICE_TESTS_SUPPORT_SINKS_PATH_PARSING_H

#include <string.h>

#include "sinks/files/path_template.h"
#include "tests/support/test.h"

#define NS_PER_S INT64_C(1000000000)

static inline struct path_template *parsed(const char *text)
{
    struct path_template *path = NULL;
    size_t wrong_at = 0;
    const char *why = "";
    if (!path_template_parse(text, &path, &wrong_at, &why))
        fail_msg("'%s' is refused at %zu: %s", text, wrong_at, why);
    return path;
}

static inline struct address address_of(const char *host)
{
    struct address address;
    assert_true(address_parse_host(host, strlen(host), &address));
    address.port = 5555;
    return address;
}

#endif
