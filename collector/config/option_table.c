#include "collector/config/option_table.h"

#include <string.h>

#include "collector/config/metrics_address.h"
#include "collector/config/metrics_host.h"
#include "collector/config/min_free.h"
#include "collector/config/processors.h"
#include "collector/text/text.h"

#define SECOND UINT64_C(1000000000)
#define HOUR   (3600 * SECOND)
#define YEAR   (UINT64_C(8760) * HOUR)
#define TIB    (UINT64_C(1) << 40)

static const char *const text_json[] = {[LEDGER_TEXT] = "text", [LEDGER_JSON] = "json", NULL};

static const char *const levels[] = {
    [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_INFO] = "info", NULL};

static const char *const log_formats[] = {[LOG_TEXT] = "text", [LOG_JSON] = "json", NULL};

static const char *const auto_one[] = {[THREADS_EACH] = "auto", [THREADS_ONE] = "1", NULL};

static const char *const sandbox_modes[] = {
    [SANDBOX_OFF] = "off", [SANDBOX_ON] = "on", [SANDBOX_AUTO] = "auto", NULL};

static const char *const check_more[] = {"connect", NULL};

/* The order of the options is that of the help text. */
const struct option command_options[] = {
    {OPTION_LISTEN,
     OPTION_RELOADED,
     {"listen", .default_text = "udp://127.0.0.1:5555?schema=riemann",
      .help = "where datagrams come from; may be repeated", .others = "bind address input source"}},
    {OPTION_SINK,
     OPTION_RELOADED,
     {"sink", .default_text = "stdout:", .help = "where records go; may be repeated",
      .others = "output out target"}},
    {OPTION_DEAD_LETTERS,
     OPTION_FIXED,
     {"dead-letter", .help = "keeps datagrams that are not decoded: file:PATH"}},
    {OPTION_CONFIG,
     OPTION_RELOADED,
     {"config", SETTING_TEXT, .offset = offsetof(struct config, file), .syntax = "FILE",
      .help = "a YAML file; the command line has precedence", .others = "config-file conf file"}},
    {OPTION_FLAG,
     OPTION_RELOADED,
     {"check", SETTING_NONE, .offset = offsetof(struct config, request.check),
      .choices = check_more, .help = "only check; --check=connect also tries deliveries",
      .others = "test validate configtest dry-run"}},
    {OPTION_FLAG,
     OPTION_RELOADED,
     {"print-config", SETTING_NONE, .offset = offsetof(struct config, request.print),
      .help = "only print the configuration as such a file, with the origin of each value and "
              "\"***\" in place of secrets"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"duration", SETTING_DURATION, .offset = offsetof(struct config, limits.duration_ns),
      .minimum = 1, .maximum = 100 * YEAR, .help = "stop after this time"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"max-datagrams", SETTING_COUNT, .offset = offsetof(struct config, limits.max_datagrams),
      .minimum = 1, .maximum = UINT64_MAX,
      .help = "stop after receiving this number of datagrams"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"memory", SETTING_SIZE, .offset = offsetof(struct config, limits.memory), .minimum = 1,
      .maximum = TIB, .help = "memory for records from sockets to sinks"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"min-free", SETTING_PARSED, .offset = offsetof(struct config, limits.min_free),
      .parse = min_free_parse, .equal = min_free_equal, .syntax = MIN_FREE_SYNTAX,
      .help = "free space to leave on each disk: with less, files, dead letters and spills are not "
              "written, as if the disk were full",
      .others = "storage-min-free min-free-space disk-reserve"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"max-series", SETTING_COUNT, .offset = offsetof(struct config, limits.max_series),
      .minimum = 1, .maximum = SERIES_LIMIT_MOST,
      .help = "most series of each sink that has no max_series= and writes samples",
      .others = "series-limit cardinality-limit"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"max-series-per-sender", SETTING_COUNT,
      .offset = offsetof(struct config, limits.max_series_per_sender), .minimum = 1,
      .maximum = SERIES_LIMIT_MOST,
      .help = "most series of each sender, in each sink with max_series= or --max-series and "
              "without max_series_per_sender="}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"stop-timeout", SETTING_DURATION, .offset = offsetof(struct config, limits.stop_timeout_ns),
      .default_text = "2s", .maximum = HOUR,
      .help =
          "how long a stop may take to write the remaining records; to close the connections of "
          "kafka: and nats: sinks may take up to 0.7 s more",
      .others = "shutdown-timeout grace-period"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"stall-timeout", SETTING_DURATION, .offset = offsetof(struct config, limits.stall_timeout_ns),
      .default_text = "10s", .minimum = SECOND, .maximum = HOUR,
      .help = "time without progress after which a client is disconnected, a replaced command is "
              "ended, and a sink or receiver is reported",
      .others = "timeout client-timeout"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"ledger", SETTING_ENUM, .offset = offsetof(struct config, ledger), .default_text = "text",
      .choices = text_json, .help = "format of the ledger of all datagrams on stderr"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"log-level", SETTING_ENUM, .offset = offsetof(struct config, log.level),
      .default_text = "info", .choices = levels, .help = "the lowest level to log",
      .others = "verbosity level"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"log-format", SETTING_ENUM, .offset = offsetof(struct config, log.format),
      .default_text = "text", .choices = log_formats,
      .help = "format of the log; json: one object per line"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"log-repeats", SETTING_DURATION, .offset = offsetof(struct config, log.repeats_ns),
      .default_text = "10s", .minimum = SECOND / 10, .maximum = HOUR,
      .help = "how often a repeated message is logged, with its count"}},
    {OPTION_VALUE,
     OPTION_RELOADED,
     {"check-timeout", SETTING_DURATION,
      .offset = offsetof(struct config, request.check_timeout_ns), .default_text = "5s",
      .minimum = SECOND / 10, .maximum = HOUR,
      .help = "how long --check=connect waits for each delivery", .others = "connect-timeout"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"notifier", SETTING_NOTIFIER, .offset = offsetof(struct config, notifier),
      .default_text = "auto", .help = "how the system reports that datagrams have arrived"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"threads", SETTING_ENUM, .offset = offsetof(struct config, threads), .default_text = "auto",
      .choices = auto_one,
      .help = "1: one thread receives and writes, for small machines; allows only one sink",
      .others = "workers"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"receiver-cpus", SETTING_PARSED, .offset = offsetof(struct config, receiver_cpus),
      .parse = processors_parse, .equal = processors_equal, .syntax = PROCESSORS_SYNTAX,
      .help = "pin receiving threads to these processors, one each, in turn"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"control", SETTING_LOCAL, .offset = offsetof(struct config, access.control),
      .help = "address of the control socket for local clients such as sluice-top",
      .others = "socket"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"metrics", SETTING_PARSED, .offset = offsetof(struct config, access.metrics),
      .parse = metrics_place_parse, .equal = metrics_place_equal, .syntax = METRICS_PLACE_SYNTAX,
      .help = "serve a status page, metrics and the health; without ADDR only to this machine",
      .others = "prometheus telemetry-path metrics-address status"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"metrics-host", SETTING_PARSED, .offset = offsetof(struct config, access.metrics_hosts),
      .parse = metrics_host_parse, .equal = metrics_host_equal, .syntax = METRICS_HOST_SYNTAX,
      .help = "host names that requests to --metrics may use, in addition to addresses and "
              "localhost; others are refused, as they may come from a web page",
      .others = "allowed-hosts server-name"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"metrics-token-file", SETTING_TEXT,
      .offset = offsetof(struct config, access.metrics_token_file), .syntax = "FILE",
      .help =
          "requests to --metrics need the token in this file's first line, as a bearer token or "
          "a password; only /healthz answers without it, in short",
      .others = "metrics-token web-config-file basic-auth http-auth", .secret_file = true}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"user", SETTING_TEXT, .offset = offsetof(struct config, user), .syntax = "NAME[:GROUP]",
      .help = "change from root to this user after opening everything, before receiving",
      .others = "uid setuid run-as"}},
    {OPTION_VALUE,
     OPTION_FIXED,
     {"sandbox", SETTING_ENUM, .offset = offsetof(struct config, sandbox), .default_text = "auto",
      .choices = sandbox_modes,
      .help = "before receiving, give up all files, ports and system calls that the configuration "
              "does not need; auto: as far as the system can; on: refuse to start without",
      .others = "seccomp landlock confine hardening"}},
    {OPTION_SCHEMA,
     OPTION_RELOADED,
     {"print-schema", .syntax = "NAME",
      .help = "print the .proto file of a built-in schema, for any protoc: telemetry, riemann",
      .others = "schema proto"}},
    {OPTION_VERSION,
     OPTION_RELOADED,
     {"version", .help = "print the version and the libraries in it", .letter = 'V'}},
    {OPTION_HELP,
     OPTION_RELOADED,
     {"help", .help = "print this, or the help for a topic", .letter = 'h'}},
    {OPTION_HELP, OPTION_RELOADED, {.name = NULL}},
};

