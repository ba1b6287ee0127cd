/*
 * Tests that the kernel's filter of senders agrees with the list of networks. The test runs the
 * filter itself, and in the kernel.
 */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/platform/linux/source_filter.h"
#include "tests/support/base/network_making.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

static uint64_t chance;

static uint64_t random_below(uint64_t end)
{
    return next_below(&chance, end);
}

static struct network cut_to(struct address address, unsigned prefix)
{
    for (unsigned bit = prefix; bit < 128; bit++)
        address.bytes[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
    return (struct network){address, (uint8_t)prefix};
}

/* --- the instructions of the filter ----------------------------------------------------------- */

static struct sock_filter program[BPF_MAXINSNS];

static size_t make(const struct networks *sources)
{
    size_t needed = 0;
    assert_true(source_filter_make(sources, program, &needed));
    return needed;
}

/*
 * Runs the first `count` instructions on a packet with this IP header, as the kernel would. Returns
 * true if the filter accepts the packet.
 */
static bool takes(size_t count, const uint8_t *header)
{
    uint32_t a = 0;
    for (size_t at = 0; at < count;) {
        const struct sock_filter *step = &program[at++];
        const uint8_t *from = header + (uint32_t)(step->k - (uint32_t)SKF_NET_OFF);
        switch (step->code) {
        case BPF_LD | BPF_B | BPF_ABS:
            a = *from;
            break;
        case BPF_LD | BPF_W | BPF_ABS:
            a = (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 |
                from[3];
            break;
        case BPF_JMP | BPF_JA:
            at += step->k;
            break;
        case BPF_JMP | BPF_JGE | BPF_K:
            at += a >= step->k ? step->jt : step->jf;
            break;
        case BPF_RET | BPF_K:
            return step->k != 0;
        default:
            fail_msg("instruction %zu of %zu: 0x%x", at - 1, count, (unsigned)step->code);
        }
    }
    fail_msg("no answer in %zu instructions", count);
    return false;
}

static bool takes_from(size_t count, const struct address *source)
{
    uint8_t header[40] = {0};
    bool ipv4 = source->family == ADDRESS_IPV4;
    memset(header, 0xa5, sizeof header);
    header[0] = ipv4 ? 0x46 : 0x6f;
    memcpy(header + (ipv4 ? 12 : 8), source->bytes, ipv4 ? 4 : 16);
    return takes(count, header);
}

static void assert_agree(size_t count, const struct networks *sources, struct address address)
{
    char text[ADDRESS_TEXT_SIZE];
    if (takes_from(count, &address) == networks_hold(sources, &address))
        return;
    address_format(&address, text);
    fail_msg("the filter of %zu instructions %s %s", count,
             takes_from(count, &address) ? "takes" : "refuses", text);
}

static struct address address_of(enum address_family family, struct host_number number)
{
    uint8_t bytes[16];
    for (unsigned i = 0; i < 8; i++) {
        bytes[7 - i] = (uint8_t)(number.high >> 8 * i);
        bytes[15 - i] = (uint8_t)(number.low >> 8 * i);
    }
    return family == ADDRESS_IPV4 ? address_from_ipv4(bytes + 12, 0)
                                  : address_from_ipv6(bytes, 0, 0);
}

static void assert_agree_at_edges(size_t count, const struct networks *sources)
{
    for (size_t i = 0; i < sources->ipv4_count + sources->ipv6_count; i++) {
        const struct network_range *range = &sources->ranges[i];
        enum address_family family = i < sources->ipv4_count ? ADDRESS_IPV4 : ADDRESS_IPV6;
        const struct host_number edges[] = {range->first, range->last};
        for (int k = 0; k < 2; k++) {
            struct host_number edge = edges[k];
            struct host_number after = {edge.high + (edge.low == UINT64_MAX), edge.low + 1};
            struct host_number before = {edge.high - (edge.low == 0), edge.low - 1};
            assert_agree(count, sources, address_of(family, edge));
            assert_agree(count, sources, address_of(family, after));
            assert_agree(count, sources, address_of(family, before));
        }
    }
}

static void assert_filters(const struct network *list, size_t count)
{
    struct networks *allow = made(list, count);
    struct networks *rest = networks_except(NULL, allow);
    assert_non_null(rest);
    size_t needed = make(allow);
    assert_in_range(needed, 1, BPF_MAXINSNS);
    assert_agree_at_edges(needed, allow);
    needed = make(rest);
    assert_in_range(needed, 1, BPF_MAXINSNS);
    assert_agree_at_edges(needed, rest);
    networks_free(allow);
    networks_free(rest);
}

TEST(a_filter_agrees_at_the_edges_of_one_network_of_any_size)
{
    for (unsigned prefix = 0; prefix <= 128; prefix++) {
        struct network ipv4 = cut_to(host("170.85.204.51"), prefix < 32 ? prefix : 32);
        struct network ipv6 = cut_to(host("aaaa:5555:cccc:3333:f0f0:0f0f:ffff:1"), prefix);
        struct network last = cut_to(host("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), prefix);
        assert_filters(&ipv4, 1);
        assert_filters(&ipv6, 1);
        assert_filters(&last, 1);
        last = cut_to(host("255.255.255.255"), prefix < 32 ? prefix : 32);
        assert_filters(&last, 1);
    }
}

TEST(a_filter_of_nobody_and_of_everybody_is_short)
{
    struct networks *nobody = made(NULL, 0);
    struct networks *everybody = networks_except(NULL, NULL);
    const struct address some[] = {host("10.0.0.1"), host("0.0.0.0"), host("::"), host("fe80::1")};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        assert_in_range(make(nobody), 1, 4);
        assert_agree(make(nobody), nobody, some[i]);
        assert_in_range(make(everybody), 1, 4);
        assert_agree(make(everybody), everybody, some[i]);
    }
    networks_free(nobody);
    networks_free(everybody);
}

/*
 * The words are from a short list, so the addresses often agree in some words. The filter must
 * compare each word.
 */
static struct address random_address(void)
{
    struct address address = {.family = random_below(2) == 0 ? ADDRESS_IPV4 : ADDRESS_IPV6};
    size_t size = address.family == ADDRESS_IPV4 ? 4 : 16;
    static const uint8_t words[][4] = {{0}, {0, 0, 0, 1}, {255, 255, 255, 255}, {10, 1}};
    for (size_t i = 0; i < size; i += 4) {
        memcpy(address.bytes + i, words[random_below(4)], 4);
        if (random_below(3) == 0)
            address.bytes[i + random_below(4)] = (uint8_t)random_below(256);
    }
    return address;
}

TEST(random_filters_agree_with_their_lists)
{
    enum { MOST = 600 };
    static struct network list[MOST];
    chance = 0x9e3779b97f4a7c15;
    for (int round = 0; round < 300; round++) {
        size_t count = random_below(round % 10 == 0 ? MOST : 20);
        for (size_t i = 0; i < count; i++) {
            struct address address = random_address();
            unsigned most = address.family == ADDRESS_IPV4 ? 32 : 128;
            list[i] = cut_to(address, (unsigned)(most - random_below(most * 3 / 4)));
        }
        struct networks *sources = made(list, count);
        size_t needed = make(sources);
        assert_in_range(needed, 1, BPF_MAXINSNS);
        assert_agree_at_edges(needed, sources);
        for (int i = 0; i < 500; i++)
            assert_agree(needed, sources, random_address());
        networks_free(sources);
    }
}

/* --- the filter in the kernel ----------------------------------------------------------------- */

static void open_filtered(struct receiving *receiving, const char *bound,
                          const struct networks *sources)
{
    struct udp_socket_options options = {.address = host(bound),
                                         .receive_buffer = RECEIVING_BUFFER,
                                         .max_datagram = DATAGRAM_MAX_SIZE,
                                         .only_from = sources};
    receiving_open_with(receiving, &options);
}

/*
 * Sends a datagram from an address in 127.0.0.0/8. Each of these addresses belongs to this machine.
 */
static void send_from(const struct address *source, uint16_t port)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memcpy(&from.sin_addr, source->bytes, 4);
    int sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_true(sender >= 0);
    assert_int_equal(bind(sender, (struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(sendto(sender, "x", 1, 0, (struct sockaddr *)&to, sizeof to), 1);
    close(sender);
}

static void assert_received(struct receiving *receiving, bool expected,
                            const struct address *source, uint64_t *drops)
{
    char text[ADDRESS_TEXT_SIZE];
    const struct datagram_slot *slot = receiving_next(receiving);
    *drops += !expected;
    address_format(source, text);
    if ((slot != NULL) != expected)
        fail_msg("%s came %s", text, expected ? "not through" : "through");
    if (slot != NULL)
        assert_memory_equal(slot->source.bytes, source->bytes, sizeof source->bytes);
    assert_int_equal(udp_socket_drops(receiving->socket), *drops);
}

TEST_WITH(the_kernel_takes_whom_the_list_holds_and_counts_the_others, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    enum { MOST = 200 };
    struct network list[MOST];
    chance = 0x2545f4914f6cdd1d;
    for (int round = 0; round < 20; round++) {
        size_t count = 1 + random_below(MOST);
        uint64_t drops = 0;
        for (size_t i = 0; i < count; i++) {
            const uint8_t bytes[4] = {127, (uint8_t)random_below(3), (uint8_t)random_below(256),
                                      (uint8_t)random_below(256)};
            list[i] = cut_to(address_from_ipv4(bytes, 0), (unsigned)(20 + random_below(13)));
        }
        struct networks *sources = made(list, count);
        /* Every second socket is open for IPv4 and IPv6. */
        open_filtered(receiving, round % 2 == 0 ? "127.0.0.1" : "::", sources);
        for (int i = 0; i < 100; i++) {
            struct address source = list[random_below(count)].address;
            source.bytes[3] = (uint8_t)(source.bytes[3] + random_below(40));
            source.bytes[2] = (uint8_t)(source.bytes[2] + random_below(2));
            if (random_below(2) == 0)
                source.bytes[3] = (uint8_t)(1 + random_below(254));
            send_from(&source, receiving->to.port);
            assert_received(receiving, networks_hold(sources, &source), &source, &drops);
        }
        receiving_close_socket(receiving);
        networks_free(sources);
    }
}

TEST_WITH(an_ipv6_sender_is_judged_as_such, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!loopback_has_ipv6())
        skip();
    struct udp_sender *sender = udp_sender_open(ADDRESS_IPV6);
    const struct network local[] = {network("::1", 128), network("127.0.0.0", 9)};
    const struct address source = host("::1");
    for (size_t i = 0; i < 2; i++) {
        uint64_t drops = 0;
        struct networks *sources = made(&local[i], 1);
        open_filtered(receiving, "::", sources);
        struct address to = host("::1");
        to.port = receiving->to.port;
        udp_sender_send(sender, &to, "x", 1);
        assert_received(receiving, i == 0, &source, &drops);
        receiving_close_socket(receiving);
        networks_free(sources);
    }
    udp_sender_close(sender);
}

TEST_WITH(a_filter_is_there_before_the_address_is, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    const struct address first = host("127.0.0.1");
    uint64_t drops = 0;
    struct networks *nobody = made(NULL, 0);
    struct udp_socket_options options = {.address = first,
                                         .receive_buffer = RECEIVING_BUFFER,
                                         .max_datagram = DATAGRAM_MAX_SIZE,
                                         .only_from = nobody};
    struct error error;
    assert_int_equal(udp_socket_open(&receiving->socket, &options, &error), 0);
    networks_free(nobody); /* only udp_socket_open uses it */
    assert_int_equal(udp_socket_bind(receiving->socket, &error), 0);
    send_from(&first, udp_socket_address(receiving->socket).port);
    assert_received(receiving, false, &first, &drops);
}

TEST_WITH(refusing_all_takes_the_filters_place, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    const struct network local = network("127.0.0.0", 8);
    const struct address source = host("127.0.0.1");
    uint64_t drops = 0;
    struct networks *sources = made(&local, 1);
    open_filtered(receiving, "127.0.0.1", sources);
    send_from(&source, receiving->to.port);
    assert_true(udp_socket_refuse_all(receiving->socket));
    send_from(&source, receiving->to.port);
    assert_non_null(receiving_next(receiving));
    assert_received(receiving, false, &source, &drops);
    networks_free(sources);
}

/* --- the maximum length of a list ------------------------------------------------------------- */

static struct networks *many(size_t count)
{
    struct network *list = calloc(count, sizeof *list);
    assert_non_null(list);
    for (size_t i = 0; i < count; i++) {
        const uint8_t bytes[4] = {(uint8_t)(1 + (i >> 15)), (uint8_t)(i >> 7), (uint8_t)(i << 1)};
        list[i] = (struct network){address_from_ipv4(bytes, 0), 24};
    }
    struct networks *networks = made(list, count);
    assert_int_equal(networks->ipv4_count, count);
    free(list);
    return networks;
}

TEST(two_thousand_networks_fit)
{
    struct error error;
    struct networks *sources = many(2000);
    size_t needed = make(sources);
    assert_in_range(needed, 4000, BPF_MAXINSNS);
    assert_agree_at_edges(needed, sources);
    assert_int_equal(udp_socket_check_filter(sources, &error), 0);
    networks_free(sources);
}

TEST(a_list_that_does_not_fit_is_refused_and_the_number_reported)
{
    struct error error;
    struct udp_socket *socket;
    struct networks *sources = many(20000);
    const struct udp_socket_options options = {
        .address = host("127.0.0.1"), .max_datagram = 1, .only_from = sources};
    assert_true(make(sources) > 40000);
    assert_int_equal(udp_socket_check_filter(sources, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, "kernel_filter=on: 20000 ranges of addresses take"));
    assert_non_null(strstr(error.text, "the kernel takes at most 4096"));
    assert_int_equal(udp_socket_open(&socket, &options, &error), -1);
    networks_free(sources);
}
