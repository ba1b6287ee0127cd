/*
 * Reads the parts of DTLS that are not encrypted (RFC 6347, 4.1 and 4.2.2): the headers of records
 * and of handshake messages, and the ClientHello with which a client begins. Writes the
 * HelloVerifyRequest that answers it.
 *
 * All bytes are from an unknown sender. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_RECORD_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DTLS_RECORD_HEADER  13
#define DTLS_MESSAGE_HEADER 12

/* The most bytes of a record's body (RFC 6347, 4.1.1; RFC 5246, 6.2.3). */
#define DTLS_BODY_MOST ((1 << 14) + 2048)

enum dtls_type {
    DTLS_CHANGE_CIPHER_SPEC = 20,
    DTLS_ALERT = 21,
    DTLS_HANDSHAKE = 22,
    DTLS_APPLICATION_DATA = 23,
};

struct dtls_record {
    enum dtls_type type;
    uint16_t epoch;    /* 0: not encrypted */
    uint64_t sequence; /* 48 bits */
    const uint8_t *header;
    const uint8_t *body; /* follows the header */
    size_t size;         /* bytes of the body */
};

/*
 * Reads the record at the beginning of `bytes`; others may follow it. Returns false if no complete
 * record of DTLS 1.0 or 1.2 is there.
 */
bool dtls_record_read(const uint8_t *bytes, size_t size, struct dtls_record *record);

/* Returns the size of the record in bytes, with its header. */
static inline size_t dtls_record_size(const struct dtls_record *record)
{
    return DTLS_RECORD_HEADER + record->size;
}

/*
 * Whether a client's handshake record, which is not encrypted, is within the limits of a handshake.
 * There are limits because the library allocates memory for the size that a message's header names,
 * and for messages that arrive before their turn.
 *
 * `certificates`: the most bytes of a message with the client's certificates; 0: the server
 * requests no certificate.
 */
bool dtls_messages_are_small(const struct dtls_record *record, size_t certificates);

/* The most bytes of a session's id and of a cookie. */
#define DTLS_ID_MOST     32
#define DTLS_COOKIE_MOST 255

/* A ClientHello in one piece. The pointers are into the record. */
struct dtls_hello {
    uint16_t message; /* the message's number in the handshake: 0, or 1 with a cookie */
    const uint8_t *version;
    const uint8_t *random; /* DTLS_RANDOM_SIZE bytes */
    const uint8_t *id;     /* id_size bytes */
    size_t id_size;
    const uint8_t *cookie;
    size_t cookie_size;
};

#define DTLS_RANDOM_SIZE 32

/*
 * Reads a ClientHello. Returns false if the record has none, or has it in fragments: those would
 * need memory for a client that has proved nothing.
 */
bool dtls_hello_read(const struct dtls_record *record, struct dtls_hello *hello);

/* The sizes of a cookie and of a HelloVerifyRequest, which is smaller than any ClientHello. */
#define DTLS_COOKIE_SIZE         16
#define DTLS_VERIFY_REQUEST_SIZE (DTLS_RECORD_HEADER + DTLS_MESSAGE_HEADER + 3 + DTLS_COOKIE_SIZE)

/* Writes a HelloVerifyRequest as the answer to the record of a ClientHello. */
void dtls_verify_request_write(const struct dtls_record *record,
                               const uint8_t cookie[DTLS_COOKIE_SIZE],
                               uint8_t out[DTLS_VERIFY_REQUEST_SIZE]);

#endif
