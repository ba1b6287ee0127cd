/*
 * Implements sealed.h in a build without libsodium. sealed_load fails, so no other function that
 * needs the library is called.
 */
#include "collector/base/rule.h"
#include "collector/framing/sealed.h"

int sealed_load(struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG,
              "sealed datagrams: this program was built without libsodium (SLUICE_SODIUM)");
    return -1;
}

const char *sealed_library_version(void)
{
    return "libsodium (not in this build)";
}

void sealed_key_derive(const uint8_t key[SEALED_KEY_SIZE], struct sealed_key *out)
{
    (void)key;
    (void)out;
    RULE(false, "libsodium is loaded before it is used");
}

bool sealed_key_is_same(const struct sealed_key *a, const struct sealed_key *b)
{
    (void)a;
    (void)b;
    RULE(false, "libsodium is loaded before it is used");
    return false;
}

bool sealed_open(const struct sealed_key *key, enum sealed_mode mode, const uint8_t *datagram,
                 size_t size, uint8_t *payload)
{
    (void)key;
    (void)mode;
    (void)datagram;
    (void)size;
    (void)payload;
    RULE(false, "libsodium is loaded before it is used");
    return false;
}

void sealed_seal(const struct sealed_key *key, const struct sealed_header *header,
                 const uint8_t *payload, size_t size, uint8_t *datagram)
{
    (void)key;
    (void)header;
    (void)payload;
    (void)size;
    (void)datagram;
    RULE(false, "libsodium is loaded before it is used");
}
