/*
 * The handshakes of a DTLS server: from a hello with a valid cookie until the client has a session,
 * or has failed. Internal to the DTLS server.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_HANDSHAKE_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_HANDSHAKE_H

#include "collector/receive/dtls_server.h"

/* Main thread. Registers the functions that OpenSSL calls during handshakes. */
void dtls_handshake_prepare(const struct dtls_settings *settings);

/*
 * Begins a handshake if the hello has a valid cookie, otherwise answers it with a cookie. `peer` is
 * the client's entry in the table, or NULL.
 */
enum dtls_outcome dtls_handshake_hello(struct dtls_server *server, struct dtls_peer *peer,
                                       const struct dtls_input *input,
                                       const struct dtls_hello *hello);

/*
 * Passes a record to the client's handshake, which may complete or fail. The client may then be
 * gone from the table.
 */
void dtls_handshake_advance(struct dtls_server *server, struct dtls_peer *peer,
                            const struct dtls_input *input);

/*
 * Ends an incomplete handshake, and logs the reason unless it is NULL. The client may then be gone
 * from the table.
 */
void dtls_handshake_end(struct dtls_server *server, struct dtls_peer *peer, const char *why);

/*
 * Repeats messages that clients have not answered, and ends handshakes that take longer than
 * DTLS_HANDSHAKE_NS.
 */
void dtls_handshakes_expire(struct dtls_server *server, int64_t now_ns);

#endif
