#include "tests/simulation/senders.h"

#include <stddef.h>

#include "tests/simulation/history.h"
#include "tests/simulation/message.h"
#include "tests/simulation/network.h"
#include "tests/simulation/world.h"

struct sender {
    uint8_t index, listener;
    uint16_t port;
    uint32_t sequence;
    struct address address;
};

static struct sender senders[HISTORY_SENDERS];
static unsigned sending;

bool senders_go_on(void)
{
    return sending != 0;
}

/* --- the network between senders and collector ------------------------------------------------ */

#define ON_THE_WAY 4096

struct departure {
    const struct sender *sender;
    uint32_t sequence;
    uint16_t padding;
    bool is_good;
    int64_t arrives_ns;
};

static struct {
    unsigned lost, doubled, late; /* datagrams in a thousand */
    int64_t latest_ns;
    struct departure departures[ON_THE_WAY];
    size_t count;
    int64_t next_ns;
    bool has_news;
} way;

/*
 * A datagram arrives at the collector's host. The two copies of a duplicated datagram have the same
 * sequence number, but different message numbers, so that the checks can distinguish them.
 */
static void arrive(const struct departure *one)
{
    uint8_t bytes[NETWORK_DATAGRAM_MAX];
    const struct sender *sender = one->sender;
    if (history->sent_count == HISTORY_DATAGRAMS)
        return;
    uint32_t number = history->sent_count++;
    unsigned flow = sender->index + network_generation(sender->port) % 4 * HISTORY_SENDERS;
    history->sent[number] = (struct sent){.life = (uint8_t)history->life,
                                          .listener = sender->listener,
                                          .flow = (uint16_t)flow,
                                          .sequence = one->sequence,
                                          .is_good = one->is_good};
    const struct message message = {.number = number,
                                    .sender = sender->index,
                                    .boot = history->life,
                                    .sequence = one->sequence,
                                    .is_good = one->is_good,
                                    .padding = one->padding};
    size_t size = message_write(bytes, &message);
    network_send(sender->port, &sender->address, bytes, size, number);
}

static void depart(struct departure departure)
{
    if (way.count == ON_THE_WAY || !world_chance(way.late)) {
        arrive(&departure);
        return;
    }
    departure.arrives_ns = world_now_ns() + 1 + (int64_t)world_below((uint64_t)way.latest_ns);
    way.departures[way.count++] = departure;
    way.has_news = way.has_news || departure.arrives_ns < way.next_ns;
}

static void send_one(struct sender *sender)
{
    if (history->sent_count == HISTORY_DATAGRAMS)
        return;
    struct departure departure = {.sender = sender,
                                  .sequence = ++sender->sequence,
                                  .is_good = !world_chance(50),
                                  .padding = (uint16_t)(world_below(3) * 400)};
    if (way.lost != 0 && world_chance(way.lost))
        return;
    depart(departure);
    if (way.doubled != 0 && world_chance(way.doubled))
        depart(departure);
}

static bool has_news(const void *context)
{
    (void)context;
    return way.has_news;
}

static void carry(void *argument)
{
    (void)argument;
    for (;;) {
        way.has_news = false;
        way.next_ns = WORLD_NEVER;
        for (size_t i = 0; i < way.count;) {
            struct departure departure = way.departures[i];
            if (departure.arrives_ns <= world_now_ns()) {
                way.departures[i] = way.departures[--way.count];
                arrive(&departure);
                continue;
            }
            way.next_ns = departure.arrives_ns < way.next_ns ? departure.arrives_ns : way.next_ns;
            i++;
        }
        world_wait(has_news, NULL, way.next_ns);
    }
}

static void begin_way(void)
{
    if (world_chance(500))
        return;
    way.lost = world_chance(500) ? (unsigned)world_below(100) : 0;
    way.doubled = world_chance(500) ? (unsigned)world_below(100) : 0;
    way.late = world_chance(500) ? (unsigned)world_below(300) : 0;
    way.latest_ns = (int64_t)(1 + world_below(world_chance(200) ? 1000 : 30)) * MILLISECONDS;
    world_start("network", carry, NULL);
}

/* --- the senders ------------------------------------------------------------------------------ */

static void send(void *argument)
{
    struct sender *sender = argument;
    world_sleep((int64_t)world_below(20) * MILLISECONDS);
    for (uint64_t bursts = world_below(12); bursts > 0; bursts--) {
        int64_t pace_ns = world_chance(500) ? 0 : (int64_t)world_below(200) * MICROSECONDS;
        for (uint64_t count = world_below(world_chance(200) ? 400 : 40); count > 0; count--) {
            send_one(sender);
            if (pace_ns != 0)
                world_sleep(pace_ns);
        }
        world_sleep((int64_t)world_below(world_chance(100) ? 2000 : 50) * MILLISECONDS);
    }
    sending--;
}

struct address senders_address(unsigned index)
{
    const uint8_t host[4] = {127, 0, 0, 1};
    return address_from_ipv4(host, (uint16_t)(40000 + index));
}

void senders_begin(unsigned listeners, unsigned port)
{
    unsigned count = 1 + (unsigned)world_below(HISTORY_SENDERS);
    begin_way();
    for (unsigned i = 0; i < count; i++) {
        struct sender *sender = &senders[i];
        *sender = (struct sender){.index = (uint8_t)i, .listener = (uint8_t)(i % listeners)};
        sender->port = (uint16_t)(port + sender->listener);
        sender->address = senders_address(i);
        sending++;
        world_start("sender", send, sender);
    }
}
