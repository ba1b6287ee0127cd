/*
 * Opens the datagrams of a DTLS listener. A datagram is split into its records, and each record is
 * handled as if it had arrived in its own datagram. The decrypted contents of a session's record
 * are handled like a plain datagram, with the name that the client has proved as its sender. All
 * other records are counted with a reason.
 *
 * Except for OpenSSL's memory, memory is allocated only at creation. The thread of the ingest calls
 * these functions.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DECRYPTING_H
#define SLUICE_COLLECTOR_RECEIVE_DECRYPTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/open_datagram.h"

struct udp_socket;

/* Allocates the ingest's memory if its listener is DTLS. Returns false if out of memory. */
bool decrypting_create(struct ingest *ingest);
/* NULL is allowed. */
void decrypting_destroy(struct decrypting *decrypting);

/*
 * Returns the bytes that the ingest of a DTLS listener allocates for this number of sessions,
 * including OpenSSL's.
 */
size_t decrypting_memory(size_t sessions);

/* Sets the socket that sends answers until decrypting_finish. */
void decrypting_use_socket(struct ingest *ingest, struct udp_socket *socket);

/* Notifies all clients that their sessions end. Call this before the socket is closed. */
void decrypting_finish(struct ingest *ingest);

/* Begins with a datagram. It must stay valid until decrypting_next has returned its last record. */
void decrypting_split(struct decrypting *decrypting, const struct datagram_slot *datagram);

/*
 * Returns the datagram's next record, or NULL. The record is valid until the next call. Bytes that
 * are not a record are also returned; decrypt_datagram refuses them.
 */
const struct datagram_slot *decrypting_next(struct decrypting *decrypting);

/*
 * Handles a record. If it has contents for a schema, sets open->slot to the contents, which are
 * valid until the next call for this ingest, and open->sender to the client's name. Otherwise
 * returns false with *refusal, and leaves *open unchanged.
 */
bool decrypt_datagram(struct open_datagram *open, struct refusal *refusal);

/* Like `expire` of struct dtls_functions. Returns INT64_MAX if the listener is not DTLS. */
int64_t decrypting_expire(struct ingest *ingest, int64_t now_ns);

#endif
