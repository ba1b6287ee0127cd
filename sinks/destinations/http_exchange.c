#include "sinks/destinations/http_exchange.h"

#include "collector/base/rule.h"
#include "sinks/destinations/http_answer.h"

/* Marks a record without an outcome. */
#define NO_OUTCOME UINT8_MAX

/*
 * A refused request of a hopeless group (http_exchange.h) is divided only if it has at most this
 * number of records.
 */
#define DIVIDED_ALL_THE_SAME 3

void http_exchange_begin(struct http_exchange *exchange, struct delivery_block *block,
                         const char *format)
{
    *exchange = (struct http_exchange){.format = format, .block = block, .group_count = 1};
    block->per_record = true;
    for (size_t i = 0; i < block->count; i++) {
        block->records[i].outcome = NO_OUTCOME;
        block->records[i].group = 0;
    }
}

/*
 * Returns the index of the group with the fingerprint, which is added if it is missing. If there is
 * no room for it, returns the index of the last group.
 */
static size_t exchange_find_group(struct http_exchange *exchange, uint32_t fingerprint,
                                  uint32_t refusals)
{
    for (size_t i = 1; i < exchange->group_count; i++)
        if (exchange->groups[i].fingerprint == fingerprint)
            return i;
    RULE(exchange->group_count <= HTTP_GROUPS_MOST + 1, "a block has no more groups than fit");
    if (exchange->group_count > HTTP_GROUPS_MOST) {
        exchange->groups[HTTP_GROUPS_MOST].hopeless = false;
        return HTTP_GROUPS_MOST;
    }
    exchange->groups[exchange->group_count] = (struct http_group){
        .fingerprint = fingerprint, .hopeless = refusals >= HTTP_LESSONS_HOPELESS};
    return exchange->group_count++;
}

void http_exchange_know(struct http_exchange *exchange, struct http_lessons *lessons, bool repeats)
{
    struct delivery_block *block = exchange->block;
    exchange->lessons = lessons;
    exchange->repeats = repeats;
    exchange->groups[0].hopeless = lessons->in_a_row >= HTTP_LESSONS_ALL_HOPELESS;
    http_lessons_begin(lessons);
    if (exchange->groups[0].hopeless)
        return; /* all records are in group 0, which is not divided */
    for (size_t i = 0; i < block->count; i++) {
        uint32_t refusals = 0;
        uint32_t print = http_lessons_group(lessons, block, &block->records[i], &refusals);
        if (print != 0)
            block->records[i].group = (uint8_t)exchange_find_group(exchange, print, refusals);
    }
}

/* --- the records of a range ------------------------------------------------------------------- */

static bool is_member(const struct http_exchange *exchange, size_t index)
{
    return exchange->block->records[index].group == exchange->group;
}

static bool is_open(const struct http_exchange *exchange, size_t index)
{
    const struct delivery_record *record = &exchange->block->records[index];
    return !record->done && record->outcome == NO_OUTCOME;
}

static void set_outcome(struct http_exchange *exchange, const struct http_range *range,
                        uint8_t outcome, uint8_t reason)
{
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_member(exchange, i)) {
            exchange->block->records[i].outcome = outcome;
            exchange->block->records[i].reason = reason;
        }
}

static size_t bytes_of(const struct http_exchange *exchange, const struct http_range *range)
{
    size_t bytes = 0;
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_member(exchange, i))
            bytes += exchange->block->records[i].size;
    return bytes;
}

static size_t count_members(const struct http_exchange *exchange, const struct http_range *range)
{
    size_t members = 0;
    for (size_t i = range->first; i < range->first + range->count; i++)
        members += is_member(exchange, i);
    return members;
}

static bool has_one(const struct http_exchange *exchange, const struct http_range *range)
{
    return count_members(exchange, range) == 1;
}

/* Returns the part of `range` that begins at its member number `from` and has `members` members. */
static struct http_range members_of(const struct http_exchange *exchange,
                                    const struct http_range *range, size_t from, size_t members)
{
    size_t at = range->first;
    while (!is_member(exchange, at) || from-- != 0)
        at++;
    struct http_range found = {.first = at};
    for (; members != 0; at++)
        members -= is_member(exchange, at);
    found.count = at - found.first;
    return found;
}

