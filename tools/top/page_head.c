#include "tools/top/page_head.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/top/quantity.h"
#include "tools/top/table.h"

/* A page has one line of reasons for each ROWS_OF_REASON rows. */
#define ROWS_OF_REASON 8

/* A line that is being written. It is cut off when it is full. */
struct head_line {
    char text[TABLE_LINE_SIZE];
    size_t used;
};

static void head_put(struct head_line *line, const char *before, const char *text)
{
    size_t room = sizeof line->text - line->used;
    int printed = snprintf(line->text + line->used, room, "%s%s", before, text);
    if (printed > 0)
        line->used += (size_t)printed < room ? (size_t)printed : room - 1;
}

static void put_rate(struct head_line *line, const char *before, double rate, const char *after)
{
    char number[QUANTITY_SIZE];
    quantity_write(rate, number);
    head_put(line, before, number);
    head_put(line, after, "");
}

/* --- the totals ------------------------------------------------------------------------------- */

static bool add_totals(struct page *page, const struct model *model, const struct rates *rates,
                       double losing)
{
    struct head_line line = {.used = 0};
    char up[QUANTITY_SIZE];
    double received = 0, bytes = 0, written = 0;
    for (size_t i = 0; i < model->listener_count; i++) {
        received += rates->listeners[i].received;
        bytes += rates->listeners[i].bytes;
    }
    for (size_t i = 0; i < model->sink_count; i++)
        written += rates->sinks[i].written;
    quantity_write_time(model->uptime, up);
    head_put(&line, "", model->status);
    put_rate(&line, ", losing ", losing, "/s; ");
    put_rate(&line, "received ", received, "/s, ");
    put_rate(&line, "", bytes, "B/s; ");
    put_rate(&line, "written ", written, "/s; ");
    head_put(&line, "up ", up);
    bool trouble = losing > 0 || strcmp(model->status, "ready") != 0;
    return page_add_line(page, trouble ? PAGE_TROUBLE : PAGE_PLAIN, line.text);
}

/* --- losses by reason ------------------------------------------------------------------------- */

struct loss {
    const char *reason;
    double rate;
};

/* Losses by reason, of all listeners and sinks. */
struct losses {
    struct loss *items;
    size_t count;
    double total;
};

static void add_loss(struct losses *losses, const char *reason, double rate)
{
    size_t at = 0;
    if (rate <= 0 || !rates_is_loss(reason))
        return;
    while (at < losses->count && strcmp(losses->items[at].reason, reason) != 0)
        at++;
    if (at == losses->count)
        losses->items[losses->count++] = (struct loss){.reason = reason};
    losses->items[at].rate += rate;
    losses->total += rate;
}

static void add_losses(struct losses *losses, const struct model_counts *counts,
                       const double *rates)
{
    for (size_t i = 0; i < counts->count; i++)
        add_loss(losses, counts->items[i].name, rates[i]);
}

static int compare_losses(const void *left, const void *right)
{
    const struct loss *a = left;
    const struct loss *b = right;
    if (a->rate != b->rate)
        return a->rate < b->rate ? 1 : -1;
    return strcmp(a->reason, b->reason);
}

/* Fills `losses`. Returns false if out of memory. The caller frees losses->items in both cases. */
static bool find_losses(struct losses *losses, const struct model *model, const struct rates *rates)
{
    size_t most = model->listener_count + 2 * model->sink_count + 1;
    for (size_t i = 0; i < model->listener_count; i++)
        most += model->listeners[i].reasons.count;
    for (size_t i = 0; i < model->sink_count; i++)
        most += model->sinks[i].refused.count + model->sinks[i].failed.count;
    *losses = (struct losses){.items = calloc(most, sizeof *losses->items)};
    if (losses->items == NULL)
        return false;
    for (size_t i = 0; i < model->listener_count; i++) {
        const struct listener_rates *rate = &rates->listeners[i];
        add_loss(losses, model->listeners[i].drops_name, rate->kernel_drops);
        add_losses(losses, &model->listeners[i].reasons, rate->reasons);
    }
    for (size_t i = 0; i < model->sink_count; i++) {
        add_losses(losses, &model->sinks[i].refused, rates->sinks[i].refused);
        add_losses(losses, &model->sinks[i].failed, rates->sinks[i].failed);
        add_loss(losses, "evicted", rates->sinks[i].evicted);
        add_loss(losses, "unknown", rates->sinks[i].unknown);
    }
    qsort(losses->items, losses->count, sizeof *losses->items, compare_losses);
    return true;
}

