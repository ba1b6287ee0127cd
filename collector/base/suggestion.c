#include "collector/base/suggestion.h"

#include <string.h>

#include "collector/text/ascii.h"

/* The longest text, in bytes, that is compared: longer texts are not typing errors. */
#define LONGEST 40

static char fold(char c)
{
    return c == '-' ? '_' : ascii_lower(c);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * Returns the optimal string alignment distance of two texts of at most LONGEST bytes. Row i,
 * column j of its table is the number of edits between the first i bytes of `a` and the first j of
 * `b`. Three rows are kept, because a swap of two letters refers to the row two above.
 */
static size_t count_slips(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            bool same = fold(a[i - 1]) == fold(b[j - 1]);
            size_t edits = least(above[j], row[j - 1]) + 1;
            edits = least(edits, above[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                edits = least(edits, rows[(i - 2) % 3][j - 2] + 1);
            row[j] = edits;
        }
    }
    return rows[a_length % 3][b_length];
}

static bool begins_with(const char *name, const char *given, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (name[i] == '\0' || fold(name[i]) != fold(given[i]))
            return false;
    return true;
}

void suggestion_begin(struct suggestion *suggestion, const char *given, size_t length)
{
    *suggestion = (struct suggestion){.given = given, .length = length};
}

void suggestion_offer(struct suggestion *suggestion, const char *name)
{
    size_t length = strlen(name);
    if (suggestion->length == 0 || suggestion->length > LONGEST || length > LONGEST)
        return;
    size_t longer = length > suggestion->length ? length : suggestion->length;
    size_t allowed = longer < 6 ? 1 : longer / 3;
    size_t edits = count_slips(suggestion->given, suggestion->length, name, length);
    if (edits <= allowed && (suggestion->close == NULL || edits < suggestion->edits)) {
        suggestion->close = name;
        suggestion->edits = edits;
        suggestion->other = false;
    }
    if (begins_with(name, suggestion->given, suggestion->length)) {
        suggestion->longer = name;
        suggestion->longer_count++;
    }
}

void suggestion_offer_others(struct suggestion *suggestion, const char *others, const char *name)
{
    while (others != NULL && *others != '\0') {
        size_t length = strcspn(others, " ");
        if (length == suggestion->length && begins_with(others, suggestion->given, length)) {
            suggestion->close = name;
            suggestion->edits = 0;
            suggestion->other = true;
            return;
        }
        others += length + strspn(others + length, " ");
    }
}

static bool has_one_slip(const struct suggestion *suggestion)
{
    return suggestion->close != NULL && suggestion->edits <= 1;
}

const char *suggestion_found(const struct suggestion *suggestion)
{
    if (!has_one_slip(suggestion) && suggestion->longer_count == 1)
        return suggestion->longer;
    return suggestion->close;
}

bool suggestion_is_slip(const struct suggestion *suggestion)
{
    return has_one_slip(suggestion) && !suggestion->other;
}
