#include "tests/simulation/relayed.h"

#include "tests/simulation/message.h"
#include "tests/simulation/world.h"

/*
 * Finds the number of a relayed message. A frame of a stream is relayed together with its length
 * field of at most 4 bytes.
 */
static bool find_number(const uint8_t *bytes, size_t size, uint32_t *number)
{
    for (size_t head = 0; head <= 4 && head < size; head++)
        if (message_number_of_datagram(bytes + head, size - head, number))
            return true;
    return false;
}

static uint32_t number_of(unsigned sink, const uint8_t *bytes, size_t size)
{
    uint32_t number;
    if (!find_number(bytes, size, &number) || !history_may_have(sink, number))
        world_fail("sink %u sends a datagram that the program cannot have", sink);
    return number;
}

void relayed_take(uint16_t port, struct relayed_latest *latest, const uint8_t *bytes, size_t size)
{
    unsigned sink = port - RELAYED_PORT;
    struct delivered *delivered = &history->delivered[sink];
    uint32_t number = number_of(sink, bytes, size);
    unsigned flow = history->sent[number].flow;
    if (delivered->arrived[number]++ != 0)
        world_fail("sink %u has sent datagram %u twice", sink, number);
    if (latest->of_flow[flow] > (int64_t)number + 1)
        world_fail("sink %u has sent datagram %u of flow %u after %lld", sink, number, flow,
                   (long long)latest->of_flow[flow] - 1);
    latest->of_flow[flow] = (int64_t)number + 1;
    delivered->acknowledged++;
}

void relayed_note_failure(uint16_t port, const uint8_t *bytes, size_t size)
{
    unsigned sink = port - RELAYED_PORT;
    number_of(sink, bytes, size);
    history->delivered[sink].rejected++;
}
