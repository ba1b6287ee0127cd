#include "sinks/destinations/http_exchange.h"

#include "collector/base/rule.h"
#include "sinks/destinations/http_answer.h"

/* Of a record that no request was made for yet. */
#define NO_FATE UINT8_MAX

#define NO_HALF 2

void http_exchange_begin(struct http_exchange *exchange, struct delivery_block *block,
                         const char *format)
{
    *exchange = (struct http_exchange){.format = format, .block = block, .half = NO_HALF};
    block->per_record = true;
    for (size_t i = 0; i < block->count; i++)
        block->records[i].fate = NO_FATE;
}

static void set_fate(struct http_exchange *exchange, const struct http_range *range, uint8_t fate,
                     uint8_t reason)
{
    for (size_t i = range->first; i < range->first + range->count; i++) {
        exchange->block->records[i].fate = fate;
        exchange->block->records[i].reason = reason;
    }
}

static void note(struct http_exchange *exchange, const char *why, int64_t retry_after_ns)
{
    error_set(&exchange->error, EXIT_CODE_IO, "%s", why);
    if (retry_after_ns > exchange->retry_after_ns)
        exchange->retry_after_ns = retry_after_ns;
}

/* --- halves ----------------------------------------------------------------------------------- */

static void divide(struct http_exchange *exchange, const struct http_range *range)
{
    size_t first = range->count / 2;
    exchange->halves[0] = (struct http_half){.range = {range->first, first}};
    exchange->halves[1] = (struct http_half){.range = {range->first + first, range->count - first}};
    exchange->half = 0;
    exchange->range = exchange->halves[0].range;
}

/* The range that was refused has its reason, or waits to be divided. */
static void settle_refused(struct http_exchange *exchange, const struct http_half *half,
                           bool other_taken)
{
    bool worth = half->reason == DELIVERY_TOO_LARGE || other_taken;
    if (!half->parts || !worth || half->range.count == 1) {
        set_fate(exchange, &half->range, DELIVERY_REFUSED, half->reason);
        return;
    }
    RULE(exchange->waiting_count < HTTP_HALVES_MOST, "ranges are divided one after the other");
    exchange->waiting[exchange->waiting_count++] = *half;
}

/* Where the other half is open, what was refused is left open, too: both are sent again. */
static void settle_half(struct http_exchange *exchange, const struct http_half *half,
                        const struct http_half *other)
{
    bool other_taken = other->fate == DELIVERY_ACKNOWLEDGED;
    if (half->fate == DELIVERY_REFUSED && (other_taken || other->fate == DELIVERY_REFUSED))
        settle_refused(exchange, half, other_taken);
}

/* There are too many of them. */
static void refuse_waiting(struct http_exchange *exchange)
{
    for (; exchange->waiting_count != 0; exchange->waiting_count--) {
        const struct http_half *last = &exchange->waiting[exchange->waiting_count - 1];
        set_fate(exchange, &last->range, DELIVERY_REFUSED, last->reason);
    }
}

/* --- ranges ----------------------------------------------------------------------------------- */

/* The next records without a fate. */
static bool next_range(struct http_exchange *exchange)
{
    const struct delivery_block *block = exchange->block;
    size_t at = exchange->at;
    while (at < block->count && block->records[at].done)
        at++;
    exchange->range.first = at;
    while (at < block->count && !block->records[at].done)
        at++;
    exchange->range.count = at - exchange->range.first;
    exchange->at = at;
    return exchange->range.count != 0;
}

bool http_exchange_next(struct http_exchange *exchange)
{
    if (exchange->over)
        return false;
    if (exchange->requests == HTTP_REQUESTS_MOST) {
        refuse_waiting(exchange);
        http_exchange_cancel(exchange, "it took too many requests");
        return false;
    }
    if (exchange->half == NO_HALF && exchange->waiting_count != 0)
        divide(exchange, &exchange->waiting[--exchange->waiting_count].range);
    else if (exchange->half == NO_HALF && !next_range(exchange))
        return false;
    exchange->requests++;
    return true;
}

/* The records in hand were refused. */
static void refuse(struct http_exchange *exchange, uint8_t reason, bool parts)
{
    if (exchange->half == NO_HALF) {
        const struct http_half whole = {exchange->range, DELIVERY_REFUSED, reason, parts};
        settle_refused(exchange, &whole, true);
        return;
    }
    exchange->halves[exchange->half].fate = DELIVERY_REFUSED;
    exchange->halves[exchange->half].reason = reason;
    exchange->halves[exchange->half].parts = parts;
}

/* The half in hand has its fate: the other one follows, or both are settled. */
static void end_half(struct http_exchange *exchange)
{
    if (exchange->half == NO_HALF)
        return;
    if (exchange->half++ == 0) {
        exchange->range = exchange->halves[1].range;
        return;
    }
    settle_half(exchange, &exchange->halves[0], &exchange->halves[1]);
    settle_half(exchange, &exchange->halves[1], &exchange->halves[0]);
}

void http_exchange_cancel(struct http_exchange *exchange, const char *why)
{
    const struct delivery_block *block = exchange->block;
    bool any = false;
    exchange->over = true;
    for (size_t i = 0; i < block->count; i++)
        if (block->records[i].fate == NO_FATE) {
            block->records[i].fate = DELIVERY_NOT_SENT;
            any = any || !block->records[i].done;
        }
    if (any && exchange->error.text[0] == '\0')
        note(exchange, why, 0);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* What is refused after too many tries, or as a half of what was, is refused for good. */
static struct http_meaning meaning_of(struct http_exchange *exchange,
                                      const struct http_reply *reply)
{
    struct http_meaning means = http_meaning_of(exchange->format, reply->status, reply->sent);
    if (means.tries != 0 && exchange->block->tries++ >= means.tries)
        means.fate = DELIVERY_REFUSED;
    return means;
}

void http_exchange_answer(struct http_exchange *exchange, const struct http_reply *reply)
{
    const struct http_meaning means = meaning_of(exchange, reply);
    if (means.fate != DELIVERY_ACKNOWLEDGED) /* refused records wait for no time */
        note(exchange, reply->text, means.fate == DELIVERY_REFUSED ? 0 : reply->retry_after_ns);
    if (means.fate == DELIVERY_REFUSED) {
        refuse(exchange, (uint8_t)means.reason, means.parts);
        end_half(exchange);
        return;
    }
    set_fate(exchange, &exchange->range, (uint8_t)means.fate, 0);
    if (exchange->half != NO_HALF)
        exchange->halves[exchange->half].fate = (uint8_t)means.fate;
    end_half(exchange);
    if (means.fate != DELIVERY_ACKNOWLEDGED)
        http_exchange_cancel(exchange, reply->text);
}

void http_exchange_reject(struct http_exchange *exchange, enum delivery_reason reason,
                          const char *why)
{
    note(exchange, why, 0);
    refuse(exchange, (uint8_t)reason, reason == DELIVERY_TOO_LARGE);
    end_half(exchange);
}
