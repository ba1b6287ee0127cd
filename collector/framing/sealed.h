/*
 * Sealed datagrams: a header of 40 bytes, a payload, and a tag of 16 bytes that only a holder of
 * the sender's key can make (tools/packaging/sealed.md has the format and test vectors).
 *
 * In one mode the payload is readable by everyone, in the other it is encrypted too. The tag covers
 * header and payload in both. Keys, and the datagrams that came before, are in collector/senders/
 * (sender_keys.h, key_sessions.h).
 *
 * The cryptography is libsodium's, which is loaded at run time: call sealed_load before any other
 * function here except those that read and write headers. No function allocates. Pure functions
 * after the load; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_SEALED_H
#define SLUICE_COLLECTOR_FRAMING_SEALED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/decode_failure.h"

#define SEALED_HEADER_SIZE 40
#define SEALED_TAG_SIZE    16
/* By how many bytes a sealed datagram is longer than its payload. */
#define SEALED_OVERHEAD    (SEALED_HEADER_SIZE + SEALED_TAG_SIZE)

#define SEALED_KEY_SIZE 32

enum sealed_mode { SEALED_AUTHENTICATED = 1, SEALED_ENCRYPTED = 2 };

struct sealed_header {
    enum sealed_mode mode;
    uint64_t key_id;  /* not 0 */
    uint64_t session; /* chosen at random when the sender starts */
    uint64_t counter; /* number of the datagram in its session, from 1 */
    int64_t time_ns;  /* when the datagram was sent, since 1970 UTC; not negative */
};

/* --- the header ------------------------------------------------------------------------------- */

/*
 * Reads the header of a datagram of `size` bytes, all of which are given. Returns CAUSE_UNKNOWN on
 * success, with *header filled; CAUSE_SHORT_HEADER for fewer than SEALED_OVERHEAD bytes; otherwise
 * CAUSE_FOREIGN_HEADER. The header may be forged: trust it only after sealed_open has returned
 * true.
 */
enum decode_cause sealed_read(const uint8_t *datagram, size_t size, struct sealed_header *header);

/* Writes the header's SEALED_HEADER_SIZE bytes. */
void sealed_write(const struct sealed_header *header, uint8_t *datagram);

/* --- keys ------------------------------------------------------------------------------------- */

/*
 * The keys of both modes, derived from the key in the keys file. Both are secrets: see
 * secure_clear.h.
 */
struct sealed_key {
    uint8_t of_mode[2][SEALED_KEY_SIZE]; /* by mode - 1 */
};

/*
 * Loads libsodium. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG): this machine lacks the
 * library, or the program was built without it. Main thread; further calls do nothing.
 */
int sealed_load(struct error *error);

/* "libsodium 1.0.18", "libsodium (not on this system)" or "libsodium (not in this build)". */
const char *sealed_library_version(void);

/* Derives the keys of both modes from a key of the keys file. */
void sealed_key_derive(const uint8_t key[SEALED_KEY_SIZE], struct sealed_key *out);

/* Whether both are the same key; in a time that does not depend on where they differ. */
bool sealed_key_is_same(const struct sealed_key *a, const struct sealed_key *b);

/* --- opening and sealing ---------------------------------------------------------------------- */

/*
 * Checks the tag of a datagram whose header sealed_read accepted; `mode` is the header's. If the
 * tag is right, stores the payload (size - SEALED_OVERHEAD bytes) at `payload` and returns true.
 * Otherwise returns false, and the bytes at `payload` must not be used. `payload` may be datagram +
 * SEALED_HEADER_SIZE; otherwise it must not overlap the datagram.
 */
bool sealed_open(const struct sealed_key *key, enum sealed_mode mode, const uint8_t *datagram,
                 size_t size, uint8_t *payload);

/*
 * Makes the whole datagram, `size` + SEALED_OVERHEAD bytes, from a header and `size` bytes of
 * payload. `payload` may be datagram + SEALED_HEADER_SIZE; otherwise it must not overlap the
 * datagram. A sender must never use the same key, session and counter for two datagrams: the nonce
 * is made of session, counter and time, and encryption with a repeated nonce is not secure.
 */
void sealed_seal(const struct sealed_key *key, const struct sealed_header *header,
                 const uint8_t *payload, size_t size, uint8_t *datagram);

#endif
