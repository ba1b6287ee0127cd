#include "tools/top/page_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/*
 * The widths of the numbers, and of the texts after them, in screen columns. With these, the names
 * of all tables usually end at the same column.
 */
#define USUAL_NUMBERS       6
#define NUMBER_WIDTH        9
#define LAST_AFTER(numbers) ((USUAL_NUMBERS - (numbers)) * NUMBER_WIDTH)

/* --- rows ------------------------------------------------------------------------------------- */

static bool make_rows(struct table *table, size_t most)
{
    table->rows = calloc(most + 1, sizeof *table->rows);
    return table->rows != NULL;
}

/* The row that is being filled, cell by cell in the order of the columns. */
struct writer {
    struct table_row *row;
    size_t cells;
};

static struct writer part_begin(struct table *table, const char *name, bool trouble)
{
    struct writer writer = {.row = &table->rows[table->count]};
    writer.row->name = name;
    writer.row->manner = trouble ? TABLE_TROUBLE : TABLE_PLAIN;
    writer.row->made = table->count++;
    return writer;
}

static void part_put_number(struct writer *writer, double value)
{
    RULE(writer->cells < TABLE_COLUMNS, "a row has room for its cells");
    writer->row->cells[writer->cells++].value = value;
}

static void put_count(struct writer *writer, uint64_t count)
{
    part_put_number(writer, (double)count);
}

/* Puts a text into the row's next cell. Rows are sorted by `value`. */
static void part_put_text(struct writer *writer, const char *text, double value)
{
    writer->row->cells[writer->cells++] = (struct table_cell){.value = value, .text = text};
}

static void part_put_time(struct writer *writer, double seconds)
{
    writer->row->cells[writer->cells++] =
        (struct table_cell){.value = seconds, .unit = TABLE_SECONDS};
}

/* Returns the name without "udp://", with which nearly all names begin. */
static const char *short_name(const char *listener)
{
    static const char scheme[] = "udp://";
    return strncmp(listener, scheme, strlen(scheme)) == 0 ? listener + strlen(scheme) : listener;
}

/* --- listeners -------------------------------------------------------------------------------- */

static bool make_listeners(struct table *table, const struct model *model,
                           const struct rates *rates)
{
    table->name = "LISTENERS";
    table->trouble = "losing";
    table_add_column(table, "DGRAMS/s", 0);
    table_add_column(table, "BYTES/s", 0);
    table_add_column(table, "DGRAMS", 0);
    table_add_column(table, "BYTES", 4);
    table_add_column(table, "DECODED", 2);
    table_add_column(table, "REFUSED", 0);
    table_add_column(table, "KERNEL", 0);
    table_add_column(table, "LOST", 0);
    table_add_column(table, "TWICE", 3);
    if (!make_rows(table, model->listener_count))
        return false;
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct model_listener *listener = &model->listeners[i];
        const struct listener_rates *rate = &rates->listeners[i];
        bool trouble = listener->in_trouble || rate->losing > 0;
        struct writer writer = part_begin(table, listener->name, trouble);
        writer.row->urgency = trouble ? 1 + rate->losing : 0;
        part_put_number(&writer, rate->received);
        part_put_number(&writer, rate->bytes);
        put_count(&writer, listener->received);
        put_count(&writer, listener->bytes);
        put_count(&writer, listener->decoded);
        put_count(&writer, model_sum(&listener->reasons));
        put_count(&writer, listener->kernel_drops);
        put_count(&writer, listener->lost);
        put_count(&writer, listener->duplicated);
    }
    return true;
}

static bool make_connections(struct table *table, const struct model *model)
{
    table->name = "CONNECTIONS";
    table_add_column(table, "OPEN", 0);
    table_add_column(table, "ACCEPTED", 0);
    table_add_column(table, "ANSWERS", 0);
    table_add_column(table, "CLOSED", 0);
    table_add_column(table, "DENIED", 0);
    table_add_column(table, "BROKEN", 0);
    if (!make_rows(table, model->listener_count))
        return false;
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct model_listener *listener = &model->listeners[i];
        if (!listener->has_connections)
            continue;
        struct writer writer = part_begin(table, listener->name, false);
        put_count(&writer, listener->open);
        put_count(&writer, listener->connections);
        put_count(&writer, listener->answers);
        put_count(&writer, listener->closed);
        put_count(&writer, listener->turned_away);
        put_count(&writer, listener->broken);
    }
    return true;
}

