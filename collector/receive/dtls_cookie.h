/*
 * The cookies by which DTLS clients prove that they receive at their address, before the server has
 * any state for them (RFC 6347, 4.2.1).
 *
 * A cookie is a keyed hash (SipHash-2-4) of the client's address and of those fields of its hello
 * that do not change when the client repeats it. The secret changes with time; a cookie of the
 * previous secret is accepted too. So a cookie is valid for one to two periods of DTLS_COOKIE_NS.
 * One thread at a time.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_COOKIE_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_COOKIE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/receive/dtls_record.h"

#define DTLS_COOKIE_NS INT64_C(30000000000)

struct dtls_cookies {
    uint8_t secrets[2][16]; /* the present secret and the previous one */
    int64_t changed_ns;     /* monotonic: when the present secret was made */
};

/* Makes both secrets. Returns 0, or -1 with `error` filled if the system has no random bytes. */
int dtls_cookies_begin(struct dtls_cookies *cookies, int64_t now_ns, struct error *error);

/*
 * Replaces the secret if its period is over, or both secrets after a long time without a call. If
 * the system has no random bytes, the secrets stay.
 */
void dtls_cookies_change(struct dtls_cookies *cookies, int64_t now_ns);

/* Writes the cookie for the client at this address with this hello. */
void dtls_cookie_make(const struct dtls_cookies *cookies, const struct address *client,
                      const struct dtls_hello *hello, uint8_t cookie[DTLS_COOKIE_SIZE]);

/* Whether the hello has a cookie that was made for it and is still valid. */
bool dtls_cookie_is_valid(const struct dtls_cookies *cookies, const struct address *client,
                          const struct dtls_hello *hello);

#endif
