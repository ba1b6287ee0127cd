#include "tools/bench/ledger_line.h"

#include <stddef.h>
#include <string.h>

#include "collector/text/json_reader.h"

#define SUM(name) #name, offsetof(struct ledger_sums, name)

static const struct {
    const char *name;
    size_t sum;
    bool is_object; /* of numbers, whose names do not matter */
} rows[] = {
    {SUM(received), false},
    {SUM(decoded), false},
    {SUM(reasons), true},
    {SUM(kernel_drops), false},
    {"kernel_drops_and_filtered", offsetof(struct ledger_sums, kernel_drops), false},
    {SUM(refused_while_stopping), false},
    {SUM(offered), false},
    {SUM(queued), false},
    {SUM(refused), true},
    {SUM(written), false},
    {SUM(filtered), false},
    {SUM(evicted), false},
    {SUM(failed), true},
    {SUM(unknown), false},
    {SUM(recovered), false},
    {SUM(spilled), false},
    {SUM(in_flight), false},
};

/* `around`: the name of the object that the number is in. */
static void add_number(struct ledger_sums *sums, const struct json_item *number, struct text around)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (json_text_is(rows[i].is_object ? around : number->name, rows[i].name))
            *(uint64_t *)(void *)((char *)sums + rows[i].sum) += json_whole_number(number->text);
}

bool ledger_line_read(const char *line, struct ledger_sums *sums)
{
    static const char beginning[] = "{\"final\":";
    struct json_reader reader;
    struct json_item item;
    struct text object = {NULL, 0}; /* the name of the last one that began: they do not nest */
    *sums = (struct ledger_sums){0};
    if (strncmp(line, beginning, sizeof beginning - 1) != 0)
        return false;
    json_reader_begin(&reader, line, strcspn(line, "\n"));
    while (json_read(&reader, &item)) {
        if (item.type == JSON_OBJECT || item.type == JSON_END)
            object = item.name;
        else if (item.type == JSON_NUMBER)
            add_number(sums, &item, object);
        else if (item.type == JSON_TRUE) {
            sums->final |= json_text_is(item.name, "final");
            sums->balances |= json_text_is(item.name, "balances");
        }
    }
    return reader.wrong == NULL;
}

bool ledger_sums_balance(const struct ledger_sums *sums)
{
    return sums->final && sums->balances && sums->received == sums->decoded + sums->reasons &&
           sums->offered == sums->queued + sums->refused && sums->in_flight == 0 &&
           sums->queued + sums->recovered == sums->written + sums->filtered + sums->evicted +
                                                 sums->failed + sums->unknown + sums->spilled;
}
