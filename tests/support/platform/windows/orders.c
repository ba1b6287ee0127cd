/*
 * Gives orders to collectors as `sluice ctl` does, without the start of a program for each: reads
 * lines of "ledger PROCESS" or "reload PROCESS" from standard input, and answers each with a line:
 * "done", or the error. Ends with its standard input.
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
