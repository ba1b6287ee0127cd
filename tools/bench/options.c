#include "tools/bench/options.h"

#include <string.h>

const struct part bench_parts[] = {
    {"decode", part_decode},   {"encode", part_encode}, {"stages", part_stages},
    {"receive", part_receive}, {"rates", part_rates},   {0},
};

#define MILLISECOND UINT64_C(1000000)
#define SECOND      UINT64_C(1000000000)

void options_default(struct settings *settings)
{
    *settings = (struct settings){.receive_buffer = UINT64_C(4) * 1024 * 1024};
    contenders_begin(&settings->contenders);
}

static int add_variant(void *settings, const char *value, struct error *error)
{
    return contenders_add(&((struct settings *)settings)->contenders, value, error);
}

static int add_part(void *settings, const char *value, struct error *error)
{
    for (size_t i = 0; bench_parts[i].name != NULL; i++) {
        if (strcmp(bench_parts[i].name, value) != 0)
            continue;
        ((struct settings *)settings)->wanted[i] = true;
        return 0;
    }
    error_set(error, EXIT_CODE_USAGE, "'%s' is not a part (see --help)", value);
    return -1;
}

static int complete(void *context, struct error *error)
{
    struct settings *settings = context;
    bool named = false;
    (void)error;
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        named = named || settings->wanted[i];
    for (size_t i = 0; !named && bench_parts[i].name != NULL; i++)
        settings->wanted[i] = true;
    if (settings->rounds == 0)
        settings->rounds = settings->quick ? 2 : 5;
    if (settings->round_ns == 0)
        settings->round_ns = settings->quick ? 250 * MILLISECOND : SECOND;
    return 0;
}

static const struct command_option options[] = {
    {"quick", NULL, "fewer and shorter rounds: less than a minute",
     COMMAND_KEEP(FLAG, struct settings, quick)},
    {"rounds", "N", "number of rounds; medians are shown (default 5)",
     COMMAND_KEEP(COUNT, struct settings, rounds), .least = 1, .most = SERIES_MOST},
    {"round-time", "TIME",
     "duration of a round (default 1s); a stage without traffic takes a\n20th of it",
     COMMAND_KEEP(TIME, struct settings, round_ns), .least = 20 * MILLISECOND, .most = 60 * SECOND},
    {"collector", "PATH", "the program (default: sluice in the same folder)",
     COMMAND_KEEP(TEXT, struct settings, collector)},
    {"variant", "NAME=WORD WORD...",
     "also measure the collector with other keys: listen:KEYS and sink:KEYS\nare keys of its "
     "listeners and sinks, to:SINK is a sink instead of the\nfile (kafka://127.0.0.1:9092/t), any "
     "other word is added to its\ncommand line; json and null can be redefined; may be repeated",
     .set = add_variant},
    {"receive-buffer", "SIZE", "receive buffer to request (default 4MiB)",
     COMMAND_KEEP(SIZE, struct settings, receive_buffer), .least = 4096,
     .most = UINT64_C(512) * 1024 * 1024},
    {"scratch", "FOLDER", "where the folder for output is created (default: TMPDIR)",
     COMMAND_KEEP(TEXT, struct settings, scratch)},
    {0},
};

const struct command bench_command = {
    .name = "sluice-bench",
    .usage = "[options] [PART]...",
    .summary =
        "Measures the cost of the collector, compared with receivers that discard all datagrams,\n"
        "and of its parts. The contenders are measured in turn, with the same datagrams:\n"
        "telemetry of 1 metric (metric1, 117 bytes) and of 20 (batch20, 1140 bytes).\n"
        "A ratio is the median of the ratios of all rounds.\n"
        "\n"
        "Parts: decode  decoding, compared with protobuf-c's unpack\n"
        "       encode  encoding, in each format\n"
        "       stages  doubles as text, the ring, writing to a file\n"
        "       receive CPU a datagram, of the collector and of null receivers\n"
        "       rates   the highest rate without loss, by halving\n"
        "Default: all of these.",
    .options = options,
    .notes =
        "Null receivers: blocking waits in recvmmsg(64, MSG_WAITFORONE); edge waits in an edge-\n"
        "triggered epoll and drains; edge+pause sleeps 500 us after each drain. The collector:\n"
        "json writes a JSON file, null to /dev/null.\n"
        "The sender is a process on the first processor that may be used, the receiver on the\n"
        "second. Plain, it sends each datagram when it is due; segmenting, 64 in one buffer that\n"
        "the kernel cuts (UDP_SEGMENT).\n"
        "Decoding: unpack decodes no groups, checks no UTF-8 and bounds no depth.\n"
        "Exit codes: 0 measured; 64 wrong options; 70 a ledger that does not balance, or "
        "datagrams\n"
        "that are in no count; others as for the collector.",
    .set_operand = add_part,
    .check = complete,
};
