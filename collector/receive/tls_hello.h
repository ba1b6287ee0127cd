/*
 * What a client says in its hello about sizes, read before OpenSSL reads it.
 *
 * OpenSSL makes room for a message when its first four bytes have come, for a ClientHello of up to
 * 175 KiB, and keeps eight bytes for each two of its list of cipher suites. So both are limited
 * here: longer ones do not reach it. A reader sees all bytes of a connection until its handshake is
 * over, in whatever pieces; a second hello, after a HelloRetryRequest (RFC 8446, 4.1.4), has the
 * same limits. Whatever else is wrong is OpenSSL's to say.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_HELLO_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes of a ClientHello. The largest shares of keys that are in use (ML-KEM) take 3 KiB, a ticket
 * that has a client's certificate in it 2.
 */
#define TLS_HELLO_MOST ((size_t)8 * 1024)

/* Bytes of its cipher suites: 512 of them, of some 350 that there are. */
#define TLS_HELLO_SUITES_MOST ((size_t)1024)

/* Of a connection; zeroed at first. */
struct tls_hello {
    uint8_t record[5]; /* the head of the record that comes */
    size_t record_at;  /* bytes of it */
    size_t record_left;
    uint8_t head[4]; /* of the message that comes */
    size_t head_at;
    size_t message_at; /* bytes of its body that have come */
    size_t message_size;
    size_t longest;   /* bytes of a hello, as it claims, so far */
    size_t suites_at; /* where in the body the length of its cipher suites is; 0: not known yet */
    size_t suites;    /* that length */
    bool is_over; /* no hello can come any more */
};

/* The next bytes. Returns whether OpenSSL may have them. `is_old`: TLS 1.2 is agreed on. */
bool tls_hello_read(struct tls_hello *hello, const uint8_t *bytes, size_t size, bool is_old);

#endif