/*
 * Finds the next consecutive records of the current group without an outcome, from *at to `end`.
 * Moves *at past them.
 */
static bool find_run(const struct http_exchange *exchange, size_t *at, size_t end,
                     struct http_range *run)
{
    while (*at < end && !(is_member(exchange, *at) && is_open(exchange, *at)))
        (*at)++;
    *run = (struct http_range){.first = *at};
    for (; *at < end && (is_open(exchange, *at) || !is_member(exchange, *at)); (*at)++)
        if (is_member(exchange, *at))
            run->count = *at + 1 - run->first;
    return run->count != 0;
}

static bool next_range(struct http_exchange *exchange)
{
    while (!find_run(exchange, &exchange->at, exchange->block->count, &exchange->range)) {
        RULE(exchange->group < exchange->group_count, "the group in hand is one of the block's");
        if (exchange->group + 1 == exchange->group_count)
            return false;
        exchange->group++;
        exchange->at = 0;
    }
    return true;
}

/* --- dividing --------------------------------------------------------------------------------- */

static void put_waiting(struct http_exchange *exchange, const struct http_range *range,
                        bool divided)
{
    RULE(exchange->waiting_count < HTTP_HALVES_MOST, "each range that waits is half of another");
    exchange->waiting[exchange->waiting_count++] = (struct http_part){*range, divided};
}

static bool is_hopeless(const struct http_exchange *exchange)
{
    return exchange->groups[exchange->group].hopeless;
}

/* Returns true if the server will probably refuse the range as too large (http_lessons.h). */
static bool is_too_large(const struct http_exchange *exchange, const struct http_range *range)
{
    size_t most = exchange->lessons == NULL ? 0 : exchange->lessons->most_bytes;
    return most != 0 && !is_hopeless(exchange) && bytes_of(exchange, range) > most;
}

/*
 * Makes the part the current range. If it must be divided, its first piece becomes the current
 * range, and the other pieces wait.
 */
static void take_up(struct http_exchange *exchange, struct http_part part)
{
    size_t members = count_members(exchange, &part.range);
    while (members > 1 && (part.divided || is_too_large(exchange, &part.range))) {
        size_t half = members / 2;
        const struct http_range first = members_of(exchange, &part.range, 0, half);
        const struct http_range second = members_of(exchange, &part.range, half, members - half);
        put_waiting(exchange, &second, false);
        part = (struct http_part){.range = first};
        members = half;
    }
    exchange->range = part.range;
}

bool http_exchange_next(struct http_exchange *exchange)
{
    if (exchange->over)
        return false;
    if (exchange->requests == HTTP_REQUESTS_MOST) {
        http_exchange_cancel(exchange,
                             "too many of its records are refused to try all of them now");
        return false;
    }
    if (exchange->probes != 0)
        exchange->range = (struct http_range){exchange->probe[exchange->probes - 1], 1};
    else if (exchange->waiting_count != 0)
        take_up(exchange, exchange->waiting[--exchange->waiting_count]);
    else if (next_range(exchange))
        take_up(exchange, (struct http_part){.range = exchange->range});
    else
        return false;
    exchange->requests++;
    return true;
}

/* --- refusals --------------------------------------------------------------------------------- */

/*
 * `parts`: the server may accept some of the records in other requests. `some`: the server may
 * already have stored some of them.
 */
struct refusal {
    uint8_t reason;
    bool parts, some;
};

/*
 * Sets the record's outcome to refused. `stored` means that an earlier request may have stored the
 * record. A record with several lines may also have been stored in part by this request.
 */
static void refuse_record(struct http_exchange *exchange, size_t index,
                          const struct refusal *refusal, bool stored)
{
    struct delivery_record *record = &exchange->block->records[index];
    RULE(record->outcome == NO_OUTCOME, "each record is refused once");
    bool in_part = stored || (refusal->some && record->lines > 1);
    record->outcome = in_part ? DELIVERY_PARTLY_ACCEPTED : DELIVERY_REFUSED;
    record->reason = refusal->reason;
}

/*
 * Refuses records that are not sent individually. Those that were in an earlier, partly accepted
 * request may have been stored.
 */
