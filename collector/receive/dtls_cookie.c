#include "collector/receive/dtls_cookie.h"

#include <string.h>

#include "collector/base/siphash.h"
#include "collector/platform/machine.h"

#define SECRET_SIZE sizeof((struct dtls_cookies){0}.secrets[0])

int dtls_cookies_begin(struct dtls_cookies *cookies, int64_t now_ns, struct error *error)
{
    cookies->changed_ns = now_ns;
    return random_bytes(cookies->secrets[0], sizeof cookies->secrets, error);
}

void dtls_cookies_change(struct dtls_cookies *cookies, int64_t now_ns)
{
    uint8_t fresh[SECRET_SIZE];
    struct error ignored;
    if (now_ns - cookies->changed_ns < DTLS_COOKIE_NS)
        return;
    if (now_ns - cookies->changed_ns >= 2 * DTLS_COOKIE_NS) {
        dtls_cookies_begin(cookies, now_ns, &ignored);
        return;
    }
    cookies->changed_ns = now_ns;
    if (random_bytes(fresh, sizeof fresh, &ignored) != 0)
        return;
    memcpy(cookies->secrets[1], cookies->secrets[0], sizeof fresh);
    memcpy(cookies->secrets[0], fresh, sizeof fresh);
}

/*
 * Computes the cookie. Fields of fixed size come first, so that two different inputs never have the
 * same bytes.
 */
static void hash_hello(const uint8_t secret[SECRET_SIZE], const struct address *client,
                       const struct dtls_hello *hello, uint8_t cookie[DTLS_COOKIE_SIZE])
{
    const uint32_t port = address_port(client);
    uint64_t result[2];
    struct siphash hash;
    siphash_begin(&hash, secret);
    siphash_feed(&hash, &client->family, sizeof client->family);
    siphash_feed(&hash, client->bytes, sizeof client->bytes);
    siphash_feed(&hash, &client->scope, sizeof client->scope);
    siphash_feed(&hash, &port, sizeof port);
    siphash_feed(&hash, hello->version, 2);
    siphash_feed(&hash, hello->random, DTLS_RANDOM_SIZE);
    siphash_feed(&hash, hello->id, hello->id_size);
    siphash_end(&hash, result);
    memcpy(cookie, result, DTLS_COOKIE_SIZE);
}

void dtls_cookie_make(const struct dtls_cookies *cookies, const struct address *client,
                      const struct dtls_hello *hello, uint8_t cookie[DTLS_COOKIE_SIZE])
{
    hash_hello(cookies->secrets[0], client, hello, cookie);
}

/* Compares all bytes, so that the time does not depend on the position of the first difference. */
static bool is_same(const uint8_t *a, const uint8_t *b)
{
    uint8_t differs = 0;
    for (size_t i = 0; i < DTLS_COOKIE_SIZE; i++)
        differs |= a[i] ^ b[i];
    return differs == 0;
}

bool dtls_cookie_is_valid(const struct dtls_cookies *cookies, const struct address *client,
                          const struct dtls_hello *hello)
{
    uint8_t cookie[DTLS_COOKIE_SIZE];
    if (hello->cookie_size != DTLS_COOKIE_SIZE)
        return false;
    for (size_t i = 0; i < 2; i++) {
        hash_hello(cookies->secrets[i], client, hello, cookie);
        if (is_same(cookie, hello->cookie))
            return true;
    }
    return false;
}
