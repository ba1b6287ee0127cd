/*
 * Writes and reads the token of a message: the end of its reply subject, which names the message in
 * an answer.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_TOKEN_H
#define SLUICE_SINKS_DESTINATIONS_NATS_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Names a message, so that its answer can be recognised. `order` distinguishes flights that use the
 * same slot; `count` distinguishes a message from its first half.
 */
struct nats_token {
    uint32_t flight, record, count; /* slot of the flight; first record and number of records */
    uint64_t order;
};

/* The size of a token as text in bytes, with its NUL: four numbers, each after a dot. */
#define NATS_TOKEN_SIZE 55

/* Writes ".FLIGHT.RECORD.COUNT.ORDER". */
void nats_token_format(const struct nats_token *token, char text[NATS_TOKEN_SIZE]);

/*
 * Reads a text of nats_token_format. Returns false for any other text, which a server may send: for
 * example a number that is too large, a sign, a blank, or bytes after the last number.
 */
bool nats_token_parse(const char *text, struct nats_token *token);

#endif
