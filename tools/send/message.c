#include "tools/send/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/reading/wire.h"
#include "tools/sending/udp_sender.h"

const struct message_shape *const message_shapes[] = {
    &message_telemetry, &message_riemann,     &message_otlp,
    &message_otlp_logs, &message_otlp_traces, NULL,
};

static const struct metric metrics[] = {
    {"system.cpu.usage", "1", "cpu", 0.4218769302, false},
    {"system.memory.usage", "By", "node", 1274867712, false},
    {"system.disk.operations", "{operation}", "disk", 8817204, true},
    {"system.disk.io_time", "s", "disk", 73811, true},
    {"system.network.io.receive", "By", "interface", 920118273644, true},
    {"system.network.io.transmit", "By", "interface", 113928173311, true},
    {"system.network.errors", "{error}", "interface", 17, true},
    {"system.filesystem.usage", "By", "mount", 21474836480, false},
    {"system.filesystem.utilization", "1", "mount", 0.6174339, false},
    {"process.cpu.utilization", "1", "process", 0.0371, false},
    {"process.memory.virtual", "By", "process", 805306368, false},
    {"process.open_file_descriptors", "1", "process", 211, false},
    {"http.server.requests", "{request}", "worker", 48211973, true},
    {"http.server.duration.mean", "ms", "worker", 12.839917, false},
    {"http.server.active_requests", "1", "worker", 38, false},
    {"http.client.errors", "{error}", "worker", 204, true},
    {"db.client.connections.used", "1", "pool", 14, false},
    {"db.client.operation.mean", "ms", "pool", 3.1415927, false},
    {"queue.messages.waiting", "{message}", "queue", 1802, false},
    {"queue.messages.handled", "{message}", "queue", 99381121, true},
};
#define METRIC_COUNT (sizeof metrics / sizeof metrics[0])

const struct metric *metric_at(size_t index)
{
    return &metrics[index % METRIC_COUNT];
}

size_t metric_label(size_t index, char *text)
{
    return (size_t)snprintf(text, METRIC_LABEL_SIZE, "%zu", index / METRIC_COUNT);
}

/*
 * Encodes the message with this padding. Returns its size, or SIZE_MAX if it is too large for a
 * datagram.
 */
static size_t encode(struct message_template *message, size_t padding, size_t padding2,
                     uint64_t number)
{
    struct output out = {.data = (char *)message->bytes, .capacity = message->capacity};
    message->plan.padding = padding;
    message->plan.padding2 = padding2;
    message->shape->encode(&message->plan, number, 0, &out);
    message->size = out.used;
    message->number_size = wire_varint_size(number);
    return out.overflow ? SIZE_MAX : out.used;
}

/*
 * Pads the message to exactly the requested size. Padding of n bytes may add more than n bytes,
 * because the lengths before it grow too. So some sizes can only be reached with the second
 * padding.
 */
static bool encode_exactly(struct message_template *message, uint64_t number)
{
    size_t wanted = message->plan.size;
    for (size_t padding2 = 0; padding2 < 4; padding2++) {
        size_t bare = encode(message, 0, padding2, number);
        if (bare > wanted)
            return false;
        size_t padding = wanted - bare;
        while (encode(message, padding, padding2, number) > wanted)
            padding--;
        if (message->size == wanted)
            return true;
    }
    return false;
}

static bool encode_as_planned(struct message_template *message, uint64_t number)
{
    return message->plan.size != 0 ? encode_exactly(message, number)
                                   : encode(message, 0, 0, number) != SIZE_MAX;
}

int message_template_init(struct message_template *made, const struct message_shape *shape,
                          const struct message_plan *plan, uint64_t last_number,
                          struct error *error)
{
    *made = (struct message_template){
        .shape = shape,
        .plan = *plan,
        .bytes = malloc(UDP_PAYLOAD_MAX),
        .capacity = UDP_PAYLOAD_MAX - plan->reserved,
    };
    if (made->bytes == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a message");
        return -1;
    }
    if (encode(made, 0, 0, last_number) == SIZE_MAX) {
        error_set(error, EXIT_CODE_USAGE, "%zu samples do not fit a datagram of %zu bytes",
                  plan->samples, made->capacity);
        return -1;
    }
    if (plan->size != 0 && plan->size < made->size) {
        error_set(error, EXIT_CODE_USAGE,
                  "--size: such a message has %zu bytes at the end of this run, before padding",
                  made->size);
        return -1;
    }
    if (!encode_as_planned(made, last_number) || !encode_as_planned(made, 1)) {
        error_set(error, EXIT_CODE_USAGE, "--size: no message has exactly %zu bytes", plan->size);
        return -1;
    }
    return 0;
}

size_t message_template_stamp(struct message_template *message, uint64_t number, uint64_t time_ns,
                              uint8_t *bytes)
{
    if (wire_varint_size(number) != message->number_size)
        /* This cannot fail, because message_template_init has tried the largest number. */
        (void)encode_as_planned(message, number);
    memcpy(bytes, message->bytes, message->size);
    message->shape->stamp(&message->plan, bytes, message->size, number, time_ns);
    return message->size;
}

void message_template_clear(struct message_template *message)
{
    free(message->bytes);
    message->bytes = NULL;
}
