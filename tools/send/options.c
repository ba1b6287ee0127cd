#include "tools/send/options.h"

#include <string.h>

#include "collector/platform/file_system.h"
#include "tools/command/value.h"
#include "tools/send/pacing.h"
#include "tools/sending/udp_sender.h"

#define DEFAULT_DURATION UINT64_C(10000000000)

const char send_default_sender[] = "sluice-send";

static struct load_plan *plan_of(void *settings)
{
    return &((struct send_settings *)settings)->plan;
}

static const char *choice(const char *option, size_t at)
{
    if (strcmp(option, "schema") != 0 || message_shapes[at] == NULL)
        return NULL;
    return message_shapes[at]->name;
}

/* Returns true if the value of --schema is a path and not the name of a built-in schema. */
static bool is_path(const char *value)
{
    for (size_t i = 0; message_shapes[i] != NULL; i++)
        if (strcmp(message_shapes[i]->name, value) == 0)
            return false;
    return strpbrk(value, "./\\") != NULL || folder_is_readable(value);
}

static int set_schema(void *settings, const char *value, struct error *error)
{
    const char *names[8] = {NULL};
    struct send_settings *send = settings;
    send->file = is_path(value) ? value : NULL;
    if (send->file != NULL)
        return 0;
    for (size_t i = 0; message_shapes[i] != NULL && i + 1 < sizeof names / sizeof names[0]; i++)
        names[i] = message_shapes[i]->name;
    size_t index;
    if (value_choice(value, names, &index, error) != 0)
        return -1;
    plan_of(settings)->shape = message_shapes[index];
    return 0;
}

static int set_sender(void *settings, const char *value, struct error *error)
{
    plan_of(settings)->sender = value;
    if (value[0] != '\0' && strlen(value) <= SENDER_SIZE_MAX)
        return 0;
    error_set(error, EXIT_CODE_USAGE, "give 1 to %d bytes", SENDER_SIZE_MAX);
    return -1;
}

static int set_share(void *settings, enum datagram_kind kind, const char *value,
                     struct error *error)
{
    if (share_parse(value, &plan_of(settings)->shares[kind]))
        return 0;
    error_set(error, EXIT_CODE_USAGE, "'%s' is not a share such as 5%%, 0.1%% or 1/1000", value);
    return -1;
}

static int set_malformed(void *settings, const char *value, struct error *error)
{
    return set_share(settings, DATAGRAM_MALFORMED, value, error);
}

static int set_empty(void *settings, const char *value, struct error *error)
{
    return set_share(settings, DATAGRAM_EMPTY, value, error);
}

static int set_oversized(void *settings, const char *value, struct error *error)
{
    return set_share(settings, DATAGRAM_OVERSIZED, value, error);
}

static bool has_shares(const struct load_plan *plan)
{
    for (int kind = 0; kind < DATAGRAM_GOOD; kind++)
        if (plan->shares[kind].part != 0)
            return true;
    return false;
}

static const char *conflict(const struct send_settings *settings)
{
    const struct load_plan *plan = &settings->plan;
    if (settings->file != NULL && (settings->message == NULL || settings->given == NULL))
        return "--schema is a file: --message TYPE and --json TEXT|@FILE are required";
    if (settings->file == NULL && settings->message != NULL)
        return "--message is for a --schema that is a file";
    if (settings->given != NULL && (plan->size != 0 || plan->samples != 1 ||
                                    plan->sender != send_default_sender || has_shares(plan)))
        return "--json is the whole message: --size, --samples, --sender, --malformed, --empty and "
               "--oversized are for synthetic ones";
    return NULL;
}

static const char *sealing_fault(const struct load_plan *plan)
{
    const char *fault = sealing_conflict(&plan->sealing);
    if (fault != NULL || plan->sealing.keys == NULL)
        return fault;
    if (plan->shares[DATAGRAM_OVERSIZED].part != 0)
        return "--oversized datagrams are too large to be sealed: remove --keys";
    if (plan->size > UDP_PAYLOAD_MAX - SEALED_OVERHEAD)
        return "--size is at most 65451B with --keys: sealing adds 56 bytes";
    return NULL;
}

static int check(void *settings, struct error *error)
{
    struct send_settings *send = settings;
    struct load_plan *plan = &send->plan;
    const char *wrong = conflict(send);
    if (wrong == NULL)
        wrong = sealing_fault(plan);
    if (wrong != NULL) {
        error_set(error, EXIT_CODE_USAGE, "%s", wrong);
        return -1;
    }
    if (plan->count == 0 && plan->duration_ns == 0) {
        if (send->given != NULL)
            plan->count = 1;
        else
            plan->duration_ns = DEFAULT_DURATION;
    }
    return 0;
}

