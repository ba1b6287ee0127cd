#include "collector/program/descriptor_plan.h"

#include <inttypes.h>

#include "collector/contract/source.h"
#include "collector/control/control_service.h"
#include "collector/log/log.h"
#include "collector/metrics/metrics_server.h"
#include "collector/platform/process.h"

/*
 * Numbers of descriptors, rounded up: for the program itself, for a receiver, and for a sink
 * without its connections. A sink has one file open, and opens another one for a rotation. A sink
 * with many files closes some if descriptors are short.
 */
#define OF_PROGRAM  16
#define OF_RECEIVER 4
#define OF_SINK     8

static uint64_t of_senders(const struct config *config)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < config->listener_count; i++)
        if ((config->listeners[i].source->keys & SOURCE_KEYS_STREAM) != 0)
            sum += config->listeners[i].max_connections;
    return sum;
}

static uint64_t of_own(const struct config *config)
{
    uint64_t sum = OF_PROGRAM;
    for (size_t i = 0; i < config->listener_count; i++)
        sum += OF_RECEIVER * (config->listeners[i].receivers + 1);
    for (size_t i = 0; i < config->sink_count; i++)
        sum += OF_SINK + config->sinks[i].settings.delivery.in_flight;
    return sum;
}

static uint64_t of_clients(const struct config *config)
{
    uint64_t sum = 0;
    if (config->access.control != NULL)
        sum += CONTROL_CLIENTS + 2; /* the socket, and a client that waits for a slot */
    if (config_serves_metrics(config))
        sum += METRICS_CONNECTIONS;
    return sum;
}

void descriptor_plan_keep(const struct config *config)
{
    const uint64_t wanted[DESCRIPTOR_USES] = {
        [DESCRIPTOR_OF_SENDER] = of_senders(config),
        [DESCRIPTOR_OF_OWN] = of_own(config),
        [DESCRIPTOR_OF_CLIENT] = of_clients(config),
    };
    descriptors_keep(wanted);
}

void descriptor_plan_warn(const struct config *config)
{
    uint64_t most = descriptors_most();
    uint64_t needed = of_senders(config) + of_own(config) + of_clients(config);
    if (needed > most)
        log_line(LOG_WARNING,
                 "open files: this configuration may need %" PRIu64
                 ", but the system allows %" PRIu64
                 "; raise the hard limit (ulimit -Hn, LimitNOFILE= of systemd)%s",
                 needed, most,
                 of_senders(config) != 0 ? ", or lower max_connections= of its listeners" : "");
}
