/*
 * A run made from a seed: the start of the collector, the senders, the operator's actions, the
 * faults of disk and network, and the end of each life of the program.
 */
#ifndef SLUICE_TESTS_SIMULATION_SCENARIO_H
#define SLUICE_TESTS_SIMULATION_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/simulation/children.h"
#include "tests/simulation/far_end.h"
#include "tests/simulation/frames.h"
#include "tests/simulation/history.h"
#include "tests/simulation/plan.h"

/* The folder that the program writes to. */
#define SCENARIO_FOLDER "/out"

enum scenario_sink_kind {
    SINK_FILE,
    SINK_ROTATED,
    SINK_PIPE,
    SINK_DELIVERY,
    SINK_RELAY,
    SINK_COMMAND
};

struct scenario_listener {
    bool is_there;
    const char *receivers; /* a key that no reload changes */
    char url[200];
    char name[40]; /* in the ledger */
};

/* A listener of streams. Values are the smallest or largest that a key had in this run. */
struct scenario_stream {
    bool is_there;
    enum framing_kind framing; /* this and the next two: keys that no reload changes */
    bool is_answered;          /* each frame: schema=riemann */
    const char *receivers;
    unsigned least_connections, most_connections, least_of_address;
    int64_t idle_ns, frame_ns;
    char url[250];
    char name[40]; /* name in the ledger; "": the run has no streams */
};

/*
 * A sink; if it is not there, a reload may add it. The properties hold in all configurations of a
 * run.
 */
struct scenario_sink {
    bool is_there;
    enum scenario_sink_kind kind;
    bool syncs;                     /* fsync= is never "never" */
    bool syncs_each;                /* always fsync=always, with a spill */
    bool evicts;                    /* overflow=drop_oldest in some configuration */
    struct far_end_options far_end; /* of a delivery */
    struct child_options child;     /* of a command */
    char spill[40];                 /* the folder of its spill; "": no spill */
    char url[200];
    char name[40]; /* in the ledger */
};

/* In memory that is shared by all processes of a run, because a reload changes it. */
struct scenario {
    uint64_t seed;
    struct plan plan;
    unsigned lives;
    bool one_thread;
    bool has_file; /* has a configuration file, which the operator changes */
    struct scenario_listener listeners[HISTORY_LISTENERS];
    struct scenario_stream streams[HISTORY_STREAMS];
    struct scenario_sink sinks[HISTORY_SINKS];
    bool with_faults;   /* of the disk */
    bool rotates_often; /* a sink rotates every few kilobytes */
    int64_t stop_timeout_ns, stall_timeout_ns;
    int64_t patience_ns; /* the operator waits this long before a stop */

    int argc;
    char *argv[24];
    char texts[24][256];
};

/* The first listener's port; those of the other listeners follow. */
#define SCENARIO_PORT 5555

void scenario_make(struct scenario *scenario, uint64_t seed);

/* Describes the scenario in a line without a newline. */
void scenario_describe(const struct scenario *scenario, char *line, size_t size);

/* Runs a life of the program in this process, to its end. `last`: it ends with a stop. */
_Noreturn void scenario_live(struct scenario *scenario, bool last, bool trace);

#endif