/* --- sinks ------------------------------------------------------------------------------------ */

/*
 * The optional columns of sinks. A column with is_news comes first if one of its counts is not 0.
 * All other columns follow, by rank.
 */
static const struct sink_extra {
    const char *heading;
    size_t count; /* offset of a uint64_t in struct model_sink */
    unsigned rank;
    bool is_news; /* shown first if a count is not 0 */
} extras[] = {
    {"SPILLED", offsetof(struct model_sink, spilled), 2, true},
    {"UNKNOWN", offsetof(struct model_sink, unknown), 3, true},
    {"FILTERED", offsetof(struct model_sink, filtered), 1, true},
    {"ERRORS", offsetof(struct model_sink, write_errors), 4, true},
    {"EVICTED", offsetof(struct model_sink, evicted), 6, true},
    {"WRITTEN", offsetof(struct model_sink, written), 5, false},
};

#define EXTRAS (sizeof extras / sizeof extras[0])

static uint64_t extra_of(const struct model_sink *sink, size_t extra)
{
    return *(const uint64_t *)(const void *)((const char *)sink + extras[extra].count);
}

static bool is_in_use(const struct model *model, size_t extra)
{
    for (size_t i = 0; i < model->sink_count && extras[extra].is_news; i++)
        if (extra_of(&model->sinks[i], extra) != 0)
            return true;
    return false;
}

static void add_extras(struct table *table, const struct model *model)
{
    unsigned used = 0;
    for (size_t i = 0; i < EXTRAS; i++)
        used += is_in_use(model, i);
    unsigned next = 1;
    for (size_t i = 0; i < EXTRAS; i++) {
        unsigned rank = is_in_use(model, i) ? next++ : used + extras[i].rank;
        table_add_column(table, extras[i].heading, rank);
    }
}

/*
 * Returns the urgency of a sink. Sinks that lose records come first, then those in another state
 * than ok, and then those with the fullest queues.
 */
static double urgency_of(const struct model_sink *sink, const struct sink_rates *rate)
{
    if (rate->losing > 0)
        return 100 + rate->losing;
    return sink->state != MODEL_OK ? 10 * (double)sink->state : sink->fill;
}

/* Puts a share as a percentage. It is rounded down, so that only a full queue has 100 %. */
static void put_percent(struct writer *writer, double part)
{
    if (part < 0)
        part_put_text(writer, "-", part);
    else
        writer->row->cells[writer->cells++] =
            (struct table_cell){.value = (double)(int)(part * 100), .unit = TABLE_PERCENT};
}

static bool make_sinks(struct table *table, const struct model *model, const struct rates *rates)
{
    static const char *const states[] = {[MODEL_OK] = "ok",
                                         [MODEL_BEHIND] = "behind",
                                         [MODEL_STALLED] = "stalled",
                                         [MODEL_FAILING] = "failing",
                                         [MODEL_ENDED] = "ended"};
    table->name = "SINKS";
    table->trouble = "losing or failing";
    table_add_column(table, "RECS/s", 0);
    table_add_column(table, "BYTES/s", 4);
    table_add_column(table, "FILL", 0);
    table_add_column(table, "QUEUED", 0);
    table_add_column(table, "REFUSED", 0);
    add_extras(table, model);
    table_add_column(table, "FAILED", 0);
    table_add_column(table, "STATE", 0);
    if (!make_rows(table, model->sink_count))
        return false;
    for (size_t i = 0; i < model->sink_count; i++) {
        const struct model_sink *sink = &model->sinks[i];
        const struct sink_rates *rate = &rates->sinks[i];
        bool trouble = sink->state != MODEL_OK || rate->losing > 0;
        struct writer writer = part_begin(table, sink->name, trouble);
        writer.row->urgency = urgency_of(sink, rate);
        part_put_number(&writer, rate->written);
        part_put_number(&writer, rate->bytes);
        put_percent(&writer, sink->fill);
        part_put_number(&writer, (double)sink->in_flight);
        put_count(&writer, model_sum(&sink->refused));
        for (size_t k = 0; k < EXTRAS; k++)
            put_count(&writer, extra_of(sink, k));
        put_count(&writer, model_sum(&sink->failed));
        part_put_text(&writer, states[sink->state], (double)sink->state);
    }
    return true;
}

