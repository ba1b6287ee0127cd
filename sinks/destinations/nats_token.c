#include "sinks/destinations/nats_token.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/text/digit.h"

void nats_token_format(const struct nats_token *token, char text[NATS_TOKEN_SIZE])
{
    snprintf(text, NATS_TOKEN_SIZE, ".%" PRIu32 ".%" PRIu32 ".%" PRIu32 ".%" PRIu64, token->flight,
             token->record, token->count, token->order);
}

/* Reads a dot and a number ≤ `most`. Returns NULL if that is not possible. */
static const char *token_read_number(const char *at, uint64_t most, uint64_t *value)
{
    if (at == NULL || *at++ != '.' || !is_digit(*at))
        return NULL;
    for (*value = 0; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*value > (most - digit) / 10)
            return NULL;
        *value = *value * 10 + digit;
    }
    return at;
}

bool nats_token_parse(const char *text, struct nats_token *token)
{
    uint64_t flight = 0, record = 0, count = 0, order = 0;
    const char *at = token_read_number(text, UINT32_MAX, &flight);
    at = token_read_number(at, UINT32_MAX, &record);
    at = token_read_number(at, UINT32_MAX, &count);
    at = token_read_number(at, UINT64_MAX, &order);
    if (at == NULL || *at != '\0')
        return false;
    *token = (struct nats_token){(uint32_t)flight, (uint32_t)record, (uint32_t)count, order};
    return true;
}
