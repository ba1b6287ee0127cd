#include "tests/simulation/check_source.h"

#include <stdio.h>
#include <string.h>

#include "tests/simulation/clients.h"
#include "tests/simulation/configuration_tcp.h"
#include "tests/simulation/history.h"
#include "tests/simulation/senders.h"
#include "tests/simulation/world.h"

/*
 * The end of each line of a flow, which names the sender and the listener. It is taken from the
 * first checked line of the flow.
 */
static struct ending {
    uint8_t listener;
    size_t size; /* 0 if no line was checked yet */
    char text[100];
} endings[HISTORY_FLOWS];

static struct address source_of(const struct sent *sent)
{
    return sent->listener < HISTORY_LISTENERS ? senders_address(sent->flow % HISTORY_SENDERS)
                                              : clients_address(sent->flow - HISTORY_SENDER_FLOWS);
}

static void write_ending(struct ending *ending, const struct sent *sent)
{
    bool is_stream = sent->listener >= HISTORY_LISTENERS;
    unsigned port =
        is_stream ? TCP_PORT + sent->listener - HISTORY_LISTENERS : SCENARIO_PORT + sent->listener;
    const struct address source = source_of(sent);
    char text[ADDRESS_TEXT_SIZE];
    address_format(&source, text);
    ending->listener = sent->listener;
    ending->size = (size_t)snprintf(ending->text, sizeof ending->text,
                                    "\"source\":\"%s\",\"listener\":\"%s://127.0.0.1:%u\"}", text,
                                    is_stream ? "tcp" : "udp", port);
}

void check_source(uint32_t number, const char *line, size_t size)
{
    const struct sent *sent = &history->sent[number];
    struct ending *ending = &endings[sent->flow];
    if (ending->size == 0 || ending->listener != sent->listener)
        write_ending(ending, sent);
    if (size < ending->size || memcmp(line + size - ending->size, ending->text, ending->size) != 0)
        world_fail("the line of datagram %u ends with %.*s, not with %s", number, (int)ending->size,
                   size < ending->size ? "" : line + size - ending->size, ending->text);
}
