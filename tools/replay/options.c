#include "tools/replay/options.h"

#include "tools/command/value.h"
#include "tools/replay/timing.h"

static int set_path(void *settings, const char *value, struct error *error)
{
    struct replay_settings *into = settings;
    if (into->path != NULL) {
        error_set(error, EXIT_CODE_USAGE, "'%s': one capture at a time (see --help)", value);
        return -1;
    }
    into->path = value;
    return 0;
}

static int set_speed(void *settings, const char *value, struct error *error)
{
    if (timing_parse_speed(value, &((struct replay_settings *)settings)->speed))
        return 0;
    error_set(error, EXIT_CODE_USAGE, "'%s' is not a speed such as 2x, 0.5x or max", value);
    return -1;
}

static int check(void *settings, struct error *error)
{
    const struct replay_settings *given = settings;
    const char *missing = given->path == NULL                         ? "the capture file"
                          : given->destination.family == ADDRESS_NONE ? "--to"
                                                                      : NULL;
    const char *conflict = sealing_conflict(&given->sealing);
    if (missing != NULL)
        error_set(error, EXIT_CODE_USAGE, "%s is missing (see --help)", missing);
    else if (conflict != NULL)
        error_set(error, EXIT_CODE_USAGE, "%s", conflict);
    return missing == NULL && conflict == NULL ? 0 : -1;
}

static const struct command_option options[] = {
    {"to", "udp://HOST:PORT", "where to send; a numeric host, IPv6 in brackets",
     COMMAND_KEEP(DESTINATION, struct replay_settings, destination)},
    {"speed", "2x|max", "how much faster than captured; default 1x", .set = set_speed},
    {"port", "N", "only datagrams to this port; default all",
     COMMAND_KEEP(COUNT, struct replay_settings, port), .least = 1, .most = UINT16_MAX},
    SEALING_OPTIONS(struct replay_settings, sealing),
    {"quiet", NULL, "show no progress on a terminal; in a pipe there is never any",
     COMMAND_KEEP(FLAG, struct replay_settings, quiet)},
    {0},
};

const struct command replay_command = {
    .name = "sluice-replay",
    .usage = "FILE.pcap --to udp://HOST:PORT [options]",
    .summary = "Sends the UDP payloads of a capture (pcap or pcapng) unchanged, or sealed, at the "
               "intervals\n"
               "of the capture, and reports the counts on standard error.",
    .options = options,
    .notes =
        "Datagrams in IP fragments are reassembled first. Frames that were cut by the snapshot\n"
        "length, datagrams that lack a fragment, and packets other than UDP are counted, "
        "not sent.\n"
        "An attempt that the system refuses is repeated; a datagram that still fails is counted.\n"
        "A datagram is counted as refused if its host reports that the port is closed; "
        "hosts limit\n"
        "the rate of these reports. The program waits 100 ms for reports after the last datagram.\n"
        "Exit codes: 0 done; 64 wrong options; 65 not a capture, or damaged (the readable part is\n"
        "sent); 69 no route to the destination, or all datagrams were refused; "
        "74 a datagram could\n"
        "not be sent, or is too large to be sealed; 78 the file of --keys is not one of keys, is "
        "open\n"
        "to other users, or has no such key that is valid now.",
    .set_operand = set_path,
    .check = check,
};
