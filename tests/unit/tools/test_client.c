/*
 * Tests the C client when system calls fail, when sockets are full, and with the MTU of the path.
 * The linker replaces the system calls by the functions below.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/support/test.h"
#include "tools/client/sluice_client.h"

#define MOST 64

/* The results of the next calls. Each is an errno, or 0 for success. */
static struct {
    int send[MOST]; /* for each send in turn */
    size_t sends;
    int calloc, socket, connect;
    int mtu; /* 0: the option does not exist */
    int mtu_level;
    size_t allocations;
} fake;

static struct {
    uint8_t bytes[SLUICE_DATAGRAM_MOST];
    size_t size;
} sent[MOST];
static size_t sent_count;

ssize_t __wrap_send(int socket, const void *bytes, size_t size, int flags);
int __wrap_getsockopt(int socket, int level, int option, void *value, socklen_t *size);
int __wrap_socket(int family, int type, int protocol);
int __real_socket(int family, int type, int protocol);
int __wrap_connect(int socket, const struct sockaddr *to, socklen_t size);
int __real_connect(int socket, const struct sockaddr *to, socklen_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__real_malloc(size_t size);

ssize_t __wrap_send(int socket, const void *bytes, size_t size, int flags)
{
    (void)socket;
    assert_int_equal(flags, MSG_DONTWAIT);
    assert_true(fake.sends < MOST);
    int error = fake.send[fake.sends++];
    if (error != 0) {
        errno = error;
        return -1;
    }
    assert_true(size <= SLUICE_DATAGRAM_MOST && sent_count < MOST);
    memcpy(sent[sent_count].bytes, bytes, size);
    sent[sent_count++].size = size;
    return (ssize_t)size;
}

int __wrap_getsockopt(int socket, int level, int option, void *value, socklen_t *size)
{
    (void)socket;
    (void)option;
    fake.mtu_level = level;
    if (fake.mtu == 0) {
        errno = ENOPROTOOPT;
        return -1;
    }
    assert_int_equal(*size, sizeof(int));
    memcpy(value, &fake.mtu, sizeof(int));
    return 0;
}

int __wrap_socket(int family, int type, int protocol)
{
    errno = fake.socket;
    return fake.socket != 0 ? -1 : __real_socket(family, type, protocol);
}

int __wrap_connect(int socket, const struct sockaddr *to, socklen_t size)
{
    errno = fake.connect;
    return fake.connect != 0 ? -1 : __real_connect(socket, to, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    fake.allocations++;
    errno = fake.calloc;
    return fake.calloc != 0 ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size)
{
    fake.allocations++;
    return __real_malloc(size);
}

static struct sluice_client *opened(const struct sluice_settings *settings)
{
    memset(&fake, 0, sizeof fake);
    sent_count = 0;
    struct sluice_client *client = sluice_client_open("127.0.0.1:5555", "web1", settings);
    assert_non_null(client);
    return client;
}

/*
 * Opens a client that sends datagrams of at most 512 bytes, which have room for two counters. Adds
 * `counters` counters.
 */
static struct sluice_client *opened_with(size_t counters)
{
    static const struct sluice_settings settings = {.datagram = 512};
    struct sluice_client *client = opened(&settings);
    for (size_t i = 0; i < counters; i++) {
        char name[224];
        snprintf(name, sizeof name, "%03zu%0197d", i, 0);
        assert_non_null(sluice_client_counter(client, name, NULL, NULL));
    }
    return client;
}

/* Returns the sequence number of a datagram. It comes after the sender_id "web1" and a boot_id. */
static unsigned sequence_of(size_t index)
{
    const uint8_t *at = sent[index].bytes + 6 + 9;
    assert_int_equal(at[0], 3 << 3);
    assert_true(at[1] < 0x80);
    return at[1];
}

static bool has_counter(size_t index, size_t counter)
{
    char name[9];
    snprintf(name, sizeof name, "%03zu00000", counter);
    for (size_t at = 0; at + 8 <= sent[index].size; at++)
        if (memcmp(sent[index].bytes + at, name, 8) == 0)
            return true;
    return false;
}

TEST(what_a_full_socket_does_not_take_is_sent_first_by_the_next_flush)
{
    static const int full[] = {EAGAIN, EWOULDBLOCK, ENOBUFS};
    for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
        struct sluice_client *client = opened_with(6);
        fake.send[1] = full[i];
        assert_int_equal(sluice_client_flush(client), SLUICE_FULL);
        assert_int_equal(sent_count, 1);
        assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
        assert_int_equal(sent_count, 4);
        /*
         * The newest counter is the first in the list. When 5 and 4 were sent, sending 3 and 2
         * failed.
         */
        assert_true(has_counter(0, 5) && has_counter(0, 4));
        assert_true(has_counter(1, 3) && has_counter(1, 2));
        assert_true(has_counter(2, 1) && has_counter(2, 0));
        assert_true(has_counter(3, 5) && has_counter(3, 4));
        for (size_t sequence = 0; sequence < 4; sequence++)
            assert_int_equal(sequence_of(sequence), sequence + 1);
        struct sluice_client_counts counts = sluice_client_counts(client);
        assert_int_equal(counts.full, 1);
        assert_int_equal(counts.failed, 0);
        assert_int_equal(counts.datagrams, 4);
        assert_int_equal(counts.samples, 8);
        sluice_client_close(client);
    }
}

TEST(the_last_datagram_of_a_flush_may_find_the_socket_full)
{
    struct sluice_client *client = opened_with(4);
    fake.send[1] = EAGAIN;
    assert_int_equal(sluice_client_flush(client), SLUICE_FULL);
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(sent_count, 3);
    assert_true(has_counter(1, 1) && has_counter(1, 0));
    assert_true(has_counter(2, 3) && has_counter(2, 2));
    sluice_client_close(client);
}

TEST(a_socket_that_stays_full_is_asked_once_a_flush)
{
    struct sluice_client *client = opened_with(6);
    for (size_t i = 0; i < 10; i++)
        fake.send[i] = EAGAIN;
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(sluice_client_flush(client), SLUICE_FULL);
    assert_int_equal(fake.sends, 10);
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(sent_count, 3);
    sluice_client_close(client);
}

TEST(what_the_system_refuses_to_send_does_not_keep_back_the_rest)
{
    struct sluice_client *client = opened_with(6);
    fake.send[0] = EMSGSIZE;
    assert_int_equal(sluice_client_flush(client), SLUICE_FAILED);
    assert_int_equal(sent_count, 0);
    struct sluice_client_counts counts = sluice_client_counts(client);
    assert_int_equal(counts.failed, 1);
    assert_int_equal(counts.last_error, EMSGSIZE);
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(sent_count, 3);
    assert_int_equal(sequence_of(0), 1);
    assert_true(has_counter(0, 3) && has_counter(0, 2));
    assert_true(has_counter(2, 5) && has_counter(2, 4));
    sluice_client_close(client);
}

TEST(an_interrupted_call_and_reports_of_earlier_datagrams_do_not_end_a_flush)
{
    struct sluice_client *client = opened_with(2);
    fake.send[0] = EINTR;
    fake.send[1] = ECONNREFUSED;
    fake.send[2] = ECONNREFUSED;
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(sluice_client_counts(client).refused, 2);
    assert_int_equal(sluice_client_counts(client).failed, 0);
    assert_int_equal(sequence_of(0), 1);
    sluice_client_close(client);
}

TEST(reports_without_an_end_end_a_flush)
{
    struct sluice_client *client = opened_with(2);
    for (size_t i = 0; i < 8; i++)
        fake.send[i] = ECONNREFUSED;
    assert_int_equal(sluice_client_flush(client), SLUICE_FAILED);
    assert_true(fake.sends < 8);
    assert_int_equal(sluice_client_counts(client).last_error, ECONNREFUSED);
    sluice_client_close(client);
}

static size_t limit_for(int mtu, bool ipv6)
{
    memset(&fake, 0, sizeof fake);
    struct sluice_client *client =
        sluice_client_open(ipv6 ? "[::1]:5555" : "127.0.0.1:5555", "web1", NULL);
    if (client == NULL)
        return 0;
    fake.mtu = mtu;
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(fake.mtu_level, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP);
    size_t limit = sluice_client_counts(client).datagram;
    sluice_client_close(client);
    return limit;
}

TEST(a_datagram_is_as_large_as_the_path_takes_less_the_headers)
{
    assert_int_equal(limit_for(1500, false), 1472);
    assert_int_equal(limit_for(9000, false), 8972);
    assert_int_equal(limit_for(65536, false), SLUICE_DATAGRAM_MOST);
    assert_int_equal(limit_for(68, false), 512);
    assert_int_equal(limit_for(0, false), 1472);
    if (limit_for(1500, true) == 0)
        return; /* this machine has no IPv6 */
    assert_int_equal(limit_for(1500, true), 1452);
    assert_int_equal(limit_for(1280, true), 1232);
    assert_int_equal(limit_for(0, true), 1232);
}

TEST(no_datagram_exceeds_the_limit_by_a_byte)
{
    for (size_t limit = 512; limit < 700; limit++) {
        struct sluice_settings settings = {.datagram = limit};
        struct sluice_client *client = opened(&settings);
        for (int i = 0; i < 100; i++) {
            char name[12];
            snprintf(name, sizeof name, "%d", i);
            sluice_client_counter(client, name, NULL, NULL);
        }
        assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
        for (size_t i = 0; i < sent_count; i++)
            assert_in_range(sent[i].size, i + 1 < sent_count ? limit - 20 : 1, limit);
        sluice_client_close(client);
    }
}

TEST(a_path_that_changes_is_seen_by_the_next_flush)
{
    struct sluice_client *client = opened(NULL);
    fake.mtu = 9000;
    sluice_client_flush(client);
    assert_int_equal(sluice_client_counts(client).datagram, 8972);
    fake.mtu = 1400;
    sluice_client_flush(client);
    assert_int_equal(sluice_client_counts(client).datagram, 1372);
    sluice_client_close(client);
}

static void check_not_opened(int error)
{
    errno = 0;
    assert_null(sluice_client_open("127.0.0.1:5555", "web1", NULL));
    assert_int_equal(errno, error);
    memset(&fake, 0, sizeof fake);
}

TEST(a_client_that_cannot_be_opened_says_why)
{
    memset(&fake, 0, sizeof fake);
    fake.calloc = ENOMEM;
    check_not_opened(ENOMEM);
    fake.socket = EMFILE;
    check_not_opened(EMFILE);
    fake.connect = ENETUNREACH;
    check_not_opened(ENETUNREACH);
    const struct sluice_settings small = {.memory = 65535};
    assert_null(sluice_client_open("127.0.0.1:5555", "web1", &small));
    assert_int_equal(errno, EINVAL);
    assert_null(sluice_client_open(NULL, "web1", NULL));
    assert_int_equal(errno, EINVAL);
    assert_null(sluice_client_open("127.0.0.1:5555", NULL, NULL));
    assert_int_equal(errno, EINVAL);
    assert_null(sluice_client_open("127.0.0.1:5555", "", NULL));
    assert_int_equal(errno, EINVAL);
}

TEST(a_client_whose_new_socket_fails_is_off_until_it_is_renewed)
{
    struct sluice_client *client = opened_with(2);
    fake.socket = EMFILE;
    assert_int_equal(sluice_client_renew(client, NULL), -1);
    assert_int_equal(errno, EMFILE);
    assert_int_equal(sluice_client_flush(client), SLUICE_OFF);
    fake.socket = 0;
    assert_int_equal(sluice_client_renew(client, NULL), 0);
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(sequence_of(0), 1);
    sluice_client_close(client);
}

TEST(nothing_is_allocated_after_the_start)
{
    static const double bounds[] = {1, 2, 3};
    struct sluice_client *client = opened(NULL);
    size_t before = fake.allocations;
    struct sluice_counter *counter = sluice_client_counter(client, "counter", "1", NULL);
    struct sluice_gauge *gauge = sluice_client_gauge(client, "gauge", "1", NULL);
    struct sluice_histogram *histogram =
        sluice_client_histogram(client, "histogram", "1", NULL, bounds, 3);
    sluice_counter_add(counter, 1);
    sluice_gauge_set(gauge, 1);
    sluice_histogram_record(histogram, 1);
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(sluice_client_renew(client, "web2"), 0);
    assert_int_equal(sluice_client_counts(client).metrics, 3);
    assert_int_equal(fake.allocations, before);
    sluice_client_close(client);
}

TEST(a_null_is_allowed_everywhere)
{
    static const double bounds[] = {1};
    assert_null(sluice_client_counter(NULL, "c", NULL, NULL));
    assert_null(sluice_client_gauge(NULL, "g", NULL, NULL));
    assert_null(sluice_client_histogram(NULL, "h", NULL, NULL, bounds, 1));
    sluice_counter_add(NULL, 1);
    sluice_gauge_set(NULL, 1);
    sluice_histogram_record(NULL, 1);
    assert_int_equal(sluice_client_flush(NULL), SLUICE_OFF);
    assert_int_equal(sluice_client_flush_every(NULL, 0), SLUICE_OFF);
    assert_int_equal(sluice_client_renew(NULL, NULL), -1);
    assert_int_equal(sluice_client_counts(NULL).flushes, 0);
    sluice_client_close(NULL);

    struct sluice_client *client = opened(NULL);
    static const struct sluice_label no_value[] = {{"key", NULL}, {NULL, NULL}};
    assert_null(sluice_client_counter(client, NULL, NULL, NULL));
    assert_null(sluice_client_counter(client, "", NULL, NULL));
    assert_null(sluice_client_counter(client, "c", NULL, no_value));
    assert_null(sluice_client_histogram(client, "h", NULL, NULL, NULL, 1));
    assert_null(sluice_client_histogram(client, "h", NULL, NULL, bounds, 0));
    assert_null(sluice_client_histogram(client, "h", NULL, NULL, bounds, SIZE_MAX));
    assert_int_equal(sluice_client_counts(client).metrics_refused, 6);
    sluice_client_close(client);
}

static bool is_taken(struct sluice_client *client, const char *text)
{
    const struct sluice_label key[] = {{text, "v"}, {NULL, NULL}};
    const struct sluice_label value[] = {{"k", text}, {NULL, NULL}};
    bool taken = sluice_client_counter(client, text, NULL, NULL) != NULL;
    assert_int_equal(sluice_client_gauge(client, "g", text, NULL) != NULL, taken);
    assert_int_equal(sluice_client_gauge(client, "g", NULL, key) != NULL, taken);
    assert_int_equal(sluice_client_gauge(client, "g", NULL, value) != NULL, taken);
    return taken;
}

TEST(a_text_that_is_not_utf8_is_refused)
{
    static const char *const right[] = {
        "a",
        "\x7f",
        "\xc2\x80",
        "\xdf\xbf",
        "\xe0\xa0\x80",
        "\xec\xbf\xbf",
        "\xed\x9f\xbf",
        "\xee\x80\x80",
        "\xef\xbf\xbf",
        "\xf0\x90\x80\x80",
        "\xf3\xbf\xbf\xbf",
        "\xf4\x8f\xbf\xbf",
        "z\xc3\xa9z",
    };
    static const char *const wrong[] = {
        "\x80",
        "\xbf",
        "\xc0\x80",
        "\xc1\xbf",
        "\xc2",
        "\xc2z",
        "\xc2\xc2",
        "\xe0\x9f\xbf",
        "\xe0\xa0",
        "\xe1\x80",
        "\xe1\x80z",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xf0\x8f\xbf\xbf",
        "\xf0\x90\x80",
        "\xf1\x80\x80z",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
        "a\xfe",
    };
    struct sluice_client *client = opened(NULL);
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        if (!is_taken(client, right[i]))
            fail_msg("text %zu was refused", i);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (is_taken(client, wrong[i]))
            fail_msg("text %zu was taken", i);
        assert_null(sluice_client_open("127.0.0.1:5555", wrong[i], NULL));
    }
    sluice_client_close(client);
}

