#include "collector/base/nearest.h"

#include <string.h>

/* Longer ones are nobody's slip of the finger. */
#define LONGEST 40

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    if (c == '-')
        return '_';
    return c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/*
 * The optimal string alignment distance of two texts of at most LONGEST bytes: row i, column j of
 * its table holds the slips between the first i bytes of one and the first j of the other. Three
 * rows are kept, as a swap looks back two.
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
            size_t slips = least(above[j], row[j - 1]) + 1;
            slips = least(slips, above[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                slips = least(slips, rows[(i - 2) % 3][j - 2] + 1);
            row[j] = slips;
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

void nearest_begin(struct nearest *nearest, const char *given, size_t length)
{
    *nearest = (struct nearest){.given = given, .length = length};
}

void nearest_offer(struct nearest *nearest, const char *name)
{
    size_t length = strlen(name);
    if (nearest->length == 0 || nearest->length > LONGEST || length > LONGEST)
        return;
    size_t longer = length > nearest->length ? length : nearest->length;
    size_t allowed = longer < 6 ? 1 : longer / 3;
    size_t slips = count_slips(nearest->given, nearest->length, name, length);
    if (slips <= allowed && (nearest->close == NULL || slips < nearest->slips)) {
        nearest->close = name;
        nearest->slips = slips;
        nearest->other = false;
    }
    if (begins_with(name, nearest->given, nearest->length)) {
        nearest->longer = name;
        nearest->longer_count++;
    }
}

void nearest_offer_others(struct nearest *nearest, const char *others, const char *name)
{
    while (others != NULL && *others != '\0') {
        size_t length = strcspn(others, " ");
        if (length == nearest->length && begins_with(others, nearest->given, length)) {
            nearest->close = name;
            nearest->slips = 0;
            nearest->other = true;
            return;
        }
        others += length + strspn(others + length, " ");
    }
}

static bool has_one_slip(const struct nearest *nearest)
{
    return nearest->close != NULL && nearest->slips <= 1;
}

const char *nearest_found(const struct nearest *nearest)
{
    if (!has_one_slip(nearest) && nearest->longer_count == 1)
        return nearest->longer;
    return nearest->close;
}

bool nearest_is_slip(const struct nearest *nearest)
{
    return has_one_slip(nearest) && !nearest->other;
}
