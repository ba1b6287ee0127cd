/*
 * The configuration: listeners, sinks and limits, checked and complete.
 *
 * It is made from the command line, the environment and a file (config/options.h). Every value is
 * in range and every default is set; the operating system may still reject a value when it is used.
 * The code that made the configuration owns it; it is immutable after that.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_CONFIG_H
#define SLUICE_COLLECTOR_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/host_names.h"
#include "collector/base/networks.h"
#include "collector/config/metrics_address.h"
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
 * Decides if a sink that is too slow drops records, or if its listeners wait for it. A capture
 * always waits; a stream waits unless a policy that drops records was chosen.
 */
enum overflow_policy {
    OVERFLOW_AUTO,        /* drop the newest records of sockets; streams wait */
    OVERFLOW_DROP_NEWEST, /* refuse new records */
    OVERFLOW_DROP_OLDEST, /* evict the oldest records */
    OVERFLOW_BLOCK,       /* wait; not allowed if a socket feeds the sink */
};

/* The effect on the run when the program that reads a sink's pipe exits. */
enum on_epipe {
    ON_EPIPE_END,  /* the sink ends; if it was the last sink, the program ends too */
    ON_EPIPE_STOP, /* the program ends */
};

struct sink_config {
    char *name;       /* the URL without its keys: "stdout:", "file:PATH"; "command:PROGRAM" */
    char *url;        /* the URL as it was written, with its keys */
    char *written_at; /* as for a listener: see struct listener_config */
    const struct destination_ops *destination;
    char *path; /* the part of the URL after the colon, perhaps empty */
    enum overflow_policy overflow;
    enum on_epipe on_epipe;
    struct sink_settings settings;
};

/* The file for datagrams that could not be decoded (collector/receive/dead_letters.h). */
struct dead_letter_config {
    char *name; /* the URL without its keys: "file:PATH"; NULL: none */
    char *path;
    uint64_t max_size; /* maximum size of the file in bytes */
    uint64_t rate;     /* maximum number of datagrams written per second */
    uint64_t mode;     /* permissions of the file; 0 means the default */
};

enum ledger_format { LEDGER_TEXT, LEDGER_JSON };

enum thread_use {
    THREADS_EACH, /* each receiver and each sink has a thread */
    THREADS_ONE,  /* one thread runs the only receiver and the only sink */
};

/*
 * Controls whether the process gives up the rights that it does not need
 * (collector/platform/sandbox.h).
 */
enum sandbox_mode {
    SANDBOX_OFF,
    SANDBOX_ON,   /* refuse to start if that is not possible */
    SANDBOX_AUTO, /* if the system and the configuration permit it */
};

/* Value of config_request.check: --check=connect. */
#define CHECK_CONNECTS 2U

/* Requests of the command line: actions in place of a run. */
struct config_request {
    const char *help_topic;  /* topic of --help, borrowed from argv; NULL means the first page */
    const char *schema_name; /* name given to --print-schema, borrowed from argv */
    unsigned check;          /* 0: run; 1: only check; CHECK_CONNECTS: also connect to deliveries */
    uint64_t check_timeout_ns; /* timeout of each connection attempt of a check */
    unsigned print;            /* 1: only print the configuration */
};

/* When a run ends, and what it may use. */
struct config_limits {
    uint64_t duration_ns;         /* stop after this time; 0 means never */
    uint64_t max_datagrams;       /* stop after this number of received datagrams; 0 means never */
    uint64_t memory;              /* bytes for the datagram path; 0: the amount that the defaults
                                     need */
    struct disk_reserve min_free; /* free space to leave on each disk with files that are written */
    uint64_t max_series;          /* default of max_series=; 0 means no limit */
    uint64_t max_series_per_sender; /* default of max_series_per_sender=; 0 means no limit */
    uint64_t stop_timeout_ns;       /* when the program stops: time for writing the remaining
                                     * records */
    uint64_t stall_timeout_ns;      /* time without progress after which a client, command, sink
                                       or receiver counts as stalled */
};

/* The ways in which clients reach the running program. */
struct config_access {
    char *control;                /* address of the control socket, as given, or NULL */
    struct metrics_place metrics; /* where metrics are served */
    char *metrics_token_file;     /* file with the token of HTTP requests; NULL if none is needed */
    struct host_names metrics_hosts; /* host names that HTTP requests for metrics may use */
};

struct config {
    struct listener_config *listeners;
    size_t listener_count;
    struct sink_config *sinks;
    size_t sink_count;
    struct dead_letter_config dead_letter;

    /* The registry's tables, with NULL at their end. `schemas` may be NULL. */
    const struct source_ops *const *sources;
    const struct schema_ops *const *schemas;

    struct provenance *provenance; /* the entries from which the configuration was made */
    char *file;                    /* the argument of --config; NULL means no file */
    struct config_request request;
    struct config_limits limits;
    struct config_access access;
    enum ledger_format ledger;
    struct log_settings log;
    const struct notifier_backend *notifier; /* NULL: the best notifier of the system */
    enum thread_use threads;
    struct processor_list receiver_cpus; /* receiver i is pinned to entry i modulo the count */
    enum sandbox_mode sandbox;
    char *user; /* the account that the process switches to after opening everything, or NULL */
};

/* The implementations in this program: tables with NULL at their end. */
struct config_registry {
    const struct source_ops *const *sources;
    const struct schema_ops *const *schemas;
    const struct schema_ops *schema_from_file; /* makes a schema from a .proto file; NULL: this
                                                * program was built without it */
    const struct destination_ops *const *destinations;
    const struct encoder_ops *const *encoders;
    const struct compression_ops *const *compressions;
    const struct notifier_backend *const *notifiers;
    /* The kind of the terminal on standard output, or NULL if not a terminal. */
    enum terminal_kind (*output)(void);
    const char *local_syntax; /* syntax of the system's local addresses: "unix:PATH" */
};

static inline bool config_serves_metrics(const struct config *config)
{
    return config->access.metrics.address.family != ADDRESS_NONE;
}

/* Returns true if clients can query the senders. */
static inline bool config_reports_senders(const struct config *config)
{
    return config->access.control != NULL || config_serves_metrics(config);
}

/*
 * Frees the contents and zeroes the struct; does not free the struct. A zeroed struct is allowed.
 */
void config_free(struct config *config);

/*
 * Returns true if the sink can write only samples. `passes_on` is true if its encoder writes the
 * schema's messages unchanged.
 */
bool sink_config_needs_samples(const struct sink_config *sink, bool passes_on);

/*
 * Makes the user of --user the owner of the file of each local socket, because the program runs as
 * that user. Does not change sockets with owner=. Returns false if memory is short.
 */
bool config_default_owners(struct config *config);

/*
 * Sets `value` of schemas from files to "*" if it was not given and a sink needs samples. Returns
 * false if memory is short.
 */
bool config_default_values(struct config *config);

/*
 * For sinks that write samples, sets the limits of series that were not given: to the values of the
 * options, or to their defaults.
 */
void config_default_limits(struct config *config);

/*
 * Return true if two listeners, or two sinks, cannot both be in one configuration: they have the
 * same address and port (two ports 0 are different ports), the same inherited sockets, the same
 * output or the same spill. Compare only names; two names of one file are detected later.
 */
bool listener_configs_conflict(const struct listener_config *a, const struct listener_config *b);
bool sink_configs_conflict(const struct sink_config *a, const struct sink_config *b);

/* Returns true if both sinks have their spill in the same folder, which only one can have open. */
bool sink_configs_share_spill(const struct sink_config *a, const struct sink_config *b);

#endif
