#include "tools/top/page_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/top/quantity.h"

/*
 * Columns of a number and the blank before it. Six of them leave a name 26 of 80. A sink has a
 * seventh, at the cost of its name; where that would get too short, FILTERED is left out.
 */
#define NUMBER_WIDTH  9
#define NUMBERS       7
#define USUAL_NUMBERS 6
#define NAME_LEAST    12

/* --- rows ------------------------------------------------------------------------------------- */

/* A row under way: a name, and what stands to the right of it. */
struct writer {
    char *text;
    size_t used;
};

static void put(struct writer *writer, const char *text, size_t width, bool to_the_right)
{
    size_t room = PAGE_LINE_SIZE - writer->used;
    int printed = snprintf(writer->text + writer->used, room, to_the_right ? "%*.*s" : "%-*.*s",
                           (int)width, (int)width, text);
    if (printed > 0)
        writer->used += (size_t)printed < room ? (size_t)printed : room - 1;
}

/* One that is too long ends in a '~'. */
static void put_name(struct writer *writer, const char *name, size_t width)
{
    char cut[PAGE_LINE_SIZE];
    snprintf(cut, sizeof cut, "%s", name);
    if (strlen(cut) > width) {
        cut[width - 1] = '~';
        cut[width] = '\0';
    }
    put(writer, cut, width, false);
}

static void put_text(struct writer *writer, const char *text)
{
    put(writer, text, NUMBER_WIDTH, true);
}

static void put_number(struct writer *writer, double value)
{
    char text[QUANTITY_SIZE];
    quantity_write(value, text);
    put_text(writer, text);
}

static size_t name_width(size_t columns)
{
    size_t numbers = NUMBER_WIDTH * USUAL_NUMBERS;
    size_t most = PAGE_LINE_SIZE / 2;
    size_t width = columns < numbers + NAME_LEAST ? NAME_LEAST : columns - numbers;
    return width > most ? most : width;
}

static struct writer begin(struct page_part *part, size_t width, const char *name,
                           enum page_manner manner, double weight)
{
    struct page_row *row = &part->rows[part->count++];
    struct writer writer = {.text = row->text};
    row->manner = manner;
    row->weight = weight;
    put_name(&writer, name, width);
    return writer;
}

/* What stands after the numbers. */
static void put_last(struct writer *writer, const char *text)
{
    put(writer, "", 2, false);
    put(writer, text, strlen(text), false);
}

/* Headings of the numbers, NULL for none, and of what stands after them. */
static void set_heading(struct page_part *part, size_t width, const char *name,
                        const char *const numbers[NUMBERS], const char *last)
{
    struct writer writer = {.text = part->heading};
    put_name(&writer, name, width);
    for (size_t i = 0; i < NUMBERS && numbers[i] != NULL; i++)
        put_text(&writer, numbers[i]);
    put_last(&writer, last);
}

static bool make_rows(struct page_part *part, size_t most)
{
    part->rows = calloc(most + 1, sizeof *part->rows);
    return part->rows != NULL;
}

static double sum(const double *rates, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += rates[i];
    return total;
}

/* --- listeners and sinks ---------------------------------------------------------------------- */

static bool make_listeners(struct page_part *part, size_t width, const struct model *model,
                           const struct rates *rates)
{
    static const char *const numbers[NUMBERS] = {"DGRAMS/s", "BYTES/s", "DGRAMS",
                                                 "REFUSED",  "KERNEL",  "LOST"};
    set_heading(part, width, "LISTENERS", numbers, "");
    if (!make_rows(part, model->listener_count))
        return false;
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct model_listener *listener = &model->listeners[i];
        const struct listener_rates *rate = &rates->listeners[i];
        bool trouble = rate->kernel_drops + sum(rate->reasons, listener->reasons.count) > 0;
        struct writer writer =
            begin(part, width, listener->name, trouble ? PAGE_TROUBLE : PAGE_PLAIN, 0);
        put_number(&writer, rate->received);
        put_number(&writer, rate->bytes);
        put_number(&writer, (double)listener->received);
        put_number(&writer, (double)model_sum(&listener->reasons));
        put_number(&writer, (double)listener->kernel_drops);
        put_number(&writer, (double)listener->lost);
    }
    return true;
}

static bool any_spills(const struct model *model)
{
    bool any = false;
    for (size_t i = 0; i < model->sink_count; i++)
        any |= model->sinks[i].spilled != 0;
    return any;
}

