#include "tests/fuzz/readers/json.h"

#include <jansson.h>
#include <string.h>

#include "collector/text/utf8.h"

const char *json_wrong(const char *text, size_t size)
{
    static json_error_t error;
    static const char nul[] = "\\u0000";
    const size_t flags =
        JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL;
    if (!utf8_valid(text, size))
        return "no UTF-8";
    if (memmem(text, size, nul, sizeof nul - 1) != NULL)
        return NULL;
    json_t *value = json_loadb(text, size, flags, &error);
    if (value == NULL)
        return error.text;
    json_decref(value);
    return NULL;
}
