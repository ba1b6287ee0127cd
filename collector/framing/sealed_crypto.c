/* Implements the tags and the encryption of sealed.h with libsodium. */
#include <string.h>

#include "collector/base/rule.h"
#include "collector/framing/sealed.h"
#include "collector/framing/sodium_library.h"

#define NONCE_AT   16 /* session, counter and time: the last 24 bytes of the header */
#define NONCE_SIZE 24

_Static_assert(NONCE_AT + NONCE_SIZE == SEALED_HEADER_SIZE &&
                   NONCE_SIZE == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
               "the nonce ends the header");
_Static_assert(SEALED_TAG_SIZE == crypto_aead_xchacha20poly1305_ietf_ABYTES &&
                   SEALED_KEY_SIZE == crypto_aead_xchacha20poly1305_ietf_KEYBYTES &&
                   SEALED_KEY_SIZE == crypto_kdf_KEYBYTES,
               "sizes are libsodium's");

/* Set once by sealed_load, before other threads use it. */
static const struct sodium_library *sodium;

int sealed_load(struct error *error)
{
    if (sodium != NULL)
        return 0;
    const struct sodium_library *library = sodium_library(error);
    if (library == NULL)
        return -1;
    if (library->sodium_init() < 0) {
        error_set(error, EXIT_CODE_CONFIG, "sealed datagrams: libsodium cannot be initialised");
        return -1;
    }
    sodium = library;
    return 0;
}

const char *sealed_library_version(void)
{
    return sodium_library_version();
}

void sealed_key_derive(const uint8_t key[SEALED_KEY_SIZE], struct sealed_key *out)
{
    RULE(sodium != NULL, "libsodium is loaded before it is used");
    for (unsigned mode = SEALED_AUTHENTICATED; mode <= SEALED_ENCRYPTED; mode++)
        sodium->crypto_kdf_derive_from_key(out->of_mode[mode - 1], SEALED_KEY_SIZE, mode,
                                           "SluiceSD", key);
}

bool sealed_key_is_same(const struct sealed_key *a, const struct sealed_key *b)
{
    RULE(sodium != NULL, "libsodium is loaded before it is used");
    return sodium->sodium_memcmp(a, b, sizeof *a) == 0;
}

static void make_tag(const uint8_t *key, const uint8_t *datagram, size_t covered, uint8_t *tag)
{
    sodium->crypto_generichash(tag, SEALED_TAG_SIZE, datagram, covered, key, SEALED_KEY_SIZE);
}

/* --- opening ---------------------------------------------------------------------------------- */

static bool open_authenticated(const uint8_t *key, const uint8_t *datagram, size_t covered,
                               uint8_t *payload)
{
    uint8_t tag[SEALED_TAG_SIZE];
    make_tag(key, datagram, covered, tag);
    if (sodium->sodium_memcmp(tag, datagram + covered, sizeof tag) != 0)
        return false;
    if (payload != datagram + SEALED_HEADER_SIZE)
        memcpy(payload, datagram + SEALED_HEADER_SIZE, covered - SEALED_HEADER_SIZE);
    return true;
}

/* libsodium checks the tag before it decrypts. */
static bool open_encrypted(const uint8_t *key, const uint8_t *datagram, size_t size,
                           uint8_t *payload)
{
    return sodium->crypto_aead_xchacha20poly1305_ietf_decrypt(
               payload, NULL, NULL, datagram + SEALED_HEADER_SIZE, size - SEALED_HEADER_SIZE,
               datagram, SEALED_HEADER_SIZE, datagram + NONCE_AT, key) == 0;
}

bool sealed_open(const struct sealed_key *key, enum sealed_mode mode, const uint8_t *datagram,
                 size_t size, uint8_t *payload)
{
    RULE(sodium != NULL && size >= SEALED_OVERHEAD, "a header is read before its datagram opens");
    const uint8_t *secret = key->of_mode[mode - 1];
    return mode == SEALED_ENCRYPTED
               ? open_encrypted(secret, datagram, size, payload)
               : open_authenticated(secret, datagram, size - SEALED_TAG_SIZE, payload);
}

/* --- sealing ---------------------------------------------------------------------------------- */

void sealed_seal(const struct sealed_key *key, const struct sealed_header *header,
                 const uint8_t *payload, size_t size, uint8_t *datagram)
{
    RULE(sodium != NULL, "libsodium is loaded before it is used");
    const uint8_t *secret = key->of_mode[header->mode - 1];
    uint8_t *body = datagram + SEALED_HEADER_SIZE;
    sealed_write(header, datagram);
    if (header->mode == SEALED_ENCRYPTED) {
        sodium->crypto_aead_xchacha20poly1305_ietf_encrypt(body, NULL, payload, size, datagram,
                                                           SEALED_HEADER_SIZE, NULL,
                                                           datagram + NONCE_AT, secret);
        return;
    }
    if (size != 0 && payload != body)
        memcpy(body, payload, size);
    make_tag(secret, datagram, SEALED_HEADER_SIZE + size, body + size);
}
