#include "collector/program/ctl.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/suggestion.h"
#include "collector/control/control_answer.h"
#include "collector/control/control_client.h"
#include "collector/log/log.h"
#include "collector/platform/control.h"

struct order {
    const char *word;
    const char *request; /* sent to the control socket, and repeated in a successful answer */
    enum control_event event;
};

static const struct order orders[] = {
    {"reload", "reload", CONTROL_REOPEN},
    {"ledger", "report", CONTROL_LEDGER},
    {"stop", "stop", CONTROL_STOP},
};

#define ORDERS (sizeof orders / sizeof *orders)

/*
 * The receiver of an order: the collector whose control socket has this address or, if the address
 * is NULL, the process with this id.
 */
struct receiver_of_order {
    const char *address;
    unsigned long process;
};

/* --- the command line ------------------------------------------------------------------------- */

static bool parse_order(const char *text, const struct order **order, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    suggestion_begin(&suggestion, text, strlen(text));
    for (size_t i = 0; i < ORDERS; i++) {
        suggestion_offer(&suggestion, orders[i].word);
        *order = &orders[i];
        if (strcmp(text, orders[i].word) == 0)
            return true;
    }
    parse_error_set(fault, 0, "%s is not one of reload, ledger, stop",
                    quoted(text, strlen(text), given));
    parse_error_suggest(fault, suggestion_found(&suggestion));
    return false;
}

static bool ctl_parse_address(const char *text, struct receiver_of_order *to,
                              struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    size_t scheme = strcspn(control_socket_syntax, ":") + 1;
    to->address = text;
    if (strncmp(text, control_socket_syntax, scheme) == 0 && text[scheme] != '\0')
        return true;
    return parse_error_set(fault, 0, "%s is not of the form %s", quoted(text, strlen(text), given),
                           control_socket_syntax);
}

/*
 * Parses a process id or an address. A number that is too large for an id is accepted; no process
 * will be found for it.
 */
static bool parse_receiver(const char *text, struct receiver_of_order *to,
                           struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    size_t length = strlen(text);
    if (strchr(text, ':') != NULL)
        return ctl_parse_address(text, to, fault);
    to->process = strtoul(text, NULL, 10);
    if (length != 0 && strspn(text, "0123456789") == length && to->process != 0)
        return true;
    return parse_error_set(fault, 0, "%s is neither a process number nor of the form %s",
                           quoted(text, length, given), control_socket_syntax);
}

static bool ctl_parse(int argc, char *const *argv, const struct order **order,
                      struct receiver_of_order *to, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    if (argc < 2)
        return parse_error_set(fault, 0, "write sluice ctl reload|ledger|stop PID|%s",
                               control_socket_syntax);
    if (!parse_order(argv[1], order, fault))
        return false;
    if (argc < 3)
        return parse_error_set(
            fault, 0, "%s: the process is missing: give its number, or its --control address, %s",
            argv[1], control_socket_syntax);
    if (argc > 3)
        return parse_error_set(fault, 0, "unexpected argument %s",
                               quoted(argv[3], strlen(argv[3]), given));
    return parse_receiver(argv[2], to, fault);
}

/* --- a request over the control socket -------------------------------------------------------- */

static enum exit_code print_text(const struct output *text)
{
    fwrite(text->data, 1, text->used, stdout);
    if (text->used == 0 || text->data[text->used - 1] != '\n')
        putchar('\n');
    return EXIT_CODE_OK; /* program_main checks stdout for errors */
}

static enum exit_code print_answer(const struct order *order, const char *address, const char *what,
                                   const struct output *text)
{
    if (strcmp(what, order->request) == 0)
        return print_text(text);
    if (strcmp(what, "refused") == 0) {
        log_line(LOG_ERROR, "ctl: refused: %.*s", (int)text->used, text->data);
        return EXIT_CODE_CONFIG;
    }
    log_line(LOG_ERROR, "ctl: %s: %.*s", address, (int)text->used, text->data);
    return EXIT_CODE_NOT_REACHED;
}

static enum exit_code ask_with(const struct order *order, const char *address,
                               struct output *answer, struct output *text)
{
    char what[CONTROL_WHAT_SIZE];
    struct error error;
    if (answer->data == NULL || text->data == NULL) {
        log_line(LOG_ERROR, "ctl: out of memory");
        return EXIT_CODE_INTERNAL;
    }
    if (control_ask(address, order->request, answer, &error) != 0) {
        log_line(LOG_ERROR, "ctl: %s", error.text);
        return error.code;
    }
    if (control_answer_read(answer->data, answer->used, what, text))
        return print_answer(order, address, what, text);
    log_line(LOG_ERROR, "ctl: %s: the process that answers is not a sluice", address);
    return EXIT_CODE_NOT_REACHED;
}

/*
 * The printed text can be longer than the answer: each invalid byte becomes the three bytes of
 * U+FFFD.
 */
static enum exit_code ctl_request(const struct order *order, const char *address)
{
    struct output answer = {.data = malloc(CONTROL_ANSWER_MOST), .capacity = CONTROL_ANSWER_MOST};
    struct output text = {.data = malloc(3 * CONTROL_ANSWER_MOST),
                          .capacity = 3 * CONTROL_ANSWER_MOST};
    enum exit_code code = ask_with(order, address, &answer, &text);
    free(answer.data);
    free(text.data);
    return code;
}

/* --- a signal to a process -------------------------------------------------------------------- */

static enum exit_code signal_process(const struct order *order, unsigned long process)
{
    struct error error;
    if (control_send(process, order->event, &error) != 0) {
        log_line(LOG_ERROR, "ctl: %s", error.text);
        return error.code;
    }
    log_line(LOG_INFO, "ctl: request sent to process %lu; its log has the outcome", process);
    return EXIT_CODE_OK;
}

/* --- the whole command ------------------------------------------------------------------------ */

enum exit_code ctl_command(int argc, char *const *argv)
{
    const struct order *order = NULL;
    struct receiver_of_order to = {0};
    struct parse_error fault;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf(
            "Usage: sluice ctl reload|ledger|stop PID|%s\n"
            "Makes the sluice with that process id, or that --control address, reload its\n"
            "configuration and reopen its files, print its ledger, or stop. Over --control the\n"
            "outcome is printed here: the ledger, or why a reload was refused (exit code 78). A\n"
            "process is only signalled; its log has the outcome.\n",
            control_socket_syntax);
        return EXIT_CODE_OK;
    }
    if (!ctl_parse(argc, argv, &order, &to, &fault)) {
        log_line(LOG_ERROR, "ctl: %s", fault.text);
        return EXIT_CODE_USAGE;
    }
    return to.address != NULL ? ctl_request(order, to.address) : signal_process(order, to.process);
}
