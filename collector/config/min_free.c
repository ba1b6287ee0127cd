#include "collector/config/min_free.h"

#include "collector/config/units.h"
#include "collector/platform/file_system.h"

bool min_free_parse(const char *name, const char *text, size_t length, void *field,
                    struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct disk_reserve *reserve = field;
    uint64_t value = 0;
    if (length > 1 && text[length - 1] == '%') {
        bool number = quantity_parse(QUANTITY_COUNT, text, length - 1, &value) == NULL;
        *reserve = (struct disk_reserve){.percent = value};
        return (number && value >= 1 && value <= 99) ||
               parse_error_set(fault, 0, "%s %s is not a percentage from 1%% to 99%%", name,
                               quoted(text, length, given));
    }
    const char *problem = quantity_parse(QUANTITY_SIZE, text, length, &value);
    *reserve = (struct disk_reserve){.bytes = value};
    return problem == NULL ||
           parse_error_set(fault, 0, "%s %s %s", name, quoted(text, length, given), problem);
}

bool min_free_equal(const void *a, const void *b)
{
    const struct disk_reserve *one = a;
    const struct disk_reserve *other = b;
    return one->bytes == other->bytes && one->percent == other->percent;
}