_Static_assert(sizeof command_options / sizeof command_options[0] <= OPTIONS_MAX,
               "raise OPTIONS_MAX");

const struct exit_meaning exit_meanings[] = {
    {EXIT_CODE_OK, "done", "nothing"},
    {EXIT_CODE_TEST_FAILED, "(test) a test failed",
     "read which expectation of the file failed, on standard output"},
    {EXIT_CODE_USAGE, "wrong command line", "read the error; sluice --help lists the options"},
    {EXIT_CODE_BAD_INPUT, "bad input data", "read the error, which names the place in the input"},
    {EXIT_CODE_CANNOT_BIND, "cannot bind, or (ctl, --check=connect) not reachable",
     "read the error; ss -lunp and ss -ltnp show which program has the port"},
    {EXIT_CODE_INTERNAL, "internal error",
     "read the error; if memory is not short, report a bug, with the log"},
    {EXIT_CODE_CANNOT_CREATE, "cannot create output",
     "read the error; check that the folder is there, and who may write to it"},
    {EXIT_CODE_IO, "I/O error", "read the error; check the disk, the reader, or the far end"},
    {EXIT_CODE_CONFIG, "wrong configuration",
     "read the error, which names the line and the key; sluice --check repeats it without a start"},
    {EXIT_CODE_OK, NULL, NULL},
};

