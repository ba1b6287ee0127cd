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

static json_t *load(struct text text, json_error_t *error)
{
    const size_t flags = JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL;
    return json_loadb(text.data, text.size, flags, error);
}

/* Returns true if Jansson refuses the text only because of its own limits. */
static bool is_too_large(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key;
}

const char *json_differs(struct text text, const char *wrong, struct text again)
{
    static json_error_t error;
    json_t *value = load(text, &error);
    if (value == NULL)
        return wrong != NULL || is_too_large(&error) ? NULL : error.text;
    json_t *same = wrong == NULL ? load(again, &error) : NULL;
    bool equal = same != NULL && json_equal(value, same);
    json_decref(same);
    json_decref(value);
    if (equal)
        return NULL;
    return wrong != NULL ? wrong : "the value is another one";
}
