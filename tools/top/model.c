#include "tools/top/model.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "collector/ledger/ledger_terms.h"

/* The state of reading the answers. A missing value becomes 0. */
struct reading {
    bool failed;
    const char *wrong; /* the first missing key, or "memory" */
};

static json_t *member(struct reading *reading, const json_t *object, const char *key)
{
    json_t *found = json_object_get(object, key);
    if (found == NULL && !reading->failed) {
        reading->failed = true;
        reading->wrong = key;
    }
    return found;
}

static uint64_t read_count(struct reading *reading, const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(member(reading, object, key));
}

/*
 * Reads a member that may be missing in the answers of older collectors, or for some kinds of
 * listeners. Returns 0 if it is missing.
 */
static uint64_t read_optional(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const char *model_read_text(struct reading *reading, const json_t *object, const char *key)
{
    const char *text = json_string_value(member(reading, object, key));
    return text != NULL ? text : "";
}

/*
 * Allocates a zeroed element of `size` bytes for each element of a JSON array, and stores their
 * number in *count. Returns NULL if the array is empty.
 */
static void *make_array(struct reading *reading, const json_t *array, size_t size, size_t *count)
{
    *count = json_array_size(array);
    if (*count == 0)
        return NULL;
    void *made = calloc(*count, size);
    if (made == NULL) {
        reading->failed = true;
        reading->wrong = "memory";
        *count = 0;
    }
    return made;
}

static struct model_counts read_counts(struct reading *reading, const json_t *object,
                                       const char *key)
{
    json_t *from = member(reading, object, key);
    struct model_counts counts = {.items =
                                      calloc(json_object_size(from) + 1, sizeof *counts.items)};
    if (counts.items == NULL) {
        reading->failed = true;
        reading->wrong = "memory";
        return counts;
    }
    const char *name;
    json_t *value;
    json_object_foreach(from, name, value)
    {
        counts.items[counts.count++] =
            (struct model_count){.name = name, .value = (uint64_t)json_integer_value(value)};
    }
    return counts;
}

const uint64_t *model_find(const struct model_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->count; i++)
        if (strcmp(counts->items[i].name, name) == 0)
            return &counts->items[i].value;
    return NULL;
}

uint64_t model_sum(const struct model_counts *counts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < counts->count; i++)
        sum += counts->items[i].value;
    return sum;
}

/* --- the ledger ------------------------------------------------------------------------------- */

/* Reads the kernel's drops, which the ledger has under one of two names. */
static void read_drops(struct reading *reading, const json_t *from, struct model_listener *to)
{
    static const char *const more = "kernel_drops_and_filtered";
    to->drops_name = json_object_get(from, more) != NULL ? more : "kernel_drops";
    to->kernel_drops = read_count(reading, from, to->drops_name);
}

static uint64_t *model_end(struct model_listener *to, const char *term)
{
    static const char *const turned_away[] = {"denied", "over_limit", "over_address_limit"};
    for (size_t i = 0; i < sizeof turned_away / sizeof turned_away[0]; i++)
        if (strcmp(term, turned_away[i]) == 0)
            return &to->turned_away;
    return strcmp(term, "closed") == 0 ? &to->closed : &to->broken;
}

static void read_connections(const json_t *from, struct model_listener *to)
{
#define TERM_NAME(name, ...) #name,
    static const char *const ends[] = {CONNECTION_END_TERMS(TERM_NAME)};
#undef TERM_NAME
    uint64_t ended = 0;
    to->has_connections = json_object_get(from, "connections") != NULL;
    if (!to->has_connections)
        return;
    to->connections = read_optional(from, "connections");
    to->answers = read_optional(from, "answers");
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        uint64_t count = read_optional(from, ends[i]);
        ended += count;
        if (strcmp(ends[i], "stopped") != 0)
            *model_end(to, ends[i]) += count;
    }
    to->open = to->connections > ended ? to->connections - ended : 0;
}

static void read_listener(struct reading *reading, const json_t *from, struct model_listener *to)
{
    to->name = model_read_text(reading, from, "name");
    to->received = read_count(reading, from, "received");
    to->bytes = read_count(reading, from, "bytes");
    to->decoded = read_count(reading, from, "decoded");
    read_drops(reading, from, to);
    to->lost = read_count(reading, from, "lost");
    to->duplicated = read_count(reading, from, "duplicated");
    to->reasons = read_counts(reading, from, "reasons");
    read_connections(from, to);
}