static void refuse_members(struct http_exchange *exchange, const struct http_range *range,
                           const struct refusal *refusal)
{
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_member(exchange, i) && is_open(exchange, i))
            refuse_record(exchange, i, refusal, exchange->block->records[i].repeated);
}

/*
 * Refuses a record that was sent by itself. If it had been stored by an earlier request, the server
 * would not refuse it now.
 */
static void refuse_single(struct http_exchange *exchange, const struct refusal *refusal)
{
    struct http_lessons *lessons = exchange->lessons;
    refuse_record(exchange, exchange->range.first, refusal, false);
    if (lessons == NULL)
        return;
    lessons->in_a_row += lessons->in_a_row != UINT32_MAX;
    if (refusal->reason == DELIVERY_REJECTED)
        http_lessons_refused(lessons, exchange->block,
                             &exchange->block->records[exchange->range.first]);
}

/*
 * Returns a record of the range to send as the only one of a request: the newest or the oldest
 * record, but not record `but`. Prefers a record of a series that was not refused so far.
 */
static size_t find_probe(const struct http_exchange *exchange, bool newest, size_t but)
{
    const struct delivery_block *block = exchange->block;
    const struct http_range *range = &exchange->range;
    size_t found = but;
    bool found_unknown = false;
    for (size_t i = 0; i < range->count; i++) {
        size_t index = range->first + (newest ? range->count - 1 - i : i);
        if (!is_member(exchange, index) || index == but)
            continue;
        bool unknown = !http_lessons_knows_series(exchange->lessons, block, &block->records[index]);
        if (found == but || (unknown && !found_unknown)) {
            found = index;
            found_unknown = unknown;
        }
    }
    return found;
}

static void begin_probes(struct http_exchange *exchange)
{
    exchange->probed = exchange->range;
    exchange->probe[1] = find_probe(exchange, true, SIZE_MAX);
    exchange->probe[0] = find_probe(exchange, false, exchange->probe[1]);
    RULE(exchange->probe[0] < exchange->block->count &&
             exchange->probe[1] < exchange->block->count &&
             exchange->probe[0] != exchange->probe[1],
         "two different records of a group are tried by themselves");
    exchange->probes = 2;
}

static void refuse_probe(struct http_exchange *exchange, const struct refusal *refusal)
{
    refuse_single(exchange, refusal);
    if (--exchange->probes == 0)
        refuse_members(exchange, &exchange->probed, refusal);
}

/*
 * To be called when a probed record was accepted: its group is divided like any other from now on.
 */
static void divide_probed(struct http_exchange *exchange)
{
    size_t at = exchange->probed.first, end = at + exchange->probed.count;
    struct http_range run;
    RULE(exchange->groups[exchange->group].hopeless, "only hopeless groups are probed");
    exchange->groups[exchange->group].hopeless = false;
    exchange->probes = 0;
    while (find_run(exchange, &at, end, &run))
        put_waiting(exchange, &run, true);
}

/* Marks the current records, which are sent again although the server may have stored some. */
static void note_repeated(struct http_exchange *exchange)
{
    const struct http_range *range = &exchange->range;
    for (size_t i = range->first; i < range->first + range->count; i++)
        if (is_member(exchange, i))
            exchange->block->records[i].repeated = true;
}

static void exchange_refuse(struct http_exchange *exchange, const struct refusal *refusal)
{
    const struct http_range *range = &exchange->range;
    if (!refusal->parts && exchange->probes == 0) {
        refuse_members(exchange, range, refusal);
        return;
    }
    size_t members = count_members(exchange, range);
    if (refusal->some && members > 1)
        note_repeated(exchange);
    if (exchange->probes != 0) {
        refuse_probe(exchange, refusal);
    } else if (members == 1) {
        refuse_single(exchange, refusal);
    } else if (is_hopeless(exchange) && members > DIVIDED_ALL_THE_SAME) {
        begin_probes(exchange);
    } else {
        if (refusal->reason == DELIVERY_TOO_LARGE && exchange->lessons != NULL)
            http_lessons_too_large(exchange->lessons, bytes_of(exchange, range));
        put_waiting(exchange, range, true);
    }
}

