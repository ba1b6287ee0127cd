/*
 * Reads the unencrypted parts of DTLS (RFC 6347, 4.1 and 4.2.2): the headers of records and of
 * handshake messages, and the ClientHello with which a client begins. Writes the HelloVerifyRequest
 * that answers it.
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

/* The upper limit of a record's body in bytes (RFC 6347, 4.1.1; RFC 5246, 6.2.3). */
#define DTLS_BODY_MOST ((1 << 14) + 2048)

enum dtls_type {
    DTLS_CHANGE_CIPHER_SPEC = 20,
    DTLS_ALERT = 21,
    DTLS_HANDSHAKE = 22,
    DTLS_APPLICATION_DATA = 23,
};

struct dtls_record {
    enum dtls_type type;
    uint16_t epoch;    /* 0 if not encrypted */
    uint64_t sequence; /* 48 bits */
    const uint8_t *header;
    const uint8_t *body; /* follows the header */
    size_t size;         /* bytes of `body` */
};

/*
 * Reads the record at the beginning of `bytes`; more records may follow it. Returns false if there
 * is no complete record of DTLS 1.0 or 1.2.
 */
bool dtls_record_read(const uint8_t *bytes, size_t size, struct dtls_record *record);

/* Returns the bytes of the record, including its header. */
static inline size_t dtls_record_size(const struct dtls_record *record)
{
    return DTLS_RECORD_HEADER + record->size;
}

/*
 * Returns true if the messages in a client's unencrypted handshake record are within limits. The
 * limits are necessary because OpenSSL allocates the size that a message's header announces, and
 * memory for messages that arrive too early.
 *
 * `certificates` is the upper limit in bytes of a message with the client's certificates, or 0 if
 * the server requests none.
 */
bool dtls_messages_are_small(const struct dtls_record *record, size_t certificates);

/* Upper limits in bytes of a session's id and of a cookie. */
#define DTLS_ID_MOST     32
#define DTLS_COOKIE_MOST 255

/* A ClientHello that is not fragmented. The pointers are into the record. */
struct dtls_hello {
    uint16_t message; /* number of the message in the handshake: 0, or 1 with a cookie */
    const uint8_t *version;
    const uint8_t *random; /* DTLS_RANDOM_SIZE bytes */
    const uint8_t *id;     /* id_size bytes */
    size_t id_size;
    const uint8_t *cookie;
    size_t cookie_size;
};

#define DTLS_RANDOM_SIZE 32

/*
 * Reads a ClientHello. Returns false if the record has none or only a fragment of one: assembling
 * fragments would need memory for a client that has proved nothing.
 */
bool dtls_hello_read(const struct dtls_record *record, struct dtls_hello *hello);

/* Bytes of a cookie and of a HelloVerifyRequest, which is smaller than any ClientHello. */
#define DTLS_COOKIE_SIZE         16
#define DTLS_VERIFY_REQUEST_SIZE (DTLS_RECORD_HEADER + DTLS_MESSAGE_HEADER + 3 + DTLS_COOKIE_SIZE)

/* Writes a HelloVerifyRequest that answers the record of a ClientHello. */
void dtls_verify_request_write(const struct dtls_record *record,
                               const uint8_t cookie[DTLS_COOKIE_SIZE],
                               uint8_t out[DTLS_VERIFY_REQUEST_SIZE]);

#endif