/* --- deliveries ------------------------------------------------------------------------------- */

/*
 * Puts the figure `name` or, if the destination does not report it, the figure `or_name`. Puts a
 * dash if it reports neither.
 */
static void put_figure(struct writer *writer, const struct model_delivery *delivery,
                       const char *name, const char *or_name)
{
    const uint64_t *value = model_find(&delivery->figures, name);
    if (value == NULL && or_name != NULL)
        value = model_find(&delivery->figures, or_name);
    if (value == NULL)
        part_put_text(writer, "-", -1);
    else
        put_count(writer, *value);
}

static bool make_deliveries(struct table *table, const struct model *model)
{
    table->name = "DELIVERIES";
    table_add_column(table, "OLDEST", 0);
    table_add_column(table, "SPILL B", 0);
    table_add_column(table, "CONNECTS", 0);
    table_add_column(table, "INFLIGHT", 0);
    table_add_column(table, "RETRIES", 0);
    table_add_column(table, "ERRORS", 0);
    if (!make_rows(table, model->delivery_count))
        return false;
    for (size_t i = 0; i < model->delivery_count; i++) {
        const struct model_delivery *delivery = &model->deliveries[i];
        struct writer writer = part_begin(table, delivery->name, false);
        part_put_time(&writer, delivery->oldest);
        put_count(&writer, delivery->spill_bytes);
        put_figure(&writer, delivery, "connects", NULL);
        put_figure(&writer, delivery, "requests_in_flight", "messages_in_flight");
        put_figure(&writer, delivery, "request_retries", NULL);
        put_figure(&writer, delivery, "request_errors", NULL);
    }
    return true;
}

/* --- drops ------------------------------------------------------------------------------------ */

static void add_drop(struct table *table, const char *where, const char *reason, uint64_t total,
                     double rate)
{
    if (total == 0)
        return;
    bool trouble = rate > 0 && rates_is_loss(reason);
    struct writer writer = part_begin(table, where, trouble);
    writer.row->urgency = trouble ? rate : 0;
    part_put_number(&writer, rate);
    put_count(&writer, total);
    writer.row->last[0] = reason;
}

static void add_drops(struct table *table, const char *where, const struct model_counts *counts,
                      const double *rates)
{
    for (size_t i = 0; i < counts->count; i++)
        add_drop(table, where, counts->items[i].name, counts->items[i].value, rates[i]);
}

static size_t count_drops(const struct model *model)
{
    size_t count = model->listener_count;
    for (size_t i = 0; i < model->listener_count; i++)
        count += model->listeners[i].reasons.count;
    for (size_t i = 0; i < model->sink_count; i++)
        count += 4 + model->sinks[i].refused.count + model->sinks[i].failed.count;
    return count;
}

static bool make_drops(struct table *table, const struct model *model, const struct rates *rates)
{
    table->name = "DROPS";
    table->trouble = "losing";
    table->last = "REASON";
    table->last_least = LAST_AFTER(2);
    table_add_column(table, "DROPS/s", 0);
    table_add_column(table, "TOTAL", 0);
    if (!make_rows(table, count_drops(model)))
        return false;
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct model_listener *listener = &model->listeners[i];
        const struct listener_rates *rate = &rates->listeners[i];
        add_drop(table, listener->name, listener->drops_name, listener->kernel_drops,
                 rate->kernel_drops);
        add_drops(table, listener->name, &listener->reasons, rate->reasons);
    }
    for (size_t i = 0; i < model->sink_count; i++) {
        const struct model_sink *sink = &model->sinks[i];
        add_drops(table, sink->name, &sink->refused, rates->sinks[i].refused);
        add_drop(table, sink->name, "evicted", sink->evicted, rates->sinks[i].evicted);
        add_drops(table, sink->name, &sink->failed, rates->sinks[i].failed);
        add_drop(table, sink->name, "unknown", sink->unknown, rates->sinks[i].unknown);
        add_drop(table, sink->name, "series_refused", sink->series_refused,
                 rates->sinks[i].series_refused);
        add_drop(table, sink->name, "out_of_time", sink->out_of_time, rates->sinks[i].out_of_time);
    }
    return true;
}

