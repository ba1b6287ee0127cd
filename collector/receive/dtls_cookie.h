/*
 * The cookies with which DTLS clients prove that they receive at their address, before the server
 * has any state for them (RFC 6347, 4.2.1).
 *
 * A cookie is a keyed hash (SipHash-2-4) of the client's address and of those fields of its hello
 * that stay the same when the client repeats it. The secret changes every DTLS_COOKIE_NS. A cookie
 * made with the previous secret is also accepted, so a cookie is valid for one to two periods. One
 * thread at a time.
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
    uint8_t secrets[2][16]; /* present, previous */
    int64_t changed_ns;     /* monotonic time at which the present secret was made */
};

/* Creates both secrets. Returns 0, or -1 with `error` filled if the system has no random bytes. */
int dtls_cookies_begin(struct dtls_cookies *cookies, int64_t now_ns, struct error *error);

/*
 * Replaces the secret if its period is over, or both secrets if two periods have passed. If the
 * system has no random bytes, the secrets stay.
 */
void dtls_cookies_change(struct dtls_cookies *cookies, int64_t now_ns);

/* Writes the cookie for a client at this address with this hello. */
void dtls_cookie_make(const struct dtls_cookies *cookies, const struct address *client,
                      const struct dtls_hello *hello, uint8_t cookie[DTLS_COOKIE_SIZE]);

/* Returns true if the hello has a valid cookie that was made for it. */
bool dtls_cookie_is_valid(const struct dtls_cookies *cookies, const struct address *client,
                          const struct dtls_hello *hello);

#endif
