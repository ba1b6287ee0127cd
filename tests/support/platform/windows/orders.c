/*
 * Sends orders to collectors like `sluice ctl`, but one process sends many. Reads lines of "ledger
 * PROCESS" or "reload PROCESS" from standard input. Answers each with a line, "done" or the error.
 */
#include <stdio.h>
#include <string.h>

#include "collector/platform/control.h"
#include "collector/platform/process.h"

int program_main(int argc, char **argv)
{
    (void)argc, (void)argv;
    char order[16];
    unsigned long process;
    while (scanf("%15s %lu", order, &process) == 2) {
        struct error error;
        enum control_event event = strcmp(order, "ledger") == 0 ? CONTROL_LEDGER : CONTROL_REOPEN;
        puts(control_send(process, event, &error) == 0 ? "done" : error.text);
        fflush(stdout);
    }
    return 0;
}
