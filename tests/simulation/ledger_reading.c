#include "tests/simulation/ledger_reading.h"

#include <inttypes.h>
#include <string.h>

#include "tests/simulation/history.h"
#include "tests/simulation/world.h"

json_t *ledger_final(void)
{
    static const char key[] = "{\"final\":true,";
    const char *text = strstr(history->log, key);
    json_error_t error;
    json_t *ledger = text == NULL ? NULL : json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
    if (ledger == NULL)
        world_fail("it stopped without a ledger:\n%s", history->log);
    return ledger;
}

uint64_t ledger_number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_integer(value))
        world_fail("the ledger has no number \"%s\"", name);
    return (uint64_t)json_integer_value(value);
}

uint64_t ledger_sum(json_t *object, const char *name)
{
    const char *key;
    json_t *value;
    uint64_t sum = 0;
    json_object_foreach(json_object_get(object, name), key, value) sum +=
        (uint64_t)json_integer_value(value);
    return sum;
}

void ledger_expect(const char *what, uint64_t is, uint64_t should)
{
    if (is != should)
        world_fail("%s: %" PRIu64 ", not %" PRIu64, what, is, should);
}

json_t *ledger_listener(json_t *ledger, const char *name)
{
    size_t index;
    json_t *listener;
    json_array_foreach(json_object_get(ledger, "listeners"), index,
                       listener) if (strcmp(json_string_value(json_object_get(listener, "name")),
                                            name) == 0) return listener;
    return NULL;
}

static void add_numbers(json_t *sum, json_t *one)
{
    const char *key;
    json_t *value;
    json_object_foreach(one, key, value)
    {
        json_t *before = json_object_get(sum, key);
        if (json_is_object(value))
            add_numbers(before, value);
        else if (json_is_integer(value))
            json_integer_set(before, json_integer_value(before) + json_integer_value(value));
    }
}

json_t *ledger_sink(json_t *ledger, const char *name)
{
    size_t index;
    json_t *sink, *sum = NULL;
    json_array_foreach(json_object_get(ledger, "sinks"), index, sink)
    {
        if (strcmp(json_string_value(json_object_get(sink, "name")), name) != 0)
            continue;
        if (sum == NULL) {
            sum = sink;
            continue;
        }
        add_numbers(sum, sink);
        if (!json_is_true(json_object_get(sink, "retired")))
            json_object_set_new(sum, "retired", json_false());
    }
    return sum;
}
