/*
 * The pre-shared keys of a DTLS listener (RFC 4279), from a keys file (senders/keys_file.h).
 *
 * A client's identity is NAME or NAME/KEYID. NAME selects the first key with this name that is
 * valid now. NAME/KEYID selects one key, so that a sender can change to a new key while the old one
 * is still valid. The keys are on separate memory pages, which core dumps omit and which are
 * cleared before they are freed. Main thread; dtls_keys_find: any thread.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_KEYS_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_KEYS_H

#include <stdint.h>

#include "collector/base/error.h"
#include "collector/senders/sender_key_line.h"

struct dtls_keys;

/*
 * Reads the file. Returns 0 with *out, which the caller frees; or -1 with `error` filled
 * (EXIT_CODE_CONFIG).
 */
int dtls_keys_load(const char *path, struct dtls_keys **out, struct error *error);
/* NULL is allowed. */
void dtls_keys_free(struct dtls_keys *keys);

/* Returns the key of this identity that is valid at `now_ns` (since 1970 UTC), or NULL. */
const struct sender_key_line *dtls_keys_find(const struct dtls_keys *keys, const char *identity,
                                             int64_t now_ns);

#endif