static void read_sink(struct reading *reading, const json_t *from, struct model_sink *to)
{
    to->name = model_read_text(reading, from, "name");
    to->written = read_count(reading, from, "written");
    to->bytes = read_count(reading, from, "bytes");
    to->filtered = read_count(reading, from, "filtered");
    to->evicted = read_count(reading, from, "evicted");
    to->unknown = read_count(reading, from, "unknown");
    to->spilled = read_count(reading, from, "spilled");
    to->write_errors = read_optional(from, "write_errors");
    to->series_refused = read_optional(from, "series_refused");
    to->out_of_time = read_optional(from, "out_of_time");
    to->in_flight = json_integer_value(member(reading, from, "in_flight"));
    to->refused = read_counts(reading, from, "refused");
    to->failed = read_counts(reading, from, "failed");
}

static void read_ledger(struct reading *reading, const json_t *ledger, struct model *model)
{
    const json_t *listeners = member(reading, ledger, "listeners");
    const json_t *sinks = member(reading, ledger, "sinks");
    model->uptime = json_number_value(member(reading, ledger, "uptime_seconds"));
    model->listeners =
        make_array(reading, listeners, sizeof *model->listeners, &model->listener_count);
    for (size_t i = 0; i < model->listener_count; i++)
        read_listener(reading, json_array_get(listeners, i), &model->listeners[i]);
    model->sinks = make_array(reading, sinks, sizeof *model->sinks, &model->sink_count);
    for (size_t i = 0; i < model->sink_count; i++)
        read_sink(reading, json_array_get(sinks, i), &model->sinks[i]);
}

/* --- the levels ------------------------------------------------------------------------------- */

/* Reads how full the queues are, which older collectors do not report. */
static void read_fills(const json_t *levels, struct model *model)
{
    for (size_t i = 0; i < model->sink_count; i++) {
        struct model_sink *sink = &model->sinks[i];
        sink->fill = -1;
        for (size_t k = 0; k < json_array_size(levels); k++) {
            const json_t *level = json_array_get(levels, k);
            const json_t *fill = json_object_get(level, "queue_fill");
            const char *name = json_string_value(json_object_get(level, "name"));
            if (fill != NULL && name != NULL && strcmp(name, sink->name) == 0)
                sink->fill = json_number_value(fill);
        }
    }
}

/*
 * Reads the deliveries: those sinks that have figures of connections and requests. Older collectors
 * report no figures.
 */
static void read_levels(struct reading *reading, const json_t *levels, struct model *model)
{
    size_t most;
    const json_t *sinks = json_object_get(levels, "sinks");
    read_fills(sinks, model);
    model->deliveries = make_array(reading, sinks, sizeof *model->deliveries, &most);
    for (size_t i = 0; i < most; i++) {
        const json_t *from = json_array_get(sinks, i);
        if (json_object_size(json_object_get(from, "figures")) == 0)
            continue;
        struct model_delivery *to = &model->deliveries[model->delivery_count++];
        to->name = model_read_text(reading, from, "name");
        to->oldest = json_number_value(member(reading, from, "oldest_seconds"));
        to->spill_bytes = read_count(reading, from, "spill_bytes");
        to->figures = read_counts(reading, from, "figures");
    }
}

/* --- causes of growing series ----------------------------------------------------------------- */

/*
 * The lists of a sink that show why its series grow, and the names of the members of their items.
 * NULL means that an item has no such member.
 */
static const struct growth_list {
    const char *list, *kind, *name, *refused, *added, *values, *out_of_time;
} growth_lists[] = {
    {"senders", "sender", "address", "refused", "new", NULL, NULL},
    {"labels", "label", "name", NULL, NULL, "values", NULL},
    {"out_of_time", "clock", "address", NULL, NULL, NULL, "samples"},
};

#define GROWTH_LISTS (sizeof growth_lists / sizeof growth_lists[0])

static size_t count_growths(const json_t *sinks)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(sinks); i++) {
        const json_t *series = json_object_get(json_array_get(sinks, i), "series");
        for (size_t k = 0; k < GROWTH_LISTS; k++)
            count += json_array_size(json_object_get(series, growth_lists[k].list));
    }
    return count;
}

static uint64_t growth_member(const json_t *from, const char *key)
{
    return key == NULL ? 0 : read_optional(from, key);
}

