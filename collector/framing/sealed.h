/*
 * Sealed datagrams: a header of 40 bytes, a payload, and a tag of 16 bytes that only a holder of
 * the sender's key can make (format and test vectors: tools/packaging/sealed.md).
 *
 * The tag covers header and payload. In the mode SEALED_ENCRYPTED the payload is also encrypted.
 *
 * libsodium provides the cryptography and is loaded at run time: call sealed_load before any other
 * function here except sealed_read, sealed_write and sealed_library_version. No function except
 * sealed_load allocates. After the load all functions are pure; any thread.
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
/* A sealed datagram is longer than its payload by this number of bytes. */
#define SEALED_OVERHEAD    (SEALED_HEADER_SIZE + SEALED_TAG_SIZE)

#define SEALED_KEY_SIZE 32

enum sealed_mode { SEALED_AUTHENTICATED = 1, SEALED_ENCRYPTED = 2 };

struct sealed_header {
    enum sealed_mode mode;
    uint64_t key_id;  /* not 0 */
    uint64_t session; /* chosen at random when the sender starts */
    uint64_t counter; /* number of the datagram in its session, from 1 */
    int64_t time_ns;  /* time of sending, in ns since 1970 UTC; not negative */
};

/* --- the header ------------------------------------------------------------------------------- */

/*
 * Reads the header of a datagram; `datagram` has all its `size` bytes. Fills *header and returns
 * CAUSE_UNKNOWN on success. Returns CAUSE_SHORT_HEADER for fewer than SEALED_OVERHEAD bytes,
 * otherwise CAUSE_FOREIGN_HEADER. The header may be forged: trust it only after sealed_open has
 * returned true.
 */
enum decode_cause sealed_read(const uint8_t *datagram, size_t size, struct sealed_header *header);

/* Writes SEALED_HEADER_SIZE bytes to `datagram`. */
void sealed_write(const struct sealed_header *header, uint8_t *datagram);

/* --- keys ------------------------------------------------------------------------------------- */

/*
 * The keys of both modes, derived from one key of the keys file. Both are secrets: erase copies
 * with secure_clear (secure_clear.h).
 */
struct sealed_key {
    uint8_t of_mode[2][SEALED_KEY_SIZE]; /* by mode - 1 */
};

/*
 * Loads libsodium. Returns 0; or -1 with `error` filled (EXIT_CODE_CONFIG) if the library is
 * missing on this machine or in this build. Main thread. Calls after a success do nothing.
 */
int sealed_load(struct error *error);

/*
 * Returns "libsodium 1.0.18", "libsodium (not on this system)" or "libsodium (not in this build)".
 */
const char *sealed_library_version(void);

/* Derives the keys of both modes from a key of the keys file. */
void sealed_key_derive(const uint8_t key[SEALED_KEY_SIZE], struct sealed_key *out);

/* Returns true if the keys are equal. The time does not depend on where they differ. */
bool sealed_key_is_same(const struct sealed_key *a, const struct sealed_key *b);

/* --- opening and sealing ---------------------------------------------------------------------- */

/*
 * Checks the tag of a datagram. sealed_read must have accepted its header, and `mode` is the
 * header's. If the tag is right, stores the payload (size - SEALED_OVERHEAD bytes) at `payload` and
 * returns true. Otherwise returns false, and the bytes at `payload` must not be used. `payload` may
 * be datagram + SEALED_HEADER_SIZE; otherwise it must not overlap the datagram.
 */
bool sealed_open(const struct sealed_key *key, enum sealed_mode mode, const uint8_t *datagram,
                 size_t size, uint8_t *payload);

/*
 * Writes a datagram of `size` + SEALED_OVERHEAD bytes from a header and `size` bytes of payload.
 * `payload` may be datagram + SEALED_HEADER_SIZE; otherwise it must not overlap the datagram. A
 * sender must never use the same key, session and counter for two datagrams: the nonce consists of
 * session, counter and time, and encryption with a repeated nonce is not secure.
 */
void sealed_seal(const struct sealed_key *key, const struct sealed_header *header,
                 const uint8_t *payload, size_t size, uint8_t *datagram);

#endif