static const struct command_option options[] = {
    {"to", "udp://HOST:PORT",
     "where to send; a numeric host, IPv6 in brackets;\n"
     "default udp://127.0.0.1:5555",
     COMMAND_KEEP(DESTINATION, struct send_settings, plan.destination)},
    {"schema", "NAME",
     "schema of the datagrams; default riemann, which sluice without\n"
     "--listen expects. Or, with --message and --json: a .proto file or a\n"
     "folder of them (protoc must be installed), or a file that protoc\n"
     "--include_imports --descriptor_set_out wrote",
     .set = set_schema},
    {"message", "TYPE", "type of the message in the file: package.Type",
     COMMAND_KEEP(TEXT, struct send_settings, message)},
    {"json", "TEXT|@FILE",
     "send this message, in the protobuf JSON mapping, instead of\n"
     "synthetic ones; once, if neither --count nor --duration is given;\n"
     "@FILE reads it from the file",
     COMMAND_KEEP(TEXT, struct send_settings, given)},
    {"rate", "N|max", "datagrams per second, all sources together; default 1000",
     COMMAND_KEEP(RATE, struct send_settings, plan.rate), .most = PACING_RATE_MAX},
    {"count", "N", "stop after N datagrams", COMMAND_KEEP(COUNT, struct send_settings, plan.count),
     .least = 1, .most = INT64_MAX},
    {"duration", "TIME", "stop after this time, e.g. 30s; default 10s without --count",
     COMMAND_KEEP(TIME, struct send_settings, plan.duration_ns), .least = 1, .most = INT64_MAX},
    {"sources", "N",
     "send from N ports in turn, each with its own sender_id, boot_id\n"
     "and sequence; default 1",
     COMMAND_KEEP(COUNT, struct send_settings, plan.sources), .least = 1, .most = LOAD_SOURCES_MAX},
    {"sender", "NAME",
     "their sender_ids (riemann: hosts, otlp: service.instance.ids) are\n"
     "NAME/1, NAME/2 ...; default sluice-send",
     .set = set_sender},
    {"samples", "N", "metrics (log records, spans) in each datagram; default 1",
     COMMAND_KEEP(COUNT, struct send_settings, plan.samples), .least = 1, .most = UDP_PAYLOAD_MAX},
    {"size", "SIZE",
     "pad good datagrams to exactly this size, e.g. 1400B, by making a\n"
     "label (riemann: a description, otlp: host.name) longer",
     COMMAND_KEEP(SIZE, struct send_settings, plan.size), .least = 1, .most = UDP_PAYLOAD_MAX},
    {"burst", "N", "send N datagrams at once, N times less often; default 1",
     COMMAND_KEEP(COUNT, struct send_settings, plan.burst), .least = 1, .most = PACING_RATE_MAX},
    {"malformed", "SHARE",
     "make this share (5%, 0.1%, 1/1000) of all datagrams malformed:\n"
     "cut short, of an unknown wire type, with an endless varint",
     .set = set_malformed},
    {"empty", "SHARE", "make this share of all datagrams empty", .set = set_empty},
    {"oversized", "SHARE",
     "make this share datagrams of 65,506 bytes that contain only empty\n"
     "samples (riemann: events, otlp: resources) and take megabytes\n"
     "when decoded",
     .set = set_oversized},
    SEALING_OPTIONS(struct send_settings, plan.sealing),
    {"quiet", NULL, "show no progress on a terminal; in a pipe there is never any",
     COMMAND_KEEP(FLAG, struct send_settings, quiet)},
    {"report", "text|json", "json: write the final counts to standard output, too",
     COMMAND_KEEP(EITHER, struct send_settings, json)},
    {0},
};

const struct command send_command = {
    .name = "sluice-send",
    .usage = "[options]",
    .summary =
        "Sends synthetic metrics over UDP at a steady rate and reports the counts on standard\n"
        "error. A late datagram does not delay the following ones, so the mean rate is exact\n"
        "while the machine can keep up. With --json it sends one given message instead.",
    .options = options,
    .notes =
        "Bad datagrams are spread evenly: of the first N, a share of 1/100 is N/100, rounded down\n"
        "(if two kinds are due at once, one is sent a datagram later). They have no sequence\n"
        "number. Riemann and OTLP have no such number either: "
        "it is the value of the first metric,\n"
        "or the span id of the first log record or span.\n"
        "An attempt that the system refuses (no buffers) is counted as retried and repeated; a\n"
        "datagram that still cannot be sent is counted as failed, and its number is skipped.\n"
        "All sources seal in one session of the key; --size is the size before sealing.\n"
        "A sent datagram is counted as refused if its host reports that the port is closed; hosts\n"
        "limit the rate of these reports. At the end the program waits 100 ms for reports.\n"
        "Exit codes: 0 done, or stopped by SIGINT or SIGTERM; 64 wrong options; "
        "69 no route to the\n"
        "destination, or all datagrams were refused; 74 datagrams failed, or the report could not\n"
        "be written; 78 the file of --schema is not a schema, or lacks the message; or the file "
        "of\n"
        "--keys is not one of keys, is open to other users, or has no such key that is valid now.",
    .choice = choice,
    .check = check,
};
