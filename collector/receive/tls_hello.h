/*
 * Checks the sizes in a client's hello before OpenSSL reads it.
 *
 * OpenSSL allocates memory for a message once its first four bytes have arrived: up to 175 KiB for
 * a ClientHello, and eight bytes for each two bytes of the list of cipher suites. So both sizes are
 * limited here: a longer hello or list does not reach OpenSSL. The reader sees all bytes of a
 * connection until the handshake is over, in pieces of any size. A second hello, after a
 * HelloRetryRequest (RFC 8446, 4.1.4), has the same limits. All other checks are left to OpenSSL.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_HELLO_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The most bytes of a ClientHello. The largest key shares in use (ML-KEM) take 3 KiB; a ticket with
 * a client's certificate takes 2 KiB.
 */
#define TLS_HELLO_MOST ((size_t)8 * 1024)

/* The most bytes of the list of cipher suites: room for 512 suites; about 350 exist. */
#define TLS_HELLO_SUITES_MOST ((size_t)1024)

/* The state for one connection. All zero at first. */
struct tls_hello {
    uint8_t record[5]; /* the header of the present record */
    size_t record_at;  /* how many bytes of `record` are filled */
    size_t record_left;
    uint8_t head[4]; /* the header of the present message */
    size_t head_at;
    size_t message_at; /* how many bytes of the message's body were read */
    size_t message_size;
    size_t longest;   /* the size of the largest hello so far */
    size_t suites_at; /* the offset in the hello's body of the suites' length; 0: not known yet */
    size_t suites;    /* the suites' length, in bytes */
    bool is_followed; /* a message after the hellos has begun, or an encrypted record */
    bool is_over;     /* no further hello can arrive */
};

/*
 * Checks the next bytes. `is_old`: TLS 1.2 was negotiated. Returns whether the bytes may be passed
 * to OpenSSL.
 */
bool tls_hello_read(struct tls_hello *hello, const uint8_t *bytes, size_t size, bool is_old);

#endif
