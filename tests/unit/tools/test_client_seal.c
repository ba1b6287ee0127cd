/* The C client's sealers: the collector opens what they seal, and what the system refuses them. */
#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "collector/framing/sealed.h"
#include "tests/support/test.h"
#include "tools/client/sluice_seal.h"

#define CONTENT_SIZE 100

static const uint8_t key[SLUICE_SEAL_KEY_SIZE] = {1, 2, 3, 4, 5};
static const uint64_t key_id = UINT64_C(0xfedcba9876543210);

static bool has_memory = true, has_library = true;
static size_t allocated;

void *__wrap_sodium_malloc(size_t size);
void *__real_sodium_malloc(size_t size);
void __wrap_sodium_free(void *memory);
void __real_sodium_free(void *memory);
int __wrap_sodium_init(void);
int __real_sodium_init(void);

void *__wrap_sodium_malloc(size_t size)
{
    allocated += has_memory;
    return has_memory ? __real_sodium_malloc(size) : NULL;
}

void __wrap_sodium_free(void *memory)
{
    allocated -= memory != NULL;
    __real_sodium_free(memory);
}

int __wrap_sodium_init(void)
{
    return has_library ? __real_sodium_init() : -1;
}

static struct sluice_sealer *opened(enum sluice_seal seal)
{
    struct sluice_sealer *sealer = sluice_sealer_open_key(key_id, key, seal);
    assert_non_null(sealer);
    assert_int_equal(sealer->begin(sealer), 0);
    return sealer;
}

/* Seals `size` bytes of one value, and opens them as the collector does. */
static struct sealed_header seal_and_open(struct sluice_sealer *sealer, uint8_t value, size_t size)
{
    uint8_t datagram[SLUICE_SEAL_HEADER + CONTENT_SIZE + SLUICE_SEAL_TAG] = {0};
    uint8_t content[CONTENT_SIZE], wanted[CONTENT_SIZE];
    struct sealed_header header;
    struct sealed_key both;
    struct error error;
    memset(wanted, value, sizeof wanted);
    memset(datagram + SLUICE_SEAL_HEADER, value, size);
    assert_int_equal(sealer->seal(sealer, datagram, size), 0);
    assert_int_equal(sealed_load(&error), 0);
    sealed_key_derive(key, &both);
    assert_int_equal(sealed_read(datagram, size + SEALED_OVERHEAD, &header), CAUSE_UNKNOWN);
    assert_true(sealed_open(&both, header.mode, datagram, size + SEALED_OVERHEAD, content));
    assert_memory_equal(content, wanted, size);
    return header;
}

TEST(the_collector_opens_what_a_key_seals)
{
    static const enum sluice_seal seals[] = {SLUICE_SEAL_AUTHENTICATED, SLUICE_SEAL_ENCRYPTED};
    for (size_t i = 0; i < 2; i++) {
        struct sluice_sealer *sealer = opened(seals[i]);
        int64_t begin_s = time(NULL);
        for (uint64_t counter = 1; counter <= 3; counter++) {
            size_t size = counter == 1 ? 0 : CONTENT_SIZE; /* an empty datagram, too */
            struct sealed_header header = seal_and_open(sealer, (uint8_t)counter, size);
            assert_int_equal(header.mode, seals[i]);
            assert_int_equal(header.key_id, key_id);
            assert_int_equal(header.counter, counter);
            assert_in_range(header.time_ns / 1000000000 - begin_s + 1, 0, 60);
        }
        sluice_sealer_close(sealer);
    }
    assert_int_equal(allocated, 0);
}

TEST(each_life_of_a_client_is_a_session)
{
    struct sluice_sealer *sealer = opened(SLUICE_SEAL_ENCRYPTED);
    struct sealed_header first = seal_and_open(sealer, 1, 1);
    assert_int_equal(sealer->begin(sealer), EBUSY);
    sealer->end(sealer);
    assert_int_equal(sealer->begin(sealer), 0);
    struct sealed_header second = seal_and_open(sealer, 1, 1);
    assert_int_equal(second.counter, 1);
    assert_int_not_equal(first.session, second.session);
    sluice_sealer_close(sealer);
}

TEST(a_client_ends_the_session_that_it_began)
{
    struct sluice_sealer *sealer = sluice_sealer_open_key(key_id, key, SLUICE_SEAL_ENCRYPTED);
    struct sluice_settings settings = {.sealer = sealer};
    struct sluice_client *client = sluice_client_open("127.0.0.1:9", "a", &settings);
    assert_non_null(client);
    errno = 0;
    assert_null(sluice_client_open("127.0.0.1:9", "b", &settings));
    assert_int_equal(errno, EBUSY);
    sluice_client_close(client);
    client = sluice_client_open("127.0.0.1:9", "b", &settings);
    assert_non_null(client);
    sluice_client_close(client);
    sluice_sealer_close(sealer);
}

static void check_not_opened(int error)
{
    char why[SLUICE_SEALER_WHY] = "";
    errno = 0;
    assert_null(sluice_sealer_open_key(key_id, key, SLUICE_SEAL_ENCRYPTED));
    assert_int_equal(errno, error);
    errno = 0;
    assert_null(sluice_sealer_open("/dev/null", NULL, SLUICE_SEAL_ENCRYPTED, why));
    assert_int_equal(errno, error);
    assert_string_not_equal(why, "");
    assert_null(sluice_sealer_open("/dev/null", NULL, SLUICE_SEAL_ENCRYPTED, NULL));
}

TEST(without_memory_or_the_library_there_is_no_sealer)
{
    has_memory = false;
    check_not_opened(ENOMEM);
    has_memory = true;
    has_library = false;
    check_not_opened(ENOSYS);
    has_library = true;
    assert_int_equal(allocated, 0);
}

TEST(arguments_that_are_wrong_are_refused)
{
    char why[SLUICE_SEALER_WHY];
    assert_null(sluice_sealer_open_key(0, key, SLUICE_SEAL_ENCRYPTED));
    assert_null(sluice_sealer_open_key(key_id, NULL, SLUICE_SEAL_ENCRYPTED));
    assert_null(sluice_sealer_open_key(key_id, key, (enum sluice_seal)3));
    assert_int_equal(errno, EINVAL);
    assert_null(sluice_sealer_open(NULL, NULL, SLUICE_SEAL_ENCRYPTED, why));
    assert_null(sluice_sealer_open("/dev/null", "", SLUICE_SEAL_ENCRYPTED, why));
    assert_null(sluice_sealer_open("/dev/null", "a b", SLUICE_SEAL_ENCRYPTED, why));
    assert_int_equal(errno, EINVAL);
    sluice_sealer_close(NULL);
    assert_int_equal(allocated, 0);
}