static bool make_sinks(struct page_part *part, size_t width, const struct model *model,
                       const struct rates *rates)
{
    static const char *const numbers[NUMBERS] = {"RECS/s",   "BYTES/s", "QUEUED", "REFUSED",
                                                 "FILTERED", "FAILED",  "STATE"};
    static const char *const spilling[NUMBERS] = {"RECS/s",  "BYTES/s", "QUEUED", "REFUSED",
                                                  "SPILLED", "FAILED",  "STATE"};
    static const char *const fewer[NUMBERS] = {"RECS/s",  "BYTES/s", "QUEUED",
                                               "REFUSED", "FAILED",  "STATE"};
    static const char *const states[] = {[MODEL_OK] = "ok",
                                         [MODEL_BEHIND] = "behind",
                                         [MODEL_STALLED] = "stalled",
                                         [MODEL_FAILING] = "failing",
                                         [MODEL_ENDED] = "ended"};
    bool all = width >= NAME_LEAST + NUMBER_WIDTH;
    bool spills = any_spills(model);
    if (all)
        width -= NUMBER_WIDTH;
    set_heading(part, width, "SINKS", !all ? fewer : spills ? spilling : numbers, "");
    if (!make_rows(part, model->sink_count))
        return false;
    for (size_t i = 0; i < model->sink_count; i++) {
        const struct model_sink *sink = &model->sinks[i];
        const struct sink_rates *rate = &rates->sinks[i];
        enum page_manner manner = sink->state == MODEL_OK ? PAGE_PLAIN : PAGE_TROUBLE;
        struct writer writer = begin(part, width, sink->name, manner, 0);
        put_number(&writer, rate->written);
        put_number(&writer, rate->bytes);
        put_number(&writer, (double)sink->in_flight);
        put_number(&writer, (double)model_sum(&sink->refused));
        if (all)
            put_number(&writer, (double)(spills ? sink->spilled : sink->filtered));
        put_number(&writer, (double)model_sum(&sink->failed));
        put_text(&writer, states[sink->state]);
    }
    return true;
}

/* --- deliveries ------------------------------------------------------------------------------- */

/* What it does not say is a dash. */
static void put_figure(struct writer *writer, const struct model_delivery *delivery,
                       const char *name, const char *or_name)
{
    const uint64_t *value = model_find(&delivery->figures, name);
    if (value == NULL && or_name != NULL)
        value = model_find(&delivery->figures, or_name);
    if (value == NULL)
        put_text(writer, "-");
    else
        put_number(writer, (double)*value);
}

static bool make_deliveries(struct page_part *part, size_t width, const struct model *model)
{
    static const char *const numbers[NUMBERS] = {"OLDEST",   "SPILL B", "CONNECTS",
                                                 "INFLIGHT", "RETRIES", "ERRORS"};
    set_heading(part, width, "DELIVERIES", numbers, "");
    if (!make_rows(part, model->delivery_count))
        return false;
    for (size_t i = 0; i < model->delivery_count; i++) {
        const struct model_delivery *delivery = &model->deliveries[i];
        char oldest[QUANTITY_SIZE];
        struct writer writer = begin(part, width, delivery->name, PAGE_PLAIN, 0);
        quantity_write_time(delivery->oldest, oldest);
        put_text(&writer, oldest);
        put_number(&writer, (double)delivery->spill_bytes);
        put_figure(&writer, delivery, "connects", NULL);
        put_figure(&writer, delivery, "requests_in_flight", "messages_in_flight");
        put_figure(&writer, delivery, "request_retries", NULL);
        put_figure(&writer, delivery, "request_errors", NULL);
    }
    return true;
}

/* --- drops ------------------------------------------------------------------------------------ */

static void add_drop(struct page_part *part, size_t width, const char *where, const char *reason,
                     uint64_t total, double rate)
{
    if (total == 0)
        return;
    struct writer writer = begin(part, width, where, rate > 0 ? PAGE_TROUBLE : PAGE_PLAIN, rate);
    put_number(&writer, rate);
    put_number(&writer, (double)total);
    put_last(&writer, reason);
}

static void add_drops(struct page_part *part, size_t width, const char *where,
                      const struct model_counts *counts, const double *rates)
{
    for (size_t i = 0; i < counts->count; i++)
        add_drop(part, width, where, counts->items[i].name, counts->items[i].value, rates[i]);
}

static size_t count_drops(const struct model *model)
{
    size_t count = model->listener_count;
    for (size_t i = 0; i < model->listener_count; i++)
        count += model->listeners[i].reasons.count;
    for (size_t i = 0; i < model->sink_count; i++)
        count += 2 + model->sinks[i].refused.count + model->sinks[i].failed.count;
    return count;
}

