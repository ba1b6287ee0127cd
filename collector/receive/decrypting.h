/*
 * Opens the datagrams of a DTLS listener before any other code reads them. A datagram is split into
 * its records, and each record is handled as if it had arrived by itself. The contents of a
 * session's record are handled like a datagram that was not encrypted; its sender is the name that
 * the client has proved. All other records are counted with a reason.
 *
 * Apart from OpenSSL's memory, memory is allocated only at creation. The thread of the ingest calls
 * these functions.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DECRYPTING_H
#define SLUICE_COLLECTOR_RECEIVE_DECRYPTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/receive/open_datagram.h"

struct udp_socket;

/* Makes the ingest's memory if its listener is DTLS. Returns false if out of memory. */
bool decrypting_create(struct ingest *ingest);
/* NULL is allowed. */
void decrypting_destroy(struct decrypting *decrypting);

/*
 * Bytes that the ingest of a DTLS listener, and OpenSSL for it, allocates for this number of
 * sessions.
 */
size_t decrypting_memory(size_t sessions);

/* Sets the socket by which answers are sent until decrypting_finish. */
void decrypting_use_socket(struct ingest *ingest, struct udp_socket *socket);

/* Tells all clients that their sessions end, before the socket is closed. */
void decrypting_finish(struct ingest *ingest);

/* Begins with a datagram, which must stay valid until decrypting_next has returned its last record.
 */
void decrypting_split(struct decrypting *decrypting, const struct datagram_slot *datagram);

/*
 * Returns the datagram's next record, valid until the next call, or NULL. Bytes that are not a
 * record are returned as they are, to be refused.
 */
const struct datagram_slot *decrypting_next(struct decrypting *decrypting);

/*
 * Handles a record: open->slot becomes its contents, valid until the next call for this ingest, and
 * open->sender the client's name. Returns false with *refusal, and *open unchanged, if the record
 * has no contents for a schema.
 */
bool decrypt_datagram(struct open_datagram *open, struct refusal *refusal);

/* As expire of struct dtls_functions; INT64_MAX if the listener is not DTLS. */
int64_t decrypting_expire(struct ingest *ingest, int64_t now_ns);

#endif
