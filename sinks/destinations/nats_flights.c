#include "sinks/destinations/nats_flights.h"

#include <string.h>

/* Whether the record of that place is a message of its own that is to be sent. */
static bool is_pending(const struct nats_flights *flights, const struct delivery_block *block,
                       size_t record)
{
    return flights->per_block ? record == 0 : !block->records[record].done;
}

static uint8_t *fate_of(const struct nats_flights *flights, struct delivery_block *block,
                        size_t record)
{
    return flights->per_block ? &block->fate : &block->records[record].fate;
}

static void set_reason(const struct nats_flights *flights, struct delivery_block *block,
                       size_t record, enum delivery_reason reason)
{
    if (flights->per_block)
        block->reason = (uint8_t)reason;
    else
        block->records[record].reason = (uint8_t)reason;
}

bool nats_flights_put(struct nats_flights *flights, struct delivery_block *block, int64_t now_ns)
{
    struct nats_flight *flight = flights->all;
    while (flight < flights->all + NATS_FLIGHTS && flight->block != NULL)
        flight++;
    if (flight == flights->all + NATS_FLIGHTS)
        return false;
    *flight = (struct nats_flight){
        .block = block,
        .turn = ++flights->turns,
        .until_ns = now_ns + flights->unsent_ns,
    };
    block->per_record = !flights->per_block;
    for (size_t i = 0; i < block->count; i++) {
        if (!is_pending(flights, block, i))
            continue;
        *fate_of(flights, block, i) = DELIVERY_NOT_SENT;
        flight->count++;
    }
    return true;
}

static bool has_unpublished(const struct nats_flight *flight)
{
    return flight->block != NULL && !flight->done && flight->published < flight->count;
}

bool nats_flights_next(struct nats_flights *flights, struct nats_token *token, int64_t now_ns)
{
    struct nats_flight *next = NULL;
    for (struct nats_flight *flight = flights->all; flight < flights->all + NATS_FLIGHTS; flight++)
        if (has_unpublished(flight) && (next == NULL || flight->turn < next->turn))
            next = flight;
    if (next == NULL)
        return false;
    while (!is_pending(flights, next->block, next->at))
        next->at++;
    *token = (struct nats_token){(uint32_t)(next - flights->all), (uint32_t)next->at, next->turn};
    *fate_of(flights, next->block, next->at) = DELIVERY_UNKNOWN;
    next->at++;
    if (next->published++ == 0)
        next->begun_ns = now_ns;
    flights->unanswered++;
    next->until_ns = now_ns + flights->unanswered_ns;
    return true;
}

static struct nats_flight *flight_of(struct nats_flights *flights, const struct nats_token *token)
{
    if (token->flight >= NATS_FLIGHTS)
        return NULL;
    struct nats_flight *flight = &flights->all[token->flight];
    bool is_its = flight->block != NULL && !flight->done && flight->turn == token->turn &&
                  token->record < flight->at;
    return is_its ? flight : NULL;
}

struct delivery_block *nats_flights_block(const struct nats_flights *flights,
                                          const struct nats_token *token)
{
    const struct nats_flight *flight = flight_of((struct nats_flights *)(uintptr_t)flights, token);
    return flight == NULL ? NULL : flight->block;
}

bool nats_flights_answer(struct nats_flights *flights, const struct nats_token *token,
                         enum delivery_fate fate, enum delivery_reason reason, const char *why)
{
    struct nats_flight *flight = flight_of(flights, token);
    if (flight == NULL)
        return false;
    uint8_t *known = fate_of(flights, flight->block, token->record);
    if (*known != DELIVERY_UNKNOWN || fate == DELIVERY_UNKNOWN)
        return false;
    *known = (uint8_t)fate;
    set_reason(flights, flight->block, token->record, reason);
    if (why != NULL && flight->error.text[0] == '\0')
        error_set(&flight->error, EXIT_CODE_IO, "%s", why);
    flights->unanswered--;
    flight->done = ++flight->answered == flight->count;
    return flight->done;
}

bool nats_flights_deny(struct nats_flights *flights, const char *subject, const char *why)
{
    bool any = false;
    for (uint32_t i = 0; i < NATS_FLIGHTS; i++) {
        const struct nats_flight *flight = &flights->all[i];
        if (flight->block == NULL || flight->done || strcmp(flight->block->route, subject) != 0)
            continue;
        size_t end = flight->at;
        for (uint32_t record = 0; record < end; record++) {
            const struct nats_token token = {i, record, flight->turn};
            if (is_pending(flights, flight->block, record) &&
                nats_flights_answer(flights, &token, DELIVERY_REFUSED, DELIVERY_DENIED, why))
                any = true;
        }
    }
    return any;
}

void nats_flights_expire(struct nats_flights *flights, int64_t now_ns)
{
    for (struct nats_flight *flight = flights->all; flight < flights->all + NATS_FLIGHTS;
         flight++) {
        if (flight->block == NULL || flight->done || flight->until_ns > now_ns)
            continue;
        flight->done = true;
        flights->unanswered -= flight->published - flight->answered;
        if (flight->error.text[0] == '\0')
            error_set(&flight->error, EXIT_CODE_IO,
                      flight->published == 0 ? "there is no connection" : "no answer came in time");
    }
}

int64_t nats_flights_due(const struct nats_flights *flights)
{
    int64_t due = INT64_MAX;
    for (size_t i = 0; i < NATS_FLIGHTS; i++) {
        const struct nats_flight *flight = &flights->all[i];
        if (flight->block != NULL && !flight->done && flight->until_ns < due)
            due = flight->until_ns;
    }
    return due;
}

struct delivery_block *nats_flights_take(struct nats_flights *flights, struct error *error)
{
    struct nats_flight *oldest = NULL;
    for (struct nats_flight *flight = flights->all; flight < flights->all + NATS_FLIGHTS; flight++)
        if (flight->done && (oldest == NULL || flight->turn < oldest->turn))
            oldest = flight;
    if (oldest == NULL)
        return NULL;
    struct delivery_block *block = oldest->block;
    if (error != NULL)
        *error = oldest->error;
    flights->last_begun_ns = oldest->answered == oldest->count ? oldest->begun_ns : 0;
    *oldest = (struct nats_flight){.block = NULL};
    return block;
}
