#include "collector/ctl.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/fault.h"
#include "collector/config/nearest.h"
#include "collector/control_send.h"
#include "collector/log.h"

static const struct {
    const char *word;
    enum control_event event;
} orders[] = {
    {"reload", CONTROL_REOPEN},
    {"ledger", CONTROL_LEDGER},
    {"stop", CONTROL_STOP},
};

#define ORDERS (sizeof orders / sizeof *orders)

static bool parse_order(const char *text, enum control_event *event, struct fault *fault)
{
    char given[QUOTED_SIZE];
    struct nearest nearest;
    nearest_begin(&nearest, text, strlen(text));
    for (size_t i = 0; i < ORDERS; i++) {
        nearest_offer(&nearest, orders[i].word);
        *event = orders[i].event;
        if (strcmp(text, orders[i].word) == 0)
            return true;
    }
    fault_set(fault, 0, "%s is not one of reload, ledger, stop", quoted(text, strlen(text), given));
    fault_suggest(fault, nearest_found(&nearest));
    return false;
}

/* What is too large for any process is none that runs, and no fault of the form. */
static bool parse_process(const char *text, unsigned long *process, struct fault *fault)
{
    char given[QUOTED_SIZE];
    size_t length = strlen(text);
    *process = strtoul(text, NULL, 10);
    if (length != 0 && strspn(text, "0123456789") == length && *process != 0)
        return true;
    return fault_set(fault, 0, "%s is not the number of a process", quoted(text, length, given));
}

static bool parse(int argc, char *const *argv, enum control_event *event, unsigned long *process,
                  struct fault *fault)
{
    char given[QUOTED_SIZE];
    if (argc < 2)
        return fault_set(fault, 0, "write sluice ctl reload|ledger|stop PID");
    if (!parse_order(argv[1], event, fault))
        return false;
    if (argc < 3)
        return fault_set(fault, 0, "%s which process? Its log has the number", argv[1]);
    if (argc > 3)
        return fault_set(fault, 0, "unexpected argument %s",
                         quoted(argv[3], strlen(argv[3]), given));
    return parse_process(argv[2], process, fault);
}

enum exit_code ctl_command(int argc, char *const *argv)
{
    enum control_event event = CONTROL_TIMEOUT;
    unsigned long process = 0;
    struct fault fault;
    struct error error;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        puts("Usage: sluice ctl reload|ledger|stop PID\n"
             "Tells the sluice with that process id to open files and read schemas anew, to print\n"
             "its ledger, or to stop.");
        return EXIT_CODE_OK;
    }
    if (!parse(argc, argv, &event, &process, &fault)) {
        log_line(LOG_ERROR, "ctl: %s", fault.text);
        return EXIT_CODE_USAGE;
    }
    if (control_send(process, event, &error) != 0) {
        log_line(LOG_ERROR, "ctl: %s", error.text);
        return error.code;
    }
    return EXIT_CODE_OK;
}