static const struct option *lettered(const char *argument)
{
    if (argument[0] != '-' || argument[1] == '\0' || argument[2] != '\0')
        return NULL;
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        if (option->setting.letter == argument[1])
            return option;
    return NULL;
}

const char *option_list_name(const struct option *option)
{
    if (option->action == OPTION_LISTEN)
        return "listeners";
    return option->action == OPTION_SINK ? "sinks" : NULL;
}

const struct option *option_named(const char *argument)
{
    if (strncmp(argument, "--", 2) != 0)
        return lettered(argument);
    size_t length = strcspn(argument + 2, "=");
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        const char *name = option->setting.name;
        if (strlen(name) == length && memcmp(name, argument + 2, length) == 0)
            return option;
    }
    return NULL;
}

static bool same_dead_letters(const struct dead_letter_config *a,
                              const struct dead_letter_config *b)
{
    return same_text(a->name, b->name) && a->max_size == b->max_size && a->rate == b->rate &&
           a->mode == b->mode;
}

const struct option *option_fixed_change(const struct config *from, const struct config *to)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        if (option->change != OPTION_FIXED)
            continue;
        bool same = option->action == OPTION_DEAD_LETTERS
                        ? same_dead_letters(&from->dead_letter, &to->dead_letter)
                        : setting_equal(&option->setting, from, to);
        if (!same)
            return option;
    }
    return NULL;
}
