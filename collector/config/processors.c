#include "collector/config/processors.h"

#include <string.h>

#include "collector/config/units.h"
#include "collector/platform/thread.h"

static bool parse_processor_number(const char *name, const char *text, size_t length,
                                   uint64_t least, uint64_t *number, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    if (quantity_parse(QUANTITY_COUNT, text, length, number) == NULL && *number >= least &&
        *number <= PROCESSORS_LAST)
        return true;
    return parse_error_set(fault, 0, "%s: %s is not the number of a processor, %u to %u", name,
                           quoted(text, length, given), (unsigned)least, (unsigned)PROCESSORS_LAST);
}

/* Adds a part of the list: "3" or "3-5". */
static bool add_range(const char *name, const char *text, size_t length,
                      struct processor_list *list, struct parse_error *fault)
{
    const char *dash = memchr(text, '-', length);
    size_t first_length = dash == NULL ? length : (size_t)(dash - text);
    uint64_t first, last;
    if (!parse_processor_number(name, text, first_length, 0, &first, fault))
        return false;
    last = first;
    if (dash != NULL &&
        !parse_processor_number(name, dash + 1, length - first_length - 1, first, &last, fault)) {
        fault->at += first_length + 1;
        return false;
    }
    if (last - first >= PROCESSORS_MAX - list->count)
        return parse_error_set(fault, 0, "%s: more than %d processors", name, PROCESSORS_MAX);
    for (uint64_t number = first; number <= last; number++)
        list->numbers[list->count++] = (uint16_t)number;
    return true;
}

bool processors_parse(const char *name, const char *text, size_t length, void *field,
                      struct parse_error *fault)
{
    struct processor_list list = {0};
    for (size_t at = 0; at <= length;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t part = comma == NULL ? length - at : (size_t)(comma - text) - at;
        if (!add_range(name, text + at, part, &list, fault)) {
            fault->at += at;
            return false;
        }
        at += part + 1;
    }
    *(struct processor_list *)field = list;
    return true;
}

bool processors_equal(const void *a, const void *b)
{
    const struct processor_list *one = a;
    const struct processor_list *other = b;
    return one->count == other->count &&
           memcmp(one->numbers, other->numbers, one->count * sizeof one->numbers[0]) == 0;
}
