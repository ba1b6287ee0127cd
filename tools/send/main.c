/* sluice-send: generates load for a collector. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/progress_line.h"
#include "collector/platform/input_file.h"
#include "collector/platform/process.h"
#include "proto/reading/json_message.h"
#include "tools/command/interrupt.h"
#include "tools/send/options.h"
#include "tools/send/report.h"
#include "tools/sending/udp_sender.h"

/* The maximum size of a file for --json, 64 times that of a datagram. */
#define JSON_FILE_MAX ((size_t)4 << 20)

static char *read_json(const char *path, struct error *error)
{
    char *text = malloc(JSON_FILE_MAX);
    size_t length = 0;
    struct error reason;
    if (text == NULL) {
        error_no_memory(error);
        return NULL;
    }
    if (input_load(path, text, JSON_FILE_MAX, &length, &reason) != 0)
        error_set(error, reason.code, "--json: %s", reason.text);
    else if (length == JSON_FILE_MAX)
        error_set(error, EXIT_CODE_USAGE, "--json: %s: a message has less than 4 MiB", path);
    else if (memchr(text, '\0', length) != NULL)
        error_set(error, EXIT_CODE_BAD_INPUT, "--json: %s: not a text, it contains a zero byte",
                  path);
    else {
        text[length] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

static int encode_given(const struct json_message_type *type, const char *given, uint8_t **bytes,
                        size_t *size, struct error *error)
{
    struct error reason;
    if (given[0] == '@') {
        char *text = read_json(given + 1, error);
        int result = text == NULL ? -1 : json_message_encode(type, text, bytes, size, error);
        free(text);
        return result;
    }
    if (json_message_encode(type, given, bytes, size, &reason) == 0)
        return 0;
    const char *hint = given[strspn(given, " \t\r\n")] == '{' ? "" : "; a file is --json @FILE";
    error_set(error, reason.code, "%s%s", reason.text, reason.code == EXIT_CODE_USAGE ? hint : "");
    return -1;
}

static int make_given(const struct send_settings *settings, uint8_t **bytes, struct load_plan *plan,
                      struct error *error)
{
    const struct json_message_type type = {
        .schema = settings->file == NULL ? plan->shape->name : NULL,
        .file = settings->file,
        .message = settings->message,
    };
    size_t size;
    if (encode_given(&type, settings->given, bytes, &size, error) != 0)
        return -1;
    plan->shape = &message_given;
    plan->given = (struct text){(const char *)*bytes, size};
    plan->samples = 0;
    int most = UDP_PAYLOAD_MAX - (plan->sealing.keys != NULL ? SEALED_OVERHEAD : 0);
    if (size <= (size_t)most)
        return 0;
    error_set(error, EXIT_CODE_USAGE, "--json: the message has %zu bytes, a datagram %d at most",
              size, most);
    return -1;
}

static int send_all(const struct send_settings *settings, const struct load_plan *plan,
                    struct error *error)
{
    struct load_counts counts;
    interrupt_catch();
    int result = load_run(plan, &counts, error);
    if (result != 0 && load_sent(&counts) + counts.failed == 0)
        return result;
    fprintf(stderr, "%s: ", send_command.name);
    report_write_line(&counts, stderr);
    if (settings->json)
        report_write_json(&counts, stdout);
    return result;
}

static int run(const struct send_settings *settings, struct error *error)
{
    struct load_plan plan = settings->plan;
    uint8_t *bytes = NULL;
    int result = settings->given != NULL ? make_given(settings, &bytes, &plan, error) : 0;
    if (result == 0)
        result = send_all(settings, &plan, error);
    free(bytes);
    return result;
}

int program_main(int argc, char **argv)
{
    struct send_settings settings = {
        .plan =
            {
                .destination = {.family = ADDRESS_IPV4, .port = 5555, .bytes = {127, 0, 0, 1}},
                .shape = &message_riemann,
                .sender = send_default_sender,
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
    if (!settings.quiet)
        progress_line_begin();
    int result = run(&settings, &error);
    progress_line_end();
    return command_end(&send_command, result, &error);
}