static void read_growth_list(struct reading *reading, const json_t *sink,
                             const struct growth_list *as, struct model *model)
{
    const json_t *list = json_object_get(json_object_get(sink, "series"), as->list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i);
        model->growths[model->growth_count++] = (struct model_growth){
            .sink = model_read_text(reading, sink, "name"),
            .name = model_read_text(reading, from, as->name),
            .kind = as->kind,
            .refused = growth_member(from, as->refused),
            .added = growth_member(from, as->added),
            .values = growth_member(from, as->values),
            .out_of_time = growth_member(from, as->out_of_time),
        };
    }
}

/*
 * Reads the causes of growing series. A sink has these lists only if it limits its series or the
 * times of its samples.
 */
static void read_growths(struct reading *reading, const json_t *sinks, struct model *model)
{
    model->growths = calloc(count_growths(sinks) + 1, sizeof *model->growths);
    if (model->growths == NULL) {
        reading->failed = true;
        reading->wrong = "memory";
        return;
    }
    for (size_t i = 0; i < json_array_size(sinks); i++)
        for (size_t k = 0; k < GROWTH_LISTS; k++)
            read_growth_list(reading, json_array_get(sinks, i), &growth_lists[k], model);
}

/* --- the senders ------------------------------------------------------------------------------ */

static void read_sender(struct reading *reading, const json_t *from, const char *listener,
                        struct model_sender *to)
{
    to->listener = listener;
    to->address = model_read_text(reading, from, "address");
    to->datagrams = read_count(reading, from, "datagrams");
    to->bytes = read_count(reading, from, "bytes");
    to->numbered = json_object_get(from, "numbered") != NULL;
    if (!to->numbered)
        return;
    to->lost = read_count(reading, from, "lost") + read_count(reading, from, "missing");
    to->duplicated = read_count(reading, from, "duplicated");
}

static void read_listeners_senders(struct reading *reading, const json_t *listeners,
                                   struct model *model)
{
    size_t total = 0;
    for (size_t i = 0; i < json_array_size(listeners); i++)
        total += json_array_size(member(reading, json_array_get(listeners, i), "senders"));
    model->senders = calloc(total + 1, sizeof *model->senders);
    if (model->senders == NULL) {
        reading->failed = true;
        reading->wrong = "memory";
        return;
    }
    for (size_t i = 0; i < json_array_size(listeners); i++) {
        const json_t *listener = json_array_get(listeners, i);
        const json_t *senders = member(reading, listener, "senders");
        const char *name = model_read_text(reading, listener, "name");
        for (size_t k = 0; k < json_array_size(senders); k++)
            read_sender(reading, json_array_get(senders, k), name,
                        &model->senders[model->sender_count++]);
    }
}

static void read_senders(struct reading *reading, const json_t *senders, struct model *model)
{
    const json_t *losers = member(reading, senders, "losers");
    model->replaced = read_count(reading, senders, "replaced");
    read_listeners_senders(reading, member(reading, senders, "listeners"), model);
    model->losers = make_array(reading, losers, sizeof *model->losers, &model->loser_count);
    for (size_t i = 0; i < model->loser_count; i++) {
        const json_t *from = json_array_get(losers, i);
        model->losers[i] = (struct model_loser){
            .listener = model_read_text(reading, from, "listener"),
            .address = model_read_text(reading, from, "address"),
            .name = model_read_text(reading, from, "sender"),
            .lost = read_count(reading, from, "lost") + read_count(reading, from, "missing"),
            .duplicated = read_count(reading, from, "duplicated"),
        };
    }
}

/* --- the health ------------------------------------------------------------------------------- */

static enum model_state state_of(const char *reason)
{
    static const struct {
        const char *reason;
        enum model_state state;
    } states[] = {
        {"records_refused", MODEL_BEHIND}, {"records_evicted", MODEL_BEHIND},
        {"sink_waits", MODEL_STALLED},     {"sink_fails", MODEL_FAILING},
        {"sink_behind", MODEL_BEHIND},     {"spill_fills", MODEL_BEHIND},
        {"spill_full", MODEL_BEHIND},      {"spill_kept", MODEL_BEHIND},
        {"records_failed", MODEL_FAILING}, {"records_unknown", MODEL_FAILING},
        {"sink_ended", MODEL_ENDED},
    };
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (strcmp(states[i].reason, reason) == 0)
            return states[i].state;
    return MODEL_OK;
}