static void exchange_accept(struct http_exchange *exchange)
{
    set_outcome(exchange, &exchange->range, DELIVERY_ACKNOWLEDGED, 0);
    exchange->taken = true;
    if (exchange->lessons != NULL)
        exchange->lessons->in_a_row = 0;
    if (exchange->probes != 0)
        divide_probed(exchange);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void exchange_note_error(struct http_exchange *exchange, const char *why,
                                int64_t retry_after_ns)
{
    error_set(&exchange->error, EXIT_CODE_IO, "%s", why);
    if (retry_after_ns > exchange->retry_after_ns)
        exchange->retry_after_ns = retry_after_ns;
}

void http_exchange_cancel(struct http_exchange *exchange, const char *why)
{
    const struct delivery_block *block = exchange->block;
    bool any = false;
    exchange->over = true;
    for (size_t i = 0; i < block->count; i++)
        if (block->records[i].outcome == NO_OUTCOME) {
            block->records[i].outcome = DELIVERY_NOT_SENT;
            any = any || !block->records[i].done;
        }
    if (any && exchange->error.text[0] == '\0')
        exchange_note_error(exchange, why, 0);
}

/*
 * Returns true if an answer that may be temporary counts as a refusal: if the server says that it
 * is permanent, if the server accepted other records of the block but not this isolated group, or
 * after too many tries. With 0 `tries`, it never counts as a refusal.
 */
static bool is_refused_now(struct http_exchange *exchange, const struct http_reply *reply,
                           unsigned tries)
{
    bool known = reply->never || (exchange->group != 0 && exchange->taken);
    return tries != 0 && (known || exchange->block->tries++ >= tries);
}

/*
 * Returns the meaning of a reply. If the server says that it accepted some of the records, the
 * range is divided to find the refused ones, but only if records may be sent twice.
 */
static struct http_meaning meaning_of(struct http_exchange *exchange,
                                      const struct http_reply *reply)
{
    struct http_meaning means = http_meaning_of(exchange->format, reply->status, reply->sent);
    if (is_refused_now(exchange, reply, means.tries))
        means.outcome = DELIVERY_REFUSED;
    if (!reply->partly)
        return means;
    means.some = true;
    if (means.outcome == DELIVERY_NOT_SENT)
        means.outcome = DELIVERY_UNKNOWN;
    else if (means.outcome == DELIVERY_REFUSED && !has_one(exchange, &exchange->range) &&
             !(means.parts && exchange->repeats))
        means.outcome = DELIVERY_PARTLY_ACCEPTED;
    return means;
}

void http_exchange_answer(struct http_exchange *exchange, const struct http_reply *reply)
{
    RULE(!exchange->over && exchange->range.count != 0, "an answer is for the request in hand");
    const struct http_meaning means = meaning_of(exchange, reply);
    bool refused = means.outcome == DELIVERY_REFUSED || means.outcome == DELIVERY_PARTLY_ACCEPTED;
    /* Refused records are not sent again, so Retry-After is ignored. */
    if (means.outcome != DELIVERY_ACKNOWLEDGED)
        exchange_note_error(exchange, reply->text, refused ? 0 : reply->retry_after_ns);
    if (means.outcome == DELIVERY_ACKNOWLEDGED) {
        exchange_accept(exchange);
    } else if (means.outcome == DELIVERY_REFUSED) {
        const struct refusal refusal = {(uint8_t)means.reason, means.parts, means.some};
        exchange_refuse(exchange, &refusal);
    } else {
        set_outcome(exchange, &exchange->range, (uint8_t)means.outcome, 0);
        if (!refused)
            http_exchange_cancel(exchange, reply->text);
    }
}

void http_exchange_reject(struct http_exchange *exchange, enum delivery_reason reason,
                          const char *why)
{
    const struct refusal refusal = {(uint8_t)reason, reason == DELIVERY_TOO_LARGE, false};
    exchange_note_error(exchange, why, 0);
    exchange_refuse(exchange, &refusal);
}

void http_exchange_end(struct http_exchange *exchange)
{
    const struct delivery_block *block = exchange->block;
    if (exchange->lessons == NULL)
        return;
    for (size_t i = 0; i < block->count; i++)
        if (!block->records[i].done && block->records[i].outcome == DELIVERY_ACKNOWLEDGED)
            http_lessons_taken(exchange->lessons, block, &block->records[i]);
}
