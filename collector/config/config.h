/*
 * What the program is to do: listeners, sinks and limits, checked and complete.
 *
 * Made from the command line, the environment and a file (config/options.h). Every value is in
 * range, every default filled in; what a value means to the operating system is found out later,
 * when things are opened. Owned by whoever made it, immutable after that.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_CONFIG_H
#define SLUICE_COLLECTOR_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/host_names.h"
#include "collector/base/networks.h"
#include "collector/contract/destination.h"
#include "collector/contract/listener_config.h"
#include "collector/contract/schema.h"
#include "collector/contract/schema_config.h"
#include "collector/contract/sink_settings.h"
#include "collector/log/log.h"
#include "collector/platform/file_system.h"
#include "collector/platform/notifier.h"
#include "collector/platform/process.h"
#include "collector/platform/thread.h"

struct provenance;

/*
 * What is lost where a sink is behind. A capture always waits, for it can; a stream where nobody
 * has chosen that records are lost.
 */
enum overflow_policy {
    OVERFLOW_AUTO,        /* of a socket's records the newest; a stream waits */
    OVERFLOW_DROP_NEWEST, /* they are refused */
    OVERFLOW_DROP_OLDEST, /* they are evicted */
    OVERFLOW_BLOCK,       /* nothing: not where a socket feeds the sink */
};

/* What ends with a sink whose reader has gone. */
enum on_epipe {
    ON_EPIPE_END,  /* the sink; the program where it was the last one */
    ON_EPIPE_STOP, /* the program */
};

struct sink_config {
    char *name;       /* the URL without its keys: "stdout:", "file:PATH"; "command:PROGRAM" */
    char *url;        /* with them, as it was written */
    char *written_at; /* as above */
    const struct destination_ops *destination;
    char *path; /* what follows the colon, perhaps empty */
    enum overflow_policy overflow;
    enum on_epipe on_epipe;
    struct sink_settings settings;
};

/* Where datagrams go that could not be decoded (collector/receive/dead_letters.h). */
struct dead_letter_config {
    char *name; /* the URL without its keys: "file:PATH"; NULL: nowhere */
    char *path;
    uint64_t max_size; /* bytes of the file */
    uint64_t rate;     /* datagrams in a second */
};

enum ledger_format { LEDGER_TEXT, LEDGER_JSON };

enum thread_use {
    THREADS_EACH, /* each receiver and each sink has one */
    THREADS_ONE,  /* the only receiver runs the only sink */
};

/* Value of config_request.check: --check=connect. */
#define CHECK_CONNECTS 2U

/* What the command line requests in place of a run. */
struct config_request {
    const char *help_topic;  /* of --help, borrowed from the arguments; NULL: the first page */
    const char *schema_name; /* of --print-schema, borrowed from the arguments */
    unsigned check;          /* 0: run; 1: only check; CHECK_CONNECTS: also connect to deliveries */
    uint64_t check_timeout_ns; /* for each connection attempt of a check */
    unsigned print;            /* 1: only print the configuration */
};

/* When a run ends, and what it may use. */
struct config_limits {
    uint64_t duration_ns;         /* stop after this time; 0: never */
    uint64_t max_datagrams;       /* stop after receiving this number; 0: never */
    uint64_t memory;              /* bytes for the datagram path; 0: what the defaults need */
    struct disk_reserve min_free; /* of each disk that files are written to */
    uint64_t stop_timeout_ns;     /* for flushing on a stop */
    uint64_t stall_timeout_ns;    /* without progress, after which a reader or sender is given up */
};

/* How clients reach the running program. */
struct config_access {
    char *control;                   /* address of the control socket, as given; NULL: none */
    struct address metrics;          /* where metrics are served; ADDRESS_NONE: nowhere */
    struct host_names metrics_hosts; /* names that HTTP requests may use for it */
};

struct config {
    struct listener_config *listeners;
    size_t listener_count;
    struct sink_config *sinks;
    size_t sink_count;
    struct dead_letter_config dead_letter;

    /* What there was to choose from: NULL at the end. Of schemas NULL: none. */
    const struct source_ops *const *sources;
    const struct schema_ops *const *schemas;

    struct provenance *provenance; /* the entries that all this was made from */
    char *file;                    /* the argument of --config; NULL: no file */
    struct config_request request;
    struct config_limits limits;
    struct config_access access;
    enum ledger_format ledger;
    struct log_settings log;
    const struct notifier_backend *notifier; /* NULL: the best one of the system */
    enum thread_use threads;
    struct processor_list receiver_cpus; /* receiver i is pinned to entry i modulo the count */
    char *user; /* the account that the process switches to after opening everything; NULL: none */
};

/* What there is to choose from: the program's own, tables with NULL at their end. */
struct config_registry {
    const struct source_ops *const *sources;
    const struct schema_ops *const *schemas;
    const struct schema_ops *schema_from_file; /* NULL: this program has none */
    const struct destination_ops *const *destinations;
    const struct encoder_ops *const *encoders;
    const struct compression_ops *const *compressions;
    const struct notifier_backend *const *notifiers;
    enum terminal_kind (*output)(void); /* what standard output leads to; NULL: to no terminal */
    const char *local_syntax; /* how the system's local addresses are written: "unix:PATH" */
};

/* Whether somebody may ask who sends. */
static inline bool config_reports_senders(const struct config *config)
{
    return config->access.control != NULL || config->access.metrics.family != ADDRESS_NONE;
}

/*
 * Frees all it holds, not the struct itself, and leaves it all zero; allowed on one that is all
 * zero already.
 */
void config_free(struct config *config);

/*
 * Whether the two cannot both be had: the same UDP address and port (0 is never the same), the same
 * inherited sockets, or the same output. Told from what was written: two names of one file are
 * found out later.
 */
bool listener_configs_conflict(const struct listener_config *a, const struct listener_config *b);
bool sink_configs_conflict(const struct sink_config *a, const struct sink_config *b);

/* Whether both have a spill, in the same folder: only one at a time can have it open. */
bool sink_configs_share_spill(const struct sink_config *a, const struct sink_config *b);

#endif