/* Marks the sink or the listener of a reason. A sink's state is that of its worst reason. */
static void mark_rows(struct model *model, const struct model_reason *reason, bool of_sink)
{
    enum model_state state = state_of(reason->word);
    for (size_t i = 0; of_sink && i < model->sink_count; i++) {
        struct model_sink *sink = &model->sinks[i];
        if (strcmp(sink->name, reason->about) == 0 && sink->state < state)
            sink->state = state;
    }
    for (size_t i = 0; !of_sink && i < model->listener_count; i++)
        if (strcmp(model->listeners[i].name, reason->about) == 0)
            model->listeners[i].in_trouble = true;
}

static const char *text_or_empty(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static void read_reason(struct reading *reading, const json_t *from, struct model *model,
                        struct model_reason *to)
{
    static const char *const kinds[] = {"sink", "listener", "dead_letters"};
    *to = (struct model_reason){
        .word = model_read_text(reading, from, "reason"),
        .about = "",
        .error = text_or_empty(from, "error"),
        .seconds = json_number_value(json_object_get(from, "seconds")),
        .count = read_optional(from, "count"),
        .limit = read_optional(from, "limit"),
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && *to->about == '\0'; i++)
        to->about = text_or_empty(from, kinds[i]);
    mark_rows(model, to, json_object_get(from, "sink") != NULL);
}

/*
 * Returns the rank of a reason. A stuck receiver comes first. The reasons of sinks follow, the
 * worst state first.
 */
static int importance_of(const struct model_reason *reason)
{
    return strcmp(reason->word, "receiver_stuck") == 0 ? MODEL_ENDED + 1
                                                       : (int)state_of(reason->word);
}

/* Stable. */
static void sort_reasons(struct model *model)
{
    for (size_t i = 1; i < model->reason_count; i++) {
        struct model_reason reason = model->reasons[i];
        size_t at = i;
        for (; at != 0 && importance_of(&model->reasons[at - 1]) < importance_of(&reason); at--)
            model->reasons[at] = model->reasons[at - 1];
        model->reasons[at] = reason;
    }
}

static void read_health(struct reading *reading, const json_t *health, struct model *model)
{
    const json_t *reasons = json_object_get(health, "reasons");
    model->status = model_read_text(reading, health, "status");
    model->reasons = make_array(reading, reasons, sizeof *model->reasons, &model->reason_count);
    for (size_t i = 0; i < model->reason_count; i++)
        read_reason(reading, json_array_get(reasons, i), model, &model->reasons[i]);
    sort_reasons(model);
}

/* --- the whole model -------------------------------------------------------------------------- */

static json_t *model_load(const struct model_answer *answer, json_error_t *why)
{
    return json_loadb(answer->text, answer->size, JSON_ALLOW_NUL, why);
}

int model_read(struct model *model, const struct model_answers *answers, struct error *error)
{
    json_error_t why;
    struct reading reading = {0};
    *model = (struct model){0};
    if ((model->ledger_text = model_load(&answers->ledger, &why)) == NULL ||
        (model->levels_text = model_load(&answers->levels, &why)) == NULL ||
        (model->senders_text = model_load(&answers->senders, &why)) == NULL ||
        (model->health_text = model_load(&answers->health, &why)) == NULL) {
        error_set(error, EXIT_CODE_BAD_INPUT, "the collector's answer is not JSON: %s", why.text);
        model_clear(model);
        return -1;
    }
    read_ledger(&reading, model->ledger_text, model);
    read_levels(&reading, model->levels_text, model);
    read_growths(&reading, json_object_get(model->levels_text, "sinks"), model);
    read_senders(&reading, model->senders_text, model);
    read_health(&reading, model->health_text, model);
    if (!reading.failed)
        return 0;
    error_set(error, EXIT_CODE_BAD_INPUT, "the collector's answer lacks \"%s\"", reading.wrong);
    model_clear(model);
    return -1;
}

void model_clear(struct model *model)
{
    for (size_t i = 0; i < model->listener_count; i++)
        free(model->listeners[i].reasons.items);
    for (size_t i = 0; i < model->sink_count; i++) {
        free(model->sinks[i].refused.items);
        free(model->sinks[i].failed.items);
    }
    for (size_t i = 0; i < model->delivery_count; i++)
        free(model->deliveries[i].figures.items);
    free(model->reasons);
    free(model->listeners);
    free(model->sinks);
    free(model->deliveries);
    free(model->senders);
    free(model->losers);
    free(model->growths);
    json_decref(model->ledger_text);
    json_decref(model->levels_text);
    json_decref(model->senders_text);
    json_decref(model->health_text);
    *model = (struct model){0};
}
