/* Implements the shape of a message that is sent unchanged. */
#include "tools/send/message.h"

static void encode(const struct message_plan *plan, uint64_t number, uint64_t time_ns,
                   struct output *out)
{
    (void)number;
    (void)time_ns;
    output_bytes(out, plan->given.data, plan->given.size);
}

static void stamp(const struct message_plan *plan, uint8_t *bytes, size_t size, uint64_t number,
                  uint64_t time_ns)
{
    (void)plan;
    (void)bytes;
    (void)size;
    (void)number;
    (void)time_ns;
}

const struct message_shape message_given = {
    .name = "given",
    .member = 1,
    .encode = encode,
    .stamp = stamp,
};
