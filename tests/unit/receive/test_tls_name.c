/* Tests that a client's name comes only from its certificate, which is freed each time. */
#include <string.h>

#include "collector/receive/tls_name.h"
#include "tests/support/test.h"

/*
 * The behaviour of the fake functions of the library. A certificate is a pointer to `certificate`.

 */
static int certificate;
static struct {
    bool shown; /* the client sends a certificate */
    bool digestible;
    int taken; /* number of certificates that are not freed yet */
} client;

static X509 *take_certificate(const SSL *ssl)
{
    (void)ssl;
    client.taken += client.shown;
    return client.shown ? (X509 *)(void *)&certificate : NULL;
}

static X509_NAME *subject(const X509 *of)
{
    assert_ptr_equal(of, &certificate);
    return NULL;
}

static const EVP_MD *sha256(void)
{
    return NULL;
}

static int digest(const X509_NAME *name, const EVP_MD *type, unsigned char *to, unsigned int *size)
{
    (void)name;
    (void)type;
    (void)size;
    if (client.digestible)
        memset(to, 7, CHANNEL_NAME_SIZE);
    return client.digestible;
}

static void give_back(X509 *what)
{
    assert_ptr_equal(what, &certificate);
    client.taken--;
}

static const struct tls_library library = {
    .SSL_get1_peer_certificate = take_certificate,
    .X509_get_subject_name = subject,
    .EVP_sha256 = sha256,
    .X509_NAME_digest = digest,
    .X509_free = give_back,
};

static bool is_named(bool shown, bool digestible, uint8_t name[CHANNEL_NAME_SIZE])
{
    client.shown = shown;
    client.digestible = digestible;
    memset(name, 0, CHANNEL_NAME_SIZE);
    bool named = tls_name(&library, NULL, name);
    assert_int_equal(client.taken, 0);
    return named;
}

TEST(a_client_that_shows_a_certificate_has_its_subjects_name)
{
    uint8_t name[CHANNEL_NAME_SIZE], expected[CHANNEL_NAME_SIZE];
    memset(expected, 7, sizeof expected);
    assert_true(is_named(true, true, name));
    assert_memory_equal(name, expected, sizeof name);
}

/* If clients without a certificate had a name, all of them would have the same one. */
TEST(a_client_without_a_certificate_has_no_name)
{
    uint8_t name[CHANNEL_NAME_SIZE], nothing[CHANNEL_NAME_SIZE] = {0};
    assert_false(is_named(false, true, name));
    assert_memory_equal(name, nothing, sizeof name);
    assert_false(is_named(true, false, name));
    assert_memory_equal(name, nothing, sizeof name);
}
