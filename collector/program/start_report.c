#include "collector/program/start_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/base/version.h"
#include "collector/config/provenance.h"
#include "collector/config/units.h"
#include "collector/contract/compression.h"
#include "collector/contract/source.h"
#include "collector/log/log.h"
#include "collector/platform/control.h"
#include "collector/program/descriptor_plan.h"

#define MIB (1024.0 * 1024.0)

static void log_listener(const struct listener_config *listener)
{
    /* Logged only for captures; other sources log it when their sockets are served. */
    if (listener->source->ends)
        log_naming(LOG_INFO, LOG_OF_LISTENER, listener->name, "reading %s", listener->name);
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].value_is_default)
            log_naming(LOG_INFO, LOG_OF_LISTENER, listener->name,
                       "%s: every number of %s is a sample, because value= is not given and a sink "
                       "needs samples",
                       listener->name, listener->schemas[i].message);
}

static void log_sink(const struct sink_config *sink)
{
    const struct compression_ops *compression = sink->settings.file.compression;
    log_naming(LOG_INFO, LOG_OF_SINK, sink->name, "writing to %s as %s%s%s", sink->name,
               sink->settings.encoder->name, compression != NULL ? ", compressed with " : "",
               compression != NULL ? compression->name : "");
}

static void log_dead_letters(const struct dead_letter_config *dead_letters)
{
    char size[QUANTITY_TEXT_SIZE];
    if (dead_letters->name == NULL)
        return;
    quantity_format(QUANTITY_SIZE, dead_letters->max_size, size);
    log_naming(LOG_INFO, LOG_OF_DEAD_LETTERS, dead_letters->name, "dead letters to %s, %s at most",
               dead_letters->name, size);
}

/*
 * Warns if the queues are short. The queues get the part of --memory that the sinks do not need,
 * and a sink with a spill needs much.
 */
static void log_short_queues(const struct memory_plan *plan)
{
    if (plan->ring_capacity < MEMORY_SHORT_RING)
        log_line(LOG_WARNING,
                 "--memory leaves only %zu batches of 64 KiB for each sink's queue; longer bursts "
                 "are refused as ring_full; raise it to %" PRIu64 "MiB",
                 plan->ring_capacity, (plan->enough + (1 << 20) - 1) >> 20);
}

void start_report_log(const struct config *config, const struct memory_plan *plan)
{
    bool has_file = config->file != NULL;
    size_t more = has_file ? config->provenance->file_count - 1 : 0;
    char others[48] = "";
    if (more != 0)
        snprintf(others, sizeof others, " and %zu more file%s", more, more == 1 ? "" : "s");
    log_line(LOG_INFO, "version %s, process %lu, %s%s%s, memory %.1f MiB", SLUICE_VERSION,
             control_process_id(), has_file ? "configuration " : "no configuration file",
             has_file ? config->file : "", others, (double)plan->total / MIB);
    log_short_queues(plan);
    descriptor_plan_warn(config);
    for (size_t i = 0; i < config->listener_count; i++)
        log_listener(&config->listeners[i]);
    for (size_t i = 0; i < config->sink_count; i++)
        log_sink(&config->sinks[i]);
    log_dead_letters(&config->dead_letter);
    if (config->access.control != NULL)
        log_line(LOG_INFO, "control at %s", config->access.control);
}
