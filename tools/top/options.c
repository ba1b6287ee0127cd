#include "tools/top/options.h"

#include <string.h>

#include "tools/top/addresses.h"

static int set_address(void *settings, const char *value, struct error *error)
{
    struct top_settings *into = settings;
    if (into->address != NULL) {
        error_set(error, EXIT_CODE_USAGE, "'%s': only one collector at a time (see --help)", value);
        return -1;
    }
    into->address = value;
    return 0;
}

static int set_tap(void *settings, const char *value, struct error *error)
{
    if (value[0] == '\0' || strchr(value, '\n') != NULL || strlen(value) > 256) {
        error_set(error, EXIT_CODE_USAGE, "a pattern is one line of 1 to 256 bytes");
        return -1;
    }
    ((struct top_settings *)settings)->pattern = value;
    return 0;
}

static int options_check(void *settings, struct error *error)
{
    const struct top_settings *given = settings;
    if (!given->once || given->pattern == NULL)
        return 0;
    error_set(error, EXIT_CODE_USAGE, "--once and --tap exclude each other");
    return -1;
}

static const struct command_option options[] = {
    {"tap", "GLOB",
     "write the samples whose names match (* any characters, ? any one) to\n"
     "standard output as JSON lines, as they pass, at most 100 a second",
     .set = set_tap},
    {"once", NULL, "write one page to standard output and end",
     COMMAND_KEEP(FLAG, struct top_settings, once)},
    {0},
};

const struct command top_command = {
    .name = "sluice-top",
    .usage = "[options] [unix:PATH]",
    .summary =
        "Shows the state of a running collector every second: what loses or fails first, with its\n"
        "reasons, then rates, sinks, answers to deliveries, and the busiest senders with their\n"
        "losses. ? shows its keys, q ends it. Without a terminal it writes one page, as with\n"
        "--once.",
    .options = options,
    .notes =
        "PATH is the socket of a collector that was started with --control unix:PATH. Without it\n"
        "the first one that answers is shown: the packaged service (" USUAL_SERVICE_ADDRESS "), a\n"
        "collector of the same user, " USUAL_EXAMPLE_ADDRESS ". On Windows it is pipe:NAME, and\n"
        "without it " USUAL_PIPE_ADDRESS ". --tap shows records without samples if the name of\n"
        "their schema matches; the number of records that it leaves out is written to standard\n"
        "error.\n"
        "Exit codes: 0 done; 64 wrong options; 65 the answer is not a collector's; 69 no "
        "collector\n"
        "answers; 74 the collector closed the connection, or standard output failed.",
    .set_operand = set_address,
    .check = options_check,
};
