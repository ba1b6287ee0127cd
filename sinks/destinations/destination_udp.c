/*
 * A `udp:` sink forwards datagrams unchanged, each to all targets, or to one of them by round
 * robin.
 *
 * With round robin, if a target cannot be reached, its datagram goes to the next target. To keep
 * the source addresses, datagrams are sent as raw packets (relay_packets.h), one by one.
 */
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/platform/udp.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/relay_packets.h"

struct relay {
    struct destination destination;
    struct relay_options options;
    struct datagram_sender *sender;
    struct relay_packets *packets; /* NULL if source addresses are not kept */
    size_t targets;
    bool round_robin;
    size_t next_target; /* round robin: the target of the next datagram */

    /*
     * The position of a send that stopped because the system had no room. The next call continues
     * it.
     */
    bool sending;
    size_t at;    /* the first datagram without an outcome */
    size_t tried; /* number of targets that were tried for this datagram */
};

static struct relay *udp_of(struct destination *destination)
{
    return (struct relay *)destination;
}

/* --- the order of sending --------------------------------------------------------------------- */

static void next_datagram(struct relay *relay)
{
    relay->at++;
    relay->tried = 0;
    relay->next_target = (relay->next_target + 1) % relay->targets;
}

static void note_sent(struct relay *relay, struct relay_datagram *datagram)
{
    RULE(relay->sending && relay->tried < relay->targets, "a datagram is sent once to each target");
    datagram->sent++;
    relay->tried++;
    if (relay->round_robin)
        datagram->outcome = RELAY_SENT; /* one target is enough, even if others failed before */
    if (relay->round_robin || relay->tried == relay->targets)
        next_datagram(relay);
}

static void note_unsent(struct relay *relay, struct relay_datagram *datagram,
                        enum relay_outcome outcome)
{
    RULE(relay->sending && relay->tried < relay->targets,
         "a datagram is tried once at each target");
    datagram->outcome = outcome;
    if (++relay->tried == relay->targets)
        next_datagram(relay);
}

/* Returns the next target of the datagram with index `at` + `after`, after `tried` targets. */
static size_t target_of(const struct relay *relay, size_t after, size_t tried)
{
    return relay->round_robin ? (relay->next_target + after + tried) % relay->targets : tried;
}

/* Fills `outgoing` with at most DATAGRAM_SENDER_MOST datagrams. Returns their number. */
static size_t udp_collect(const struct relay *relay, const struct relay_datagram *datagrams,
                          size_t count, struct outgoing *outgoing)
{
    size_t collected = 0;
    size_t tried = relay->tried;
    for (size_t i = relay->at; i < count && collected < DATAGRAM_SENDER_MOST; i++) {
        size_t end = relay->round_robin ? tried + 1 : relay->targets;
        for (; tried < end && collected < DATAGRAM_SENDER_MOST; tried++) {
            outgoing[collected++] = (struct outgoing){target_of(relay, i - relay->at, tried),
                                                      datagrams[i].data, datagrams[i].size};
        }
        tried = 0;
    }
    return collected;
}

static void udp_begin(struct relay *relay, struct relay_datagram *datagrams, size_t count)
{
    if (relay->sending)
        return;
    relay->sending = true;
    relay->at = 0;
    relay->tried = 0;
    for (size_t i = 0; i < count; i++) {
        datagrams[i].outcome = RELAY_SENT;
        datagrams[i].sent = 0;
    }
}

static bool send_packet(struct relay *relay, struct relay_datagram *datagrams, struct error *error)
{
    struct relay_datagram *datagram = &datagrams[relay->at];
    enum relay_outcome outcome;
    if (!relay_packets_send(relay->packets, target_of(relay, 0, relay->tried), datagram, &outcome,
                            error))
        return false;
    if (outcome == RELAY_SENT)
        note_sent(relay, datagram);
    else
        note_unsent(relay, datagram, outcome);
    return true;
}