/* --- senders ---------------------------------------------------------------------------------- */

static bool make_senders(struct table *table, const struct model *model, const struct rates *rates)
{
    table->name = "SENDERS";
    table->last = "LISTENER";
    table->last_least = LAST_AFTER(4);
    table->made.by = 1;
    table_add_column(table, "DGRAMS/s", 0);
    table_add_column(table, "BYTES/s", 0);
    table_add_column(table, "DGRAMS", 0);
    table_add_column(table, "BYTES", 2);
    table_add_column(table, "LOST", 0);
    table_add_column(table, "TWICE", 3);
    if (!make_rows(table, model->sender_count))
        return false;
    for (size_t i = 0; i < model->sender_count; i++) {
        const struct model_sender *sender = &model->senders[i];
        const char *none = sender->numbered ? NULL : "-";
        struct writer writer = part_begin(table, sender->address, sender->lost != 0);
        part_put_number(&writer, rates->senders[i].datagrams);
        part_put_number(&writer, rates->senders[i].bytes);
        put_count(&writer, sender->datagrams);
        put_count(&writer, sender->bytes);
        part_put_text(&writer, none, (double)sender->lost);
        part_put_text(&writer, none, (double)sender->duplicated);
        writer.row->last[0] = short_name(sender->listener);
    }
    return true;
}

static bool make_losers(struct table *table, const struct model *model)
{
    table->name = "MOST LOSS";
    table->last = "FROM, TO";
    table->last_least = LAST_AFTER(2);
    table_add_column(table, "LOST", 0);
    table_add_column(table, "TWICE", 0);
    if (!make_rows(table, model->loser_count))
        return false;
    for (size_t i = 0; i < model->loser_count; i++) {
        const struct model_loser *loser = &model->losers[i];
        struct writer writer =
            part_begin(table, loser->name[0] != '\0' ? loser->name : "(without a name)", false);
        put_count(&writer, loser->lost);
        put_count(&writer, loser->duplicated);
        writer.row->last[0] = loser->address;
        writer.row->last[1] = short_name(loser->listener);
    }
    return true;
}

/* --- causes of growing series ----------------------------------------------------------------- */

static void put_growth(struct writer *writer, bool is_about, uint64_t count)
{
    if (is_about)
        put_count(writer, count);
    else
        part_put_text(writer, "-", -1);
}

static bool make_growths(struct table *table, const struct model *model)
{
    table->name = "SERIES";
    table->last = "WHAT, SINK";
    table->last_least = LAST_AFTER(4);
    table_add_column(table, "REFUSED", 0);
    table_add_column(table, "NEW", 0);
    table_add_column(table, "VALUES", 0);
    table_add_column(table, "OFF TIME", 0);
    if (!make_rows(table, model->growth_count))
        return false;
    for (size_t i = 0; i < model->growth_count; i++) {
        const struct model_growth *growth = &model->growths[i];
        bool is_label = strcmp(growth->kind, "label") == 0;
        bool is_clock = strcmp(growth->kind, "clock") == 0;
        struct writer writer = part_begin(table, growth->name, false);
        put_growth(&writer, !is_label && !is_clock, growth->refused);
        put_growth(&writer, !is_label && !is_clock, growth->added);
        put_growth(&writer, is_label, growth->values);
        put_growth(&writer, is_clock, growth->out_of_time);
        writer.row->last[0] = growth->kind;
        writer.row->last[1] = growth->sink;
    }
    return true;
}

/* --- all parts -------------------------------------------------------------------------------- */

bool page_parts_make(struct table parts[VIEW_PARTS], const struct model *model,
                     const struct rates *rates)
{
    for (size_t i = 0; i < VIEW_PARTS; i++)
        parts[i] = (struct table){.count = 0};
    return make_listeners(&parts[0], model, rates) && make_connections(&parts[1], model) &&
           make_sinks(&parts[2], model, rates) && make_deliveries(&parts[3], model) &&
           make_drops(&parts[4], model, rates) && make_senders(&parts[5], model, rates) &&
           make_losers(&parts[6], model) && make_growths(&parts[7], model);
}

void page_parts_clear(struct table parts[VIEW_PARTS])
{
    for (size_t i = 0; i < VIEW_PARTS; i++)
        free(parts[i].rows);
}
