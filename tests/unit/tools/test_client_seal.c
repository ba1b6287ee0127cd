/*
 * Tests that the collector opens the datagrams that the C client seals, and what the client does
 * when system calls fail.
 */
#include <errno.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "collector/framing/sealed.h"
#include "tests/support/test.h"
#include "tools/client/sluice_seal.h"

#define CONTENT_SIZE 100
#define SECOND       INT64_C(1000000000)
#define NOON         (INT64_C(1795176000) * SECOND) /* 2026-11-20T12:00:00Z */

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

static int64_t clock_ns; /* 0: the system's clock */

int __wrap_clock_gettime(clockid_t id, struct timespec *now);
int __real_clock_gettime(clockid_t id, struct timespec *now);

int __wrap_clock_gettime(clockid_t id, struct timespec *now)
{
    if (clock_ns == 0)
        return __real_clock_gettime(id, now);
    *now = (struct timespec){clock_ns / SECOND, clock_ns % SECOND};
    return 0;
}

/* The results of the next reads: an errno, or at most this number of bytes. */
static int read_error;
static size_t read_most = SIZE_MAX;

ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __real_read(int file, void *bytes, size_t size);

ssize_t __wrap_read(int file, void *bytes, size_t size)
{
    if (read_error != 0) {
        errno = read_error;
        read_error = read_error == EINTR ? 0 : read_error; /* interrupted only once */
        return -1;
    }
    ssize_t got = __real_read(file, bytes, size < read_most ? size : read_most);
    read_most -= read_most == SIZE_MAX || got < 0 ? 0 : (size_t)got;
    return got;
}

static struct sluice_sealer *opened(enum sluice_seal seal)
{
    struct sluice_sealer *sealer = sluice_sealer_open_key(key_id, key, seal);
    assert_non_null(sealer);
    assert_int_equal(sealer->begin(sealer), 0);
    return sealer;
}

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
            size_t size = counter == 1 ? 0 : CONTENT_SIZE;
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

/* --- clocks ----------------------------------------------------------------------------------- */

TEST(a_clock_that_goes_back_repeats_no_counter)
{
    static const int64_t seconds[] = {0, -3600, -3601, -3601, 3600};
    struct sluice_sealer *sealer = opened(SLUICE_SEAL_ENCRYPTED);
    uint64_t session = 0;
    for (uint64_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        clock_ns = NOON + seconds[i] * SECOND;
        struct sealed_header header = seal_and_open(sealer, 1, 1);
        assert_int_equal(header.time_ns, clock_ns);
        assert_int_equal(header.counter, i + 1);
        assert_true(i == 0 || header.session == session);
        session = header.session;
    }
    clock_ns = 0;
    sluice_sealer_close(sealer);
}

/* --- files ------------------------------------------------------------------------------------ */

#define KEY_TEXT "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

/*
 * Opens a sealer for a file with this content. read_error and read_most may make its reads fail or
 * be short.
 */
static struct sluice_sealer *open_file(const char *content, char why[SLUICE_SEALER_WHY])
{
    char path[] = "/tmp/sluice-seal-XXXXXX";
    int file = mkstemp(path); /* mode 0600 */
    assert_true(file >= 0);
    assert_int_equal(write(file, content, strlen(content)), strlen(content));
    close(file);
    errno = 0;
    struct sluice_sealer *sealer = sluice_sealer_open(path, NULL, SLUICE_SEAL_ENCRYPTED, why);
    int error = errno;
    unlink(path);
    read_error = 0;
    read_most = SIZE_MAX;
    errno = error;
    return sealer;
}

static void expect_unread(const char *reason, int error)
{
    char why[SLUICE_SEALER_WHY];
    assert_null(open_file("web 0123456789abcdef " KEY_TEXT "\n", why));
    assert_int_equal(errno, error);
    assert_non_null(strstr(why, reason));
    assert_int_equal(allocated, 0);
}

TEST(a_file_that_cannot_be_read_whole_is_refused)
{
    read_error = EIO;
    expect_unread(strerror(EIO), EIO);
    for (size_t most = 0; most < 60; most += 20) {
        read_most = most;
        expect_unread("it became shorter while it was read", EINVAL);
    }
}

TEST(a_key_with_bytes_that_are_no_base64_is_refused)
{
    char why[SLUICE_SEALER_WHY], line[] = "web 0123456789abcdef " KEY_TEXT;
    for (int byte = 0x80; byte < 0x100; byte++) {
        line[sizeof line - 5] = (char)byte;
        assert_null(open_file(line, why));
        assert_int_equal(errno, EINVAL);
    }
}

TEST(a_read_that_is_interrupted_is_repeated)
{
    char why[SLUICE_SEALER_WHY];
    read_error = EINTR;
    struct sluice_sealer *sealer = open_file("web 0123456789abcdef " KEY_TEXT, why);
    assert_non_null(sealer);
    sluice_sealer_close(sealer);
}

TEST(a_key_is_chosen_by_the_clock_of_each_datagram)
{
    static const struct {
        int64_t second;
        uint64_t key_id; /* 0: no key is valid */
    } steps[] = {{0, 1}, {5, 2}, {11, 2}, {-5, 1}, {-11, 0}, {7, 2}};
    char why[SLUICE_SEALER_WHY];
    struct sluice_sealer *sealer =
        open_file("web 0000000000000001 " KEY_TEXT " not-before=2026-11-20T11:59:50Z "
                  "not-after=2026-11-20T12:00:10Z\n"
                  "web 0000000000000002 " KEY_TEXT " not-before=2026-11-20T12:00:05Z\n",
                  why);
    assert_non_null(sealer);
    uint64_t counter = 0;
    assert_int_equal(sealer->begin(sealer), 0);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        uint8_t datagram[SEALED_OVERHEAD];
        struct sealed_header header;
        clock_ns = NOON + steps[i].second * SECOND;
        assert_int_equal(sealer->seal(sealer, datagram, 0), steps[i].key_id != 0 ? 0 : EACCES);
        if (steps[i].key_id == 0)
            continue;
        assert_int_equal(sealed_read(datagram, sizeof datagram, &header), CAUSE_UNKNOWN);
        assert_int_equal(header.key_id, steps[i].key_id);
        assert_int_equal(header.counter, ++counter);
    }
    clock_ns = 0;
    sluice_sealer_close(sealer);
}

/* --- arguments, memory and the library -------------------------------------------------------- */

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
