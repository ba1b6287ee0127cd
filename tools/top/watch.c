#include "tools/top/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "tools/command/interrupt.h"

#define PATIENCE_MS 1000

/*
 * Reads an answer. A signal, as when the terminal is resized, only interrupts the wait, which then
 * continues until the time is over.
 */
static enum connection_result watch_read_answer(struct connection *connection, const char **line,
                                                size_t *size)
{
    int64_t until = clock_monotonic_ns() + (int64_t)PATIENCE_MS * 1000000;
    for (;;) {
        int64_t left = (until - clock_monotonic_ns()) / 1000000;
        enum connection_result result =
            connection_read(connection, left > 0 ? (int)left : 0, line, size);
        if (result != CONNECTION_TIMEOUT || left <= 0 || interrupt_seen())
            return result;
    }
}

/*
 * Sends a request. Returns a copy of the answer, which the caller frees, or NULL with `trouble`
 * filled.
 */
static char *watch_request(struct watch *watch, const char *request, struct model_answer *answer)
{
    const char *line;
    if (connection_send(watch->connection, request, &watch->trouble) != 0)
        return NULL;
    enum connection_result result = watch_read_answer(watch->connection, &line, &answer->size);
    char *copy = result == CONNECTION_LINE ? malloc(answer->size) : NULL;
    answer->text = copy;
    if (copy != NULL)
        memcpy(copy, line, answer->size);
    else
        error_set(&watch->trouble, EXIT_CODE_IO, "%s",
                  result == CONNECTION_TIMEOUT ? "the collector does not answer"
                  : result == CONNECTION_LINE  ? "out of memory"
                                               : "the collector has closed the connection");
    return copy;
}

static int read_answers(struct watch *watch, struct model *model)
{
    struct model_answers answers;
    char *ledger = watch_request(watch, "ledger", &answers.ledger);
    char *levels = ledger != NULL ? watch_request(watch, "levels", &answers.levels) : NULL;
    char *senders = levels != NULL ? watch_request(watch, "senders", &answers.senders) : NULL;
    char *health = senders != NULL ? watch_request(watch, "health", &answers.health) : NULL;
    int result = -1;
    if (health != NULL)
        result = model_read(model, &answers, &watch->trouble);
    free(ledger);
    free(levels);
    free(senders);
    free(health);
    return result;
}

int watch_ask(struct watch *watch)
{
    struct model model;
    watch->in_trouble = true;
    if (watch->connection == NULL &&
        addresses_open(watch->given, &watch->connection, watch->address, &watch->trouble) != 0) {
        watch->connection = NULL;
        return -1;
    }
    if (read_answers(watch, &model) != 0) {
        connection_close(watch->connection);
        watch->connection = NULL;
        return -1;
    }
    model_clear(&watch->before);
    watch->before = watch->now;
    watch->has_before = watch->has_now;
    watch->now = model;
    watch->has_now = true;
    watch->in_trouble = false;
    return 0;
}

bool watch_draw(const struct watch *watch, size_t rows, size_t columns, struct view *view,
                struct page *page)
{
    char title[sizeof watch->trouble.text + 256];
    struct rates rates = {0};
    if (watch->in_trouble)
        snprintf(title, sizeof title, "sluice-top  trying again: %s", watch->trouble.text);
    else
        snprintf(title, sizeof title, "sluice-top  %s", watch->address);
    if (watch->has_now &&
        !rates_make(&rates, &watch->now, watch->has_before ? &watch->before : NULL))
        return false;
    bool done =
        page_draw(page, rows, columns, title, watch->has_now ? &watch->now : NULL, &rates, view);
    rates_clear(&rates);
    return done;
}

void watch_clear(struct watch *watch)
{
    connection_close(watch->connection);
    model_clear(&watch->before);
    model_clear(&watch->now);
}
