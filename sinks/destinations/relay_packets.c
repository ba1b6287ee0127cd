#include "sinks/destinations/relay_packets.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/capture/udp_fragments.h"
#include "collector/platform/clock.h"

struct relay_packets {
    struct datagram_sender *sender;
    const struct relay_options *options;
    uint32_t number;                /* the identification for the fragments of the next datagram */
    size_t mtu[RELAY_TARGETS_MOST]; /* the last known MTU of the path to each target */

    /* The datagram that is being sent. */
    bool sending;
    bool asked; /* the MTU was queried again, because a packet exceeded the last known MTU */
    struct udp_fragments fragments;
    size_t size; /* size of the next packet, or 0 if not made yet */
    uint8_t packet[UDP_PACKET_MAX];
};

size_t relay_packets_memory(void)
{
    return sizeof(struct relay_packets);
}

static void ask_mtu(struct relay_packets *packets, size_t target)
{
    size_t mtu = datagram_sender_mtu(packets->sender, target);
    packets->mtu[target] = mtu < UDP_PACKET_MAX ? mtu : UDP_PACKET_MAX;
}

struct relay_packets *relay_packets_create(struct datagram_sender *sender,
                                           const struct relay_options *options)
{
    struct relay_packets *packets = malloc(sizeof *packets);
    if (packets == NULL)
        return NULL;
    packets->sender = sender;
    packets->options = options;
    packets->number = (uint32_t)clock_monotonic_ns();
    packets->sending = false;
    for (size_t i = 0; i < options->target_count; i++)
        ask_mtu(packets, i);
    return packets;
}

void relay_packets_destroy(struct relay_packets *packets)
{
    free(packets);
}

static void packets_begin(struct relay_packets *packets, size_t target,
                          const struct udp_packet *packet)
{
    udp_fragments_begin(&packets->fragments, packet, packets->mtu[target], packets->number++);
    packets->sending = true;
    packets->size = 0;
}

static bool packets_end(struct relay_packets *packets, enum relay_outcome *outcome,
                        enum relay_outcome is)
{
    packets->sending = false;
    *outcome = is;
    return true;
}

static enum relay_outcome packets_classify(const struct udp_packet *packet, struct error *error)
{
    if (packet->source->family != packet->destination->family) {
        char text[ADDRESS_TEXT_SIZE];
        address_format(packet->source, text);
        error_set(error, EXIT_CODE_IO, "the sender %s has another address family than the target",
                  text);
        return RELAY_NO_SOURCE;
    }
    if (udp_packet_headers_size(packet) != 0)
        return RELAY_SENT;
    error_set(error, EXIT_CODE_IO, "%zu bytes are too many for a packet", packet->size);
    return RELAY_TOO_LARGE;
}

bool relay_packets_send(struct relay_packets *packets, size_t target,
                        const struct relay_datagram *datagram, enum relay_outcome *outcome,
                        struct error *error)
{
    const struct udp_packet packet = {
        .source = &datagram->source,
        .destination = &packets->options->targets[target],
        .payload = datagram->data,
        .size = datagram->size,
        .length = datagram->size,
    };
    RULE(target < packets->options->target_count, "a packet goes to one of the targets");
    if (!packets->sending) {
        enum relay_outcome why = packets_classify(&packet, error);
        if (why != RELAY_SENT)
            return packets_end(packets, outcome, why);
        packets->asked = false;
        packets_begin(packets, target, &packet);
    }
    for (;;) {
        if (packets->size == 0)
            packets->size = udp_fragments_next(&packets->fragments, packets->packet);
        if (packets->size == 0)
            return packets_end(packets, outcome, RELAY_SENT);
        const struct outgoing outgoing = {target, packets->packet, packets->size};
        size_t sent;
        switch (datagram_sender_send(packets->sender, &outgoing, 1, &sent, error)) {
        case SEND_OK:
            packets->size = 0;
            break;
        case SEND_WOULD_BLOCK:
            return false;
        case SEND_FAILED:
            return packets_end(packets, outcome, RELAY_FAILED);
        case SEND_TOO_LARGE: /* the path's MTU has changed: send all packets again, once */
            error_set(error, EXIT_CODE_IO, "a packet of %zu bytes exceeds the path MTU",
                      packets->size);
            if (packets->asked)
                return packets_end(packets, outcome, RELAY_TOO_LARGE);
            packets->asked = true;
            ask_mtu(packets, target);
            packets_begin(packets, target, &packet);
            break;
        }
    }
}

void relay_packets_cancel(struct relay_packets *packets)
{
    packets->sending = false;
}
