#include "tests/fuzz/collector_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/options.h"
#include "collector/ledger/ledger_print.h"
#include "collector/program/registry.h"
#include "tests/fuzz/quiet.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"

#define STALL_NS INT64_C(5000000000)

static void nobody(void *context)
{
    (void)context;
}

static void make(struct collector_inside *collector)
{
    static char program[] = "sluice", listen[] = "--listen", to[] = "--sink",
                control[] = "--control", metrics[] = "--metrics";
    static char listener[] = "udp://127.0.0.1:0?schema=riemann",
                sink[] = "file:/dev/null?format=influx", port[] = "127.0.0.1:0";
    static char socket_address[SCRATCH_PATH_SIZE];
    struct error error = {0};
    snprintf(socket_address, sizeof socket_address, "unix:%s/control", scratch_folder());
    char *argv[] = {program, listen,         listener, to,   sink,
                    control, socket_address, metrics,  port, NULL};
    struct pipeline_options options = {.config = &collector->config, .notify = nobody};
    quiet();
    EXPECT(options_parse(9, argv, &program_registry, &collector->config, &error) == OPTIONS_RUN,
           "%s", error.text);
    EXPECT(pipeline_create(&collector->pipeline, &options, &error) == 0 &&
               pipeline_start(collector->pipeline, &error) == 0,
           "%s", error.text);
    collector->health = health_watch_create(collector->pipeline, STALL_NS);
    if (collector->health == NULL)
        abort();
}

struct collector_inside *collector_inside(void)
{
    static struct collector_inside *collector;
    if (collector != NULL)
        return collector;
    collector = calloc(1, sizeof *collector);
    if (collector == NULL)
        abort();
    make(collector);
    return collector;
}

char *collector_ledger(struct collector_inside *collector)
{
    struct output out = {.data = malloc((size_t)1 << 20), .capacity = (size_t)1 << 20};
    struct ledger_snapshot *snapshot = pipeline_glance(collector->pipeline);
    if (out.data == NULL || snapshot == NULL)
        abort();
    ledger_write_json(snapshot, &out);
    output_char(&out, '\0');
    EXPECT(!out.overflow, "the ledger is longer than all room");
    ledger_snapshot_free(snapshot);
    char *listeners = strstr(out.data, "\"listeners\"");
    EXPECT(listeners != NULL, "a ledger without listeners: %s", out.data);
    memmove(out.data, listeners, strlen(listeners) + 1);
    return out.data;
}