TEST(any_definition_makes_samples_that_fit)
{
    /*
     * Defines histograms with shorter and shorter names, until one is accepted. The accepted one
     * must fit in a datagram and be sent.
     */
    struct sluice_client *client = opened(NULL);
    static char name[SLUICE_DATAGRAM_MOST + 2];
    static double bounds[SLUICE_BOUNDS_MOST];
    for (size_t i = 0; i < SLUICE_BOUNDS_MOST; i++)
        bounds[i] = (double)i;
    size_t longest = 0;
    memset(name, 'x', sizeof name - 1);
    for (size_t length = sizeof name - 1; length > 0 && longest == 0; length--) {
        name[length] = '\0';
        struct sluice_histogram *made =
            sluice_client_histogram(client, name, "s", NULL, bounds, SLUICE_BOUNDS_MOST);
        if (made == NULL)
            continue;
        longest = length;
        for (size_t i = 0; i <= SLUICE_BOUNDS_MOST; i++)
            sluice_histogram_record(made, (double)i);
    }
    assert_in_range(longest, 6000, 7000);
    assert_int_equal(sluice_client_flush(client), SLUICE_SENT);
    assert_int_equal(sent_count, 1);
    assert_true(sent[0].size <= SLUICE_DATAGRAM_MOST);
    sluice_client_close(client);
}
