#include "tools/command/command.h"

#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/base/version.h"
#include "tools/command/kept_value.h"
#include "tools/command/standard_streams.h"

#define HELP_INDENT 26 /* column of the help texts */

const struct command_option command_common_options[] = {
    {.name = "help", .help = "write this and exit"},
    {.name = "version", .help = "write the version and exit"},
    {0},
};

static const char common_letters[] = {'h', 'V'};

char command_letter(const struct command_option *option)
{
    for (size_t i = 0; i < sizeof common_letters; i++)
        if (option == &command_common_options[i])
            return common_letters[i];
    return '\0';
}

static int command_refuse(struct error *error, const char *option, int length, const char *what)
{
    error_set(error, EXIT_CODE_USAGE, "--%.*s %s (see --help)", length, option, what);
    return -1;
}

static const struct command_option *find_option(const struct command *command, const char *name,
                                                size_t length)
{
    for (const struct command_option *option = command->options; option->name != NULL; option++)
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
            return option;
    return NULL;
}

static int refuse_unknown(const struct command *command, const char *name, size_t length,
                          struct error *error)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, name, length);
    for (const struct command_option *option = command->options; option->name != NULL; option++)
        suggestion_offer(&suggestion, option->name);
    const char *found = suggestion_found(&suggestion);
    if (found == NULL)
        return command_refuse(error, name, (int)length, "is not an option");
    error_set(error, EXIT_CODE_USAGE, "--%.*s is not an option; did you mean --%s?", (int)length,
              name, found);
    return -1;
}

static int set_option(const struct command_option *option, void *settings, const char *value,
                      struct error *error)
{
    struct error reason;
    if (kept_value_set(option, settings, value, &reason) == 0)
        return 0;
    error_set(error, EXIT_CODE_USAGE, "--%s: %s", option->name, reason.text);
    return -1;
}

static int take_option(const struct command *command, int argc, char *const *argv, int *at,
                       void *settings, struct error *error)
{
    const char *name = argv[*at] + 2;
    const char *equals = strchr(name, '=');
    size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct command_option *option = find_option(command, name, length);
    if (option == NULL)
        return refuse_unknown(command, name, length, error);
    if (option->value == NULL) {
        if (equals != NULL)
            return command_refuse(error, name, (int)length, "takes no value");
        return set_option(option, settings, NULL, error);
    }
    if (equals != NULL)
        return set_option(option, settings, equals + 1, error);
    if (*at + 1 >= argc)
        return command_refuse(error, name, (int)length, "needs a value");
    return set_option(option, settings, argv[++*at], error);
}

static int take_operand(const struct command *command, const char *text, void *settings,
                        struct error *error)
{
    if (command->set_operand != NULL)
        return command->set_operand(settings, text, error);
    error_set(error, EXIT_CODE_USAGE, "unexpected argument '%s' (see --help)", text);
    return -1;
}

enum command_wish command_parse(const struct command *command, int argc, char *const *argv,
                                void *settings, struct error *error)
{
    bool options_over = false;
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at];
        int result;
        if (options_over || word[0] != '-' || word[1] == '\0') {
            result = take_operand(command, word, settings, error);
        } else if (strcmp(word, "--") == 0) {
            options_over = true;
            continue;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return COMMAND_HELP;
        } else if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
            return COMMAND_VERSION;
        } else if (word[1] != '-') {
            error_set(error, EXIT_CODE_USAGE, "%s is not an option (see --help)", word);
            result = -1;
        } else {
            result = take_option(command, argc, argv, &at, settings, error);
        }
        if (result != 0)
            return COMMAND_REFUSED;
    }
    if (command->check != NULL && command->check(settings, error) != 0)
        return COMMAND_REFUSED;
    return COMMAND_RUN;
}

void command_syntax(const struct command *command, const struct command_option *option,
                    char syntax[COMMAND_SYNTAX_SIZE])
{
    const char *name;
    size_t used = 0;
    snprintf(syntax, COMMAND_SYNTAX_SIZE, "%s", option->value != NULL ? option->value : "");
    if (option->value == NULL || command->choice == NULL)
        return;
    for (size_t i = 0; (name = command->choice(option->name, i)) != NULL; i++) {
        snprintf(syntax + used, COMMAND_SYNTAX_SIZE - used, "%s%s", i == 0 ? "" : "|", name);
        used += strlen(syntax + used);
    }
}

/* Writes "  --name VALUE", and the help text in the next column. */
static void write_option(const struct command *command, const struct command_option *option,
                         FILE *out)
{
    char syntax[COMMAND_SYNTAX_SIZE];
    command_syntax(command, option, syntax);
    const char letter[] = {'-', command_letter(option), ',', ' ', '\0'};
    int width = fprintf(out, "  %s--%s%s%s", letter[1] != '\0' ? letter : "", option->name,
                        syntax[0] != '\0' ? " " : "", syntax);
    if (width >= HELP_INDENT) {
        fputc('\n', out);
        width = 0;
    }
    for (const char *line = option->help; line != NULL; width = 0) {
        const char *end = strchr(line, '\n');
        int length = end != NULL ? (int)(end - line) : (int)strlen(line);
        fprintf(out, "%*s%.*s\n", HELP_INDENT - width, "", length, line);
        line = end != NULL ? end + 1 : NULL;
    }
}

static void write_help(const struct command *command, FILE *out)
{
    const struct command_option *option;
    fprintf(out, "usage: %s %s\n\n%s\n\n", command->name, command->usage, command->summary);
    for (option = command->options; option->name != NULL; option++)
        write_option(command, option, out);
    for (option = command_common_options; option->name != NULL; option++)
        write_option(command, option, out);
    if (command->notes != NULL)
        fprintf(out, "\n%s\n", command->notes);
}

bool command_begin(const struct command *command, int argc, char *const *argv, void *settings,
                   int *code)
{
    struct error error;
    standard_streams_prepare();
    switch (command_parse(command, argc, argv, settings, &error)) {
    case COMMAND_RUN:
        return true;
    case COMMAND_HELP:
        write_help(command, stdout);
        *code = command_end(command, 0, NULL);
        return false;
    case COMMAND_VERSION:
        printf("%s %s\n", command->name, SLUICE_VERSION);
        *code = command_end(command, 0, NULL);
        return false;
    case COMMAND_REFUSED:
        break;
    }
    *code = command_end(command, -1, &error);
    return false;
}

int command_end(const struct command *command, int result, const struct error *error)
{
    bool failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    if (result != 0) {
        fprintf(stderr, "%s: %s\n", command->name, error->text);
        return (int)error->code;
    }
    if (failed) {
        fprintf(stderr, "%s: cannot write to standard output\n", command->name);
        return EXIT_CODE_IO;
    }
    return EXIT_CODE_OK;
}
