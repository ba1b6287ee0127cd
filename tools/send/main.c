/* sluice-send: a load generator. */
#include <stdio.h>

#include "collector/platform/entry.h"
#include "tools/command/interrupt.h"
#include "tools/send/options.h"
#include "tools/send/report.h"

static int run(const struct send_settings *settings, struct error *error)
{
    struct load_counts counts;
    interrupt_catch();
    int result = load_run(&settings->plan, &counts, error);
    if (result != 0 && load_sent(&counts) + counts.failed == 0)
        return result;
    fprintf(stderr, "%s: ", send_command.name);
    report_write_line(&counts, stderr);
    if (settings->json)
        report_write_json(&counts, stdout);
    return result;
}

int program_main(int argc, char **argv)
{
    struct send_settings settings = {
        .plan =
            {
                .destination = {.family = ADDRESS_IPV4, .port = 5555, .bytes = {127, 0, 0, 1}},
                .shape = &message_telemetry,
                .sender = "sluice-send",
                .rate = 1000,
                .sources = 1,
                .samples = 1,
                .burst = 1,
            },
    };
    struct error error;
    int code;
    if (!command_begin(&send_command, argc, argv, &settings, &code))
        return code;
    return command_end(&send_command, run(&settings, &error), &error);
}