/*
 * Adds the rates of losses, the highest first. They take one line, or two if the page has enough
 * rows.
 */
static bool add_loss_lines(struct page *page, size_t rows, const struct losses *losses)
{
    struct head_line line = {.used = 0};
    for (size_t i = 0; i < losses->count; i++) {
        head_put(&line, i == 0 ? "lost: " : ", ", losses->items[i].reason);
        put_rate(&line, " ", losses->items[i].rate, "/s");
    }
    size_t most = rows / ROWS_OF_REASON > 2 ? 2 : 1;
    return losses->count == 0 || page_add_text(page, PAGE_TROUBLE, line.text, page->rows + most);
}

/* --- the reasons of the health report --------------------------------------------------------- */

/*
 * Adds a reason such as "sink_fails http://host/write for 12s: connection refused". It is broken
 * into lines until the page has `rows` lines.
 */
static bool add_reason(struct page *page, const struct model_reason *reason, size_t rows)
{
    struct head_line line = {.used = 0};
    char number[32];
    head_put(&line, "", reason->word);
    head_put(&line, *reason->about != '\0' ? " " : "", reason->about);
    if (reason->seconds > 0) {
        quantity_write_time(reason->seconds, number);
        head_put(&line, " for ", number);
    }
    if (reason->limit != 0) {
        quantity_write_bytes((double)reason->count, number);
        head_put(&line, " (", number);
        quantity_write_bytes((double)reason->limit, number);
        head_put(&line, " of ", number);
        head_put(&line, ")", "");
    } else if (reason->count != 0) {
        snprintf(number, sizeof number, " (%" PRIu64 ")", reason->count);
        head_put(&line, number, "");
    }
    head_put(&line, *reason->error != '\0' ? ": " : "", reason->error);
    return page_add_text(page, PAGE_TROUBLE, line.text, rows);
}

static bool add_more_reasons(struct page *page, const struct model *model, size_t shown)
{
    struct head_line line = {.used = 0};
    char number[32];
    snprintf(number, sizeof number, "%zu more:", model->reason_count - shown);
    head_put(&line, "", number);
    for (size_t i = shown; i < model->reason_count; i++) {
        size_t same = shown;
        while (strcmp(model->reasons[same].word, model->reasons[i].word) != 0)
            same++;
        if (same == i)
            head_put(&line, " ", model->reasons[i].word);
    }
    return page_add_line(page, PAGE_TROUBLE, line.text);
}

/*
 * Adds the most important reasons, each on at most two lines. Of the others, adds only the words.
 */
static bool add_reasons(struct page *page, size_t rows, const struct model *model)
{
    size_t lines = rows / ROWS_OF_REASON;
    size_t end = page->rows + lines;
    size_t shown = 0;
    bool done = true;
    for (; shown < model->reason_count && done; shown++) {
        bool others = lines > 1 && shown + 1 < model->reason_count;
        size_t room = end - page->rows - others;
        if (room == 0)
            break;
        done = add_reason(page, &model->reasons[shown], page->rows + (room < 2 ? room : 2));
    }
    return done && (page->rows >= end || shown == model->reason_count ||
                    add_more_reasons(page, model, shown));
}

bool page_head_add(struct page *page, size_t rows, const struct model *model,
                   const struct rates *rates)
{
    struct losses losses;
    bool done = find_losses(&losses, model, rates) &&
                add_totals(page, model, rates, losses.total) &&
                (page->rows >= rows || add_loss_lines(page, rows, &losses)) &&
                add_reasons(page, rows, model);
    free(losses.items);
    return done;
}