static bool send_datagrams(struct relay *relay, struct relay_datagram *datagrams, size_t count,
                           struct error *error)
{
    struct outgoing outgoing[DATAGRAM_SENDER_MOST];
    size_t collected = udp_collect(relay, datagrams, count, outgoing);
    size_t sent = 0;
    switch (datagram_sender_send(relay->sender, outgoing, collected, &sent, error)) {
    case SEND_OK:
        while (sent-- != 0)
            note_sent(relay, &datagrams[relay->at]);
        break;
    case SEND_WOULD_BLOCK:
        return false;
    case SEND_TOO_LARGE:
        error_set(error, EXIT_CODE_IO, "a datagram of %zu bytes is too large for this target",
                  outgoing[0].size);
        note_unsent(relay, &datagrams[relay->at], RELAY_TOO_LARGE);
        break;
    case SEND_FAILED:
        note_unsent(relay, &datagrams[relay->at], RELAY_FAILED);
        break;
    }
    return true;
}

static bool udp_send_all(struct destination *destination, struct relay_datagram *datagrams,
                         size_t count, struct error *error)
{
    struct relay *relay = udp_of(destination);
    udp_begin(relay, datagrams, count);
    while (relay->at < count)
        if (!(relay->packets != NULL ? send_packet(relay, datagrams, error)
                                     : send_datagrams(relay, datagrams, count, error)))
            return false;
    relay->sending = false;
    return true;
}

static void udp_cancel(struct destination *destination, struct relay_datagram *datagrams,
                       size_t count)
{
    struct relay *relay = udp_of(destination);
    udp_begin(relay, datagrams, count);
    for (; relay->at < count; relay->at++)
        datagrams[relay->at].outcome = RELAY_FAILED;
    relay->sending = false;
    if (relay->packets != NULL)
        relay_packets_cancel(relay->packets);
}

/* --- making a destination --------------------------------------------------------------------- */

static void udp_destroy(struct destination *destination)
{
    relay_packets_destroy(udp_of(destination)->packets);
    datagram_sender_close(udp_of(destination)->sender);
    free(destination);
}

static const struct relay_ops relay_ops = {
    .send = udp_send_all,
    .cancel = udp_cancel,
};

static int open_sender(const struct destination_options *options, struct datagram_sender **out,
                       struct error *error)
{
    const struct datagram_sender_options to = {
        .targets = options->settings->relay.targets,
        .target_count = options->settings->relay.target_count,
        .packets = options->settings->relay.keep_source,
    };
    return datagram_sender_open(out, &to, error);
}

static int udp_create(const struct destination_options *options, struct destination **out,
                      struct error *error)
{
    struct relay *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    if (open_sender(options, &made->sender, error) != 0) {
        free(made);
        return -1;
    }
    made->destination = (struct destination){.relay = &relay_ops, .destroy = udp_destroy};
    made->options = options->settings->relay;
    if (made->options.keep_source)
        made->packets = relay_packets_create(made->sender, &made->options);
    if (made->options.keep_source && made->packets == NULL) {
        udp_destroy(&made->destination);
        return error_no_memory(error);
    }
    made->targets = options->settings->relay.target_count;
    made->round_robin = options->settings->relay.to_turn;
    *out = &made->destination;
    return 0;
}

static int udp_check(const struct destination_options *options, struct error *error)
{
    struct datagram_sender *sender;
    if (open_sender(options, &sender, error) != 0)
        return -1;
    datagram_sender_close(sender);
    return 0;
}

static bool udp_shape(const struct destination_options *options, struct destination_shape *shape)
{
    *shape = (struct destination_shape){
        .memory = options->settings->relay.keep_source ? relay_packets_memory() : 0,
    };
    return true;
}

const struct destination_ops destination_udp = {
    .scheme = "udp",
    .place = "ADDR:PORT[,ADDR:PORT]",
    .place_is = PLACE_TARGETS,
    .keys = DESTINATION_KEYS_RELAY,
    .takes = TAKES_DATAGRAMS,
    .shape = udp_shape,
    .check = udp_check,
    .create = udp_create,
};
