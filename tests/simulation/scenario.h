/*
 * Controls the run of a seed: starts the collector and the senders, acts as the operator, causes
 * faults of the disk and the network, and ends each life of the program.
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
    const char *receivers; /* the key receivers=, which no reload changes */
    char url[200];
    char name[40]; /* name in the ledger */
};

/* A stream listener. Limits are the smallest or largest value that the key had in this run. */
struct scenario_stream {
    bool is_there;
    enum framing_kind framing; /* no reload changes `framing`, `is_answered` and `receivers` */
    bool is_answered;          /* each frame is answered (schema=riemann) */
    const char *receivers;
    unsigned least_connections, most_connections, least_of_address;
    int64_t idle_ns, frame_ns;
    char url[250];
    char name[40]; /* name in the ledger; "" if the run has no streams */
};

/*
 * A sink. If `is_there` is false, a reload may add it. The properties below hold in all
 * configurations of the run.
 */
struct scenario_sink {
    bool is_there;
    enum scenario_sink_kind kind;
    bool syncs;                     /* fsync= is never "never" */
    bool syncs_each;                /* fsync=always in each configuration, and it has a spill */
    bool evicts;                    /* some configuration has overflow=drop_oldest */
    struct far_end_options far_end; /* options of a delivery's far end */
    struct child_options child;     /* options of a command's programs */
    char spill[40];                 /* folder of its spill; "" if it has none */
    char url[200];
    char name[40]; /* name in the ledger */
};

/*
 * Everything that is chosen for a run. It is in memory that all processes of the run share, because
 * a reload changes it.
 */
struct scenario {
    uint64_t seed;
    struct plan plan;
    unsigned lives;
    bool one_thread;
    bool has_file; /* there is a configuration file, which the operator changes */
    struct scenario_listener listeners[HISTORY_LISTENERS];
    struct scenario_stream streams[HISTORY_STREAMS];
    struct scenario_sink sinks[HISTORY_SINKS];
    bool with_faults; /* the disk has faults */
    bool rotates_often;
    int64_t stop_timeout_ns, stall_timeout_ns;
    int64_t patience_ns; /* time that the operator waits before a stop */

    int argc;
    char *argv[24];
    char texts[24][256];
};

/* The first listener's port. Each next listener has the next port. */
#define SCENARIO_PORT 5555

void scenario_make(struct scenario *scenario, uint64_t seed);

/* Describes the scenario in a line without a newline. */
void scenario_describe(const struct scenario *scenario, char *line, size_t size);

/*
 * Runs one life of the program in this process, to its end. If `last` is set it ends with a stop.
 */
_Noreturn void scenario_live(struct scenario *scenario, bool last, bool trace);

#endif
