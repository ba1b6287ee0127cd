/*
 * Which message an answer is for: the end of the subject that the answer is sent to, after the
 * connection's inbox.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_TOKEN_H
#define SLUICE_SINKS_DESTINATIONS_NATS_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

/* One message. Never that of another flight of the same place, nor that of its own first half. */
struct nats_token {
    uint32_t flight, record, count; /* the first record of the message, and how many it has */
    uint64_t order;
};

/* Of its text with the NUL: four numbers, each after a dot. */
#define NATS_TOKEN_SIZE 55

/* ".FLIGHT.RECORD.COUNT.ORDER" */
void nats_token_format(const struct nats_token *token, char text[NATS_TOKEN_SIZE]);

/*
 * Reads what nats_token_format wrote. Returns false for any other text, which the server made: a
 * number that is too large, a sign, a blank, anything after the last number.
 */
bool nats_token_parse(const char *text, struct nats_token *token);

#endif
