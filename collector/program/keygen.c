#include "collector/program/keygen.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/log/log.h"
#include "collector/platform/machine.h"
#include "collector/senders/sender_key_line.h"
#include "collector/text/utc_time.h"

struct keygen_request {
    const char *name;
    const char *not_before, *not_after; /* as given, or NULL if not limited */
    int64_t not_before_ns, not_after_ns;
};

static const char usage[] =
    "keygen: write sluice keygen [--not-before TIME] [--not-after TIME] NAME";

static enum exit_code keygen_refuse(const char *text)
{
    log_line(LOG_ERROR, "%s", text);
    return EXIT_CODE_USAGE;
}

static void keygen_print_help(void)
{
    puts(
        "Usage: sluice keygen [--not-before TIME] [--not-after TIME] NAME\n"
        "Prints a line for a keys file: NAME, the id of a new key, and the key, which is secret.\n"
        "The keys of a listener with framing=sealed, and of its senders, are such lines. NAME is\n"
        "the sender in the records: 1 to 63 letters, digits, '.', '_' and '-'. A key is valid\n"
        "from not-before to not-after, times like 2026-11-21T06:43:36Z; several keys may have one\n"
        "NAME. Only the owner of the file, and its group, may be able to read it:\n"
        "  (umask 077; sluice keygen web1 >>keys)");
}

static bool keygen_read(int argc, char *const *argv, struct keygen_request *request)
{
    int at = 1;
    for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
        if (strcmp(argv[at], "--not-before") == 0 && request->not_before == NULL)
            request->not_before = argv[at + 1];
        else if (strcmp(argv[at], "--not-after") == 0 && request->not_after == NULL)
            request->not_after = argv[at + 1];
        else
            return false;
    }
    if (at + 1 != argc || argv[at][0] == '-')
        return false;
    request->name = argv[at];
    return true;
}

static const char *keygen_fault(struct keygen_request *request)
{
    request->not_before_ns = INT64_MIN;
    request->not_after_ns = INT64_MAX;
    if (!sender_key_is_name(request->name))
        return "keygen: a name is 1 to 63 letters, digits, '.', '_' and '-', and begins with a "
               "letter or a digit";
    if ((request->not_before != NULL &&
         !utc_time_parse(request->not_before, &request->not_before_ns)) ||
        (request->not_after != NULL && !utc_time_parse(request->not_after, &request->not_after_ns)))
        return "keygen: a time is written like 2026-11-21T06:43:36Z";
    if (request->not_before_ns > request->not_after_ns)
        return "keygen: --not-before is later than --not-after";
    return NULL;
}

static int keygen_fill(struct sender_key_line *line, struct error *error)
{
    do
        if (random_bytes((uint8_t *)&line->id, sizeof line->id, error) != 0)
            return -1;
    while (line->id == 0);
    return random_bytes(line->key, sizeof line->key, error);
}

static void keygen_put_limit(struct output *out, const char *name, const char *time)
{
    if (time == NULL)
        return;
    output_bytes(out, name, strlen(name));
    output_bytes(out, time, strlen(time));
}

static enum exit_code keygen_print(const struct keygen_request *request)
{
    char text[SENDER_KEY_LINE_SIZE + 128];
    struct output out = {.data = text, .capacity = sizeof text};
    struct sender_key_line line = {.id = 0};
    struct error error;
    enum exit_code code = EXIT_CODE_OK;
    snprintf(line.name, sizeof line.name, "%s", request->name);
    setvbuf(stdout, NULL, _IONBF, 0); /* no buffer, so that no copy of the key stays in memory */
    if (keygen_fill(&line, &error) == 0) {
        sender_key_line_put(&out, &line);
        keygen_put_limit(&out, " not-before=", request->not_before);
        keygen_put_limit(&out, " not-after=", request->not_after);
        output_char(&out, '\n');
        if (fwrite(text, 1, out.used, stdout) != out.used)
            code = EXIT_CODE_IO;
    } else {
        log_line(LOG_ERROR, "keygen: %s", error.text);
        code = error.code;
    }
    secure_clear(&line, sizeof line);
    secure_clear(text, sizeof text);
    return code;
}

enum exit_code keygen_command(int argc, char *const *argv)
{
    struct keygen_request request = {.name = NULL};
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        keygen_print_help();
        return EXIT_CODE_OK;
    }
    if (!keygen_read(argc, argv, &request))
        return keygen_refuse(usage);
    const char *fault = keygen_fault(&request);
    return fault != NULL ? keygen_refuse(fault) : keygen_print(&request);
}
