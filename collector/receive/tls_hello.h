/*
 * Checks the sizes in a client's hello before OpenSSL reads it.
 *
 * OpenSSL allocates memory for a message once its first four bytes have arrived: up to 175 KiB for
 * a ClientHello, and eight bytes for each two bytes of the list of cipher suites. Both sizes are
 * therefore limited here: a longer hello or list does not reach OpenSSL. This code sees all bytes
 * of a connection until the handshake is over, in pieces of any size. A second hello, after a
 * HelloRetryRequest (RFC 8446, 4.1.4), has the same limits. OpenSSL makes all other checks.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_HELLO_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The upper limit of a ClientHello in bytes. The largest key shares in use (ML-KEM) take 3 KiB; a
 * ticket with a client's certificate takes 2 KiB.
 */
#define TLS_HELLO_MOST ((size_t)8 * 1024)

/* The upper limit of the list of cipher suites in bytes: 512 suites. About 350 exist. */
#define TLS_HELLO_SUITES_MOST ((size_t)1024)

/* The state of one connection. Zero at first. */
struct tls_hello {
    uint8_t record[5]; /* header of the present record */
    size_t record_at;  /* number of bytes in `record` */
    size_t record_left;
    uint8_t head[4]; /* header of the present message */
    size_t head_at;
    size_t message_at; /* number of bytes of the message's body that were read */
    size_t message_size;
    size_t longest;   /* bytes of the largest hello so far */
    size_t suites_at; /* offset in the hello's body of the suites' length; 0 if not known yet */
    size_t suites;    /* bytes of the suites */
    bool is_followed; /* a message after the hellos, or an encrypted record, has begun */
    bool is_over;     /* no more hellos can arrive */
};

/*
 * Checks the next bytes. `is_old` is true if TLS 1.2 was negotiated. Returns true if OpenSSL may
 * have the bytes.
 */
bool tls_hello_read(struct tls_hello *hello, const uint8_t *bytes, size_t size, bool is_old);

#endif
