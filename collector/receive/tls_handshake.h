/*
 * What the handshake of a TLS connection may take, before anything is known of the other side.
 *
 * OpenSSL's memory for a connection follows from what the client says: from its hello, which has
 * limits (tls_hello.h), and from certificates. Each connection is sure of CONNECTION bytes. What a
 * handshake takes besides OPEN bytes is counted against what all connections of the listener are
 * sure of; where too many take much at a time, one more that does fails. So all connections of a
 * listener together never take more than CONNECTION bytes for each that there may be.
 *
 * A budget is the listener's, and each of its handshakes'. Any thread; a handshake is one thread's
 * at a time.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_HANDSHAKE_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/tls_hello.h"

/*
 * Bytes, more than was measured (OpenSSL 3.0): a connection that is open takes 12 to 23 KiB, 31
 * while a record has not come in whole.
 */
#define TLS_CONNECTION_MEMORY ((size_t)64 * 1024)
#define TLS_OPEN_MEMORY       ((size_t)44 * 1024)

/* Bytes of a handshake, with the heads of its records: two hellos and certificates take 33 KiB. */
#define TLS_HANDSHAKE_MOST ((size_t)64 * 1024)

struct tls_budget;

/* `connections`: how many may be open at a time. Returns NULL where memory is short. */
struct tls_budget *tls_budget_create(size_t connections);

/* Of the listener; it is there until the last of its handshakes has ended. NULL is allowed. */
void tls_budget_leave(struct tls_budget *budget);

struct tls_handshake {
    struct tls_hello hello;
    size_t taken;              /* bytes that have come */
    struct tls_budget *budget; /* NULL: it has ended */
    size_t certificates;
    size_t reserved;
};

/* Zeroed memory; `certificates` are the bytes that those of both sides may have. */
void tls_handshake_begin(struct tls_handshake *handshake, struct tls_budget *budget,
                         size_t certificates);

/*
 * The next bytes that came; `is_old`: TLS 1.2 is agreed on. Returns NULL where OpenSSL may have
 * them; else what the client wants too much of, for people.
 */
const char *tls_handshake_read(struct tls_handshake *handshake, const uint8_t *bytes, size_t size,
                               bool is_old);

/* It is over, or its connection is; once or several times. */
void tls_handshake_end(struct tls_handshake *handshake);

#endif