static bool make_drops(struct page_part *part, size_t width, const struct model *model,
                       const struct rates *rates)
{
    static const char *const numbers[NUMBERS] = {"DROPS/s", "TOTAL"};
    set_heading(part, width, "DROPS", numbers, "REASON");
    if (!make_rows(part, count_drops(model)))
        return false;
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct model_listener *listener = &model->listeners[i];
        const struct listener_rates *rate = &rates->listeners[i];
        add_drop(part, width, listener->name, listener->drops_name, listener->kernel_drops,
                 rate->kernel_drops);
        add_drops(part, width, listener->name, &listener->reasons, rate->reasons);
    }
    for (size_t i = 0; i < model->sink_count; i++) {
        const struct model_sink *sink = &model->sinks[i];
        add_drops(part, width, sink->name, &sink->refused, rates->sinks[i].refused);
        add_drop(part, width, sink->name, "evicted", sink->evicted, rates->sinks[i].evicted);
        add_drops(part, width, sink->name, &sink->failed, rates->sinks[i].failed);
        add_drop(part, width, sink->name, "unknown", sink->unknown, rates->sinks[i].unknown);
    }
    return true;
}

/* --- senders ---------------------------------------------------------------------------------- */

/* The heaviest first, and what weighs the same by its name. */
static int compare_rows(const void *left, const void *right)
{
    const struct page_row *a = left;
    const struct page_row *b = right;
    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return strcmp(a->text, b->text);
}

/* "udp://" is the same for nearly all. */
static const char *short_name(const char *listener)
{
    static const char scheme[] = "udp://";
    return strncmp(listener, scheme, strlen(scheme)) == 0 ? listener + strlen(scheme) : listener;
}

static bool make_senders(struct page_part *part, size_t width, const struct model *model,
                         const struct rates *rates)
{
    static const char *const numbers[NUMBERS] = {"DGRAMS/s", "BYTES/s", "DGRAMS", "LOST"};
    set_heading(part, width, "SENDERS", numbers, "LISTENER");
    if (!make_rows(part, model->sender_count))
        return false;
    for (size_t i = 0; i < model->sender_count; i++) {
        const struct model_sender *sender = &model->senders[i];
        const struct sender_rates *rate = &rates->senders[i];
        struct writer writer =
            begin(part, width, sender->address, sender->lost != 0 ? PAGE_TROUBLE : PAGE_PLAIN,
                  rate->datagrams);
        put_number(&writer, rate->datagrams);
        put_number(&writer, rate->bytes);
        put_number(&writer, (double)sender->datagrams);
        if (sender->numbered)
            put_number(&writer, (double)sender->lost);
        else
            put_text(&writer, "-");
        put_last(&writer, short_name(sender->listener));
    }
    qsort(part->rows, part->count, sizeof *part->rows, compare_rows);
    return true;
}

static bool make_losers(struct page_part *part, size_t width, const struct model *model)
{
    static const char *const numbers[NUMBERS] = {"LOST", "TWICE"};
    set_heading(part, width, "MOST LOSS", numbers, "FROM, TO");
    if (!make_rows(part, model->loser_count))
        return false;
    for (size_t i = 0; i < model->loser_count; i++) {
        const struct model_loser *loser = &model->losers[i];
        const char *name = loser->name[0] != '\0' ? loser->name : "(without a name)";
        struct writer writer = begin(part, width, name, PAGE_PLAIN, 0);
        put_number(&writer, (double)loser->lost);
        put_number(&writer, (double)loser->duplicated);
        put_last(&writer, loser->address);
        put_last(&writer, short_name(loser->listener));
    }
    return true;
}

/* --- all of them ------------------------------------------------------------------------------ */

bool page_parts_make(struct page_part parts[PAGE_PARTS], size_t columns, const struct model *model,
                     const struct rates *rates)
{
    size_t width = name_width(columns);
    for (size_t i = 0; i < PAGE_PARTS; i++)
        parts[i] = (struct page_part){.count = 0};
    return make_listeners(&parts[0], width, model, rates) &&
           make_sinks(&parts[1], width, model, rates) && make_deliveries(&parts[2], width, model) &&
           make_drops(&parts[3], width, model, rates) &&
           make_senders(&parts[4], width, model, rates) && make_losers(&parts[5], width, model);
}

void page_parts_clear(struct page_part parts[PAGE_PARTS])
{
    for (size_t i = 0; i < PAGE_PARTS; i++)
        free(parts[i].rows);
}
