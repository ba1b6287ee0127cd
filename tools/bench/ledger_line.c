#include "tools/bench/ledger_line.h"

#include <string.h>

#include "collector/text/json_reader.h"

static uint64_t *sum_of(struct ledger_sums *sums, struct text name)
{
    if (json_text_is(name, "received"))
        return &sums->received;
    if (json_text_is(name, "kernel_drops") || json_text_is(name, "kernel_drops_and_filtered"))
        return &sums->kernel_drops;
    if (json_text_is(name, "offered"))
        return &sums->offered;
    return json_text_is(name, "written") ? &sums->written : NULL;
}

bool ledger_line_read(const char *line, struct ledger_sums *sums)
{
    static const char beginning[] = "{\"final\":";
    struct json_reader reader;
    struct json_item item;
    *sums = (struct ledger_sums){0};
    if (strncmp(line, beginning, sizeof beginning - 1) != 0)
        return false;
    json_reader_begin(&reader, line, strcspn(line, "\n"));
    while (json_read(&reader, &item)) {
        uint64_t *sum = item.type == JSON_NUMBER ? sum_of(sums, item.name) : NULL;
        if (sum != NULL)
            *sum += json_whole_number(item.text);
        if (item.type == JSON_TRUE) {
            sums->final |= json_text_is(item.name, "final");
            sums->balances |= json_text_is(item.name, "balances");
        }
    }
    return reader.wrong == NULL;
}
