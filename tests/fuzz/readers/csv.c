#include "tests/fuzz/readers/csv.h"

#include "collector/text/utf8.h"
#include "tests/fuzz/readers/reading.h"

static bool pass_quoted(struct reading *reading)
{
    while (reading->at != reading->end) {
        if (*reading->at++ == '"' && !reading_pass(reading, '"'))
            return true;
    }
    return false;
}

static const char *read_field(struct reading *reading)
{
    if (reading_pass(reading, '"'))
        return pass_quoted(reading) ? NULL : "a quoted field without an end";
    while (reading->at != reading->end && *reading->at != ',')
        if (*reading->at++ == '"')
            return "a quote in a field that has none around it";
    return NULL;
}

const char *csv_wrong(const char *row, size_t size, size_t fields)
{
    struct reading reading = {row, row + size};
    if (!utf8_valid(row, size))
        return "no UTF-8";
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)row[i] < ' ' || row[i] == 0x7f)
            return "a control character";
    do {
        const char *wrong = read_field(&reading);
        if (wrong != NULL)
            return wrong;
        fields--;
    } while (reading_pass(&reading, ','));
    if (reading.at != reading.end)
        return "something after a quoted field";
    return fields == 0 ? NULL : "fields too few or too many";
}
