/* Implements the sending part of collector/platform/udp.h in the simulated world. */
#include <stdlib.h>

#include "collector/platform/udp.h"
#include "tests/simulation/relayed.h"
#include "tests/simulation/world.h"

const bool datagram_sender_can_send_packets = false;

#define TARGETS_MOST 16

struct datagram_sender {
    struct address targets[TARGETS_MOST];
    int64_t full_until_ns; /* until this time the system has no room for datagrams */
    struct relayed_latest latest;
};

int datagram_sender_open(struct datagram_sender **out,
                         const struct datagram_sender_options *options, struct error *error)
{
    world_step();
    struct datagram_sender *sender = calloc(1, sizeof *sender);
    if (sender == NULL)
        return error_no_memory(error);
    for (size_t i = 0; i < options->target_count && i < TARGETS_MOST; i++)
        sender->targets[i] = options->targets[i];
    *out = sender;
    return 0;
}

void datagram_sender_close(struct datagram_sender *sender)
{
    free(sender);
}

static enum send_result fail(struct error *error)
{
    error_set(error, EXIT_CODE_IO, "the network is away");
    return SEND_FAILED;
}

enum send_result datagram_sender_send(struct datagram_sender *sender,
                                      const struct outgoing *datagrams, size_t count, size_t *sent,
                                      struct error *error)
{
    world_step();
    if (sender->full_until_ns <= world_now_ns() && world_chance(20))
        sender->full_until_ns = world_now_ns() + (int64_t)world_below(40) * MILLISECONDS;
    if (sender->full_until_ns > world_now_ns())
        return SEND_WOULD_BLOCK;
    size_t most = world_chance(100) ? 1 + (size_t)world_below(count) : count;
    if (world_chance(20)) {
        relayed_note_failure(sender->targets[datagrams[0].target].port, datagrams[0].data,
                             datagrams[0].size);
        return fail(error);
    }
    for (size_t i = 0; i < most; i++)
        relayed_take(sender->targets[datagrams[i].target].port, &sender->latest, datagrams[i].data,
                     datagrams[i].size);
    *sent = most;
    world_step();
    return SEND_OK;
}

size_t datagram_sender_mtu(const struct datagram_sender *sender, size_t target)
{
    (void)sender;
    (void)target;
    return 65535;
}

bool datagram_sender_is_local(const struct address *address)
{
    (void)address;
    return false;
}
