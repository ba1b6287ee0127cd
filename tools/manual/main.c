/*
 * sluice-manual: makes a manual page, or a completion for a shell, from a template and the tables
 * of options and keys. It runs while Sluice is built, and is not for users.
 *
 * sluice-manual PROGRAM TEMPLATE PAGE
 *
 * Lines of the template that begin with "@" are directives: a word and an optional argument. Other
 * lines are copied, with the program's name instead of %PROGRAM%.
 */
#include <stdio.h>
#include <string.h>

#include "collector/base/version.h"
#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/url.h"
#include "collector/platform/process.h"
#include "collector/program/registry.h"
#include "tools/decode/options.h"
#include "tools/manual/entry.h"
#include "tools/manual/json_schema.h"
#include "tools/manual/reported.h"
#include "tools/manual/writing.h"
#include "tools/replay/options.h"
#include "tools/send/options.h"
#include "tools/top/options.h"

/* The commands of the tools. Any other program is the collector. */
static const struct command *const tools[] = {&send_command, &replay_command, &decode_command,
                                              &top_command, NULL};

struct writing {
    const char *program;
    const struct command *tool; /* NULL for the collector */
    const struct glossary *glossary;
    FILE *out;
};

/* --- pages ------------------------------------------------------------------------------------ */

/* Writes the title. The argument is "NAME SECTION DATE"; the section's name is added. */
static int write_title(const struct writing *writing, const char *argument)
{
    char name[64];
    char date[16];
    int section;
    if (sscanf(argument, "%63s %d %15s", name, &section, date) != 3)
        return -1;
    fprintf(writing->out, ".TH \"");
    for (const char *at = name; *at != '\0'; at++)
        fputc(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at, writing->out);
    fprintf(writing->out, "\" %d \"%s\" \"sluice %s\" \"%s\"\n", section, date, SLUICE_VERSION,
            section == 1   ? "User Commands"
            : section == 3 ? "Library Functions Manual"
                           : "File Formats Manual");
    return 0;
}

static int write_usage(const struct writing *writing, const char *argument)
{
    (void)argument;
    if (writing->tool == NULL)
        return -1;
    fprintf(writing->out, "\\fB");
    roff_write_text(writing->out, writing->program, strlen(writing->program));
    fprintf(writing->out, "\\fR ");
    roff_write_text(writing->out, writing->tool->usage, strlen(writing->tool->usage));
    fputc('\n', writing->out);
    return 0;
}

static int write_summary(const struct writing *writing, const char *argument)
{
    (void)argument;
    if (writing->tool == NULL)
        return -1;
    roff_write_paragraphs(writing->out, writing->tool->summary);
    return 0;
}

/* Writes a tool's notes. The exit codes at their end get a section of their own. */
static int write_notes(const struct writing *writing, const char *argument)
{
    static const char begin[] = "Exit codes: ";
    (void)argument;
    const char *codes = writing->tool != NULL ? strstr(writing->tool->notes, begin) : NULL;
    if (codes == NULL)
        return -1;
    fputs(".SH NOTES\n", writing->out);
    size_t length = (size_t)(codes - writing->tool->notes);
    while (length > 0 && strchr(" \n", writing->tool->notes[length - 1]) != NULL)
        length--;
    roff_write_text(writing->out, writing->tool->notes, length);
    fputs("\n.SH EXIT STATUS\n", writing->out);
    codes += strlen(begin);
    roff_write_text(writing->out, codes, strlen(codes));
    fputc('\n', writing->out);
    return 0;
}

static int write_options(const struct writing *writing, const char *argument)
{
    struct entry entries[ENTRIES_MAX];
    (void)argument;
    size_t count = entries_of_options(writing->tool, entries);
    roff_write_entries(writing->out, entries, count, "--", " ");
    return 0;
}

/* Writes the options that a reload cannot change as "--a, --b and --c.", in bold. */
static int write_fixed_options(const struct writing *writing, const char *argument)
{
    const char *names[OPTIONS_MAX];
    size_t count = 0;
    (void)argument;
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        if (option->change == OPTION_FIXED)
            names[count++] = option->setting.name;
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        fprintf(writing->out, "%s\\fB\\-\\-", before);
        roff_write_text(writing->out, names[i], strlen(names[i]));
        fputs("\\fR", writing->out);
    }
    fputs(".\n", writing->out);
    return 0;
}

/* The names of scopes of keys in templates. */
static const struct {
    const char *name;
    unsigned scopes;
} key_places[] = {
    {"udp", KEY_OF_UDP},
    {"dtls", KEY_OF_DTLS},
    {"stream", KEY_OF_STREAM},
    {"tcp", KEY_OF_TCP},
    {"unix", KEY_OF_LOCAL},
    {"capture", KEY_OF_CAPTURE},
    {"schema", KEY_OF_SCHEMA},
    {"file", KEY_OF_FILE},
    {"sink", KEY_OF_SINK},
    {"file_sink", KEY_OF_FILE_SINK},
    {"relay_sink", KEY_OF_RELAY_SINK},
    {"delivery_sink", KEY_OF_DELIVERY_SINK},
    {"http_sink", KEY_OF_HTTP_SINK},
    {"kafka_sink", KEY_OF_KAFKA_SINK},
    {"nats_sink", KEY_OF_NATS_SINK},
    {"letters", KEY_OF_DEAD_LETTERS},
    {"any_udp", KEY_OF_UDP | KEY_OF_SCHEMA | KEY_OF_FILE},
    {"any_dtls", KEY_OF_UDP | KEY_OF_DTLS | KEY_OF_SCHEMA | KEY_OF_FILE},
    {"any_tcp", KEY_OF_STREAM | KEY_OF_TCP | KEY_OF_SCHEMA | KEY_OF_FILE},
    {"any_unix", KEY_OF_STREAM | KEY_OF_LOCAL | KEY_OF_SCHEMA | KEY_OF_FILE},
    {"any_capture", KEY_OF_CAPTURE | KEY_OF_SCHEMA | KEY_OF_FILE},
    {"any_file_sink", KEY_OF_SINK | KEY_OF_FILE_SINK},
    {"any_relay_sink", KEY_OF_SINK | KEY_OF_RELAY_SINK},
};

static size_t find_keys(const char *place, struct entry entries[ENTRIES_MAX])
{
    for (size_t i = 0; i < sizeof key_places / sizeof key_places[0]; i++)
        if (strcmp(key_places[i].name, place) == 0)
            return entries_of_keys(key_places[i].scopes, entries);
    return 0;
}

static int write_keys(const struct writing *writing, const char *argument)
{
    struct entry entries[ENTRIES_MAX];
    size_t count = find_keys(argument, entries);
    roff_write_entries(writing->out, entries, count, "", "=");
    return count != 0 ? 0 : -1;
}

static int write_exit_codes(const struct writing *writing, const char *argument)
{
    (void)argument;
    for (const struct exit_meaning *exit = exit_meanings; exit->meaning != NULL; exit++) {
        fprintf(writing->out, ".TP\n\\fB%d\\fR\n", (int)exit->code);
        roff_write_text(writing->out, exit->meaning, strlen(exit->meaning));
        fputc('\n', writing->out);
    }
    return 0;
}

/* --- completions ------------------------------------------------------------------------------ */

static int write_bash_options(const struct writing *writing, const char *argument)
{
    struct entry entries[ENTRIES_MAX];
    (void)argument;
    bash_write_options(writing->out, entries, entries_of_options(writing->tool, entries));
    return 0;
}

static int write_zsh_options(const struct writing *writing, const char *argument)
{
    struct entry entries[ENTRIES_MAX];
    (void)argument;
    zsh_write_options(writing->out, entries, entries_of_options(writing->tool, entries));
    return 0;
}

static int write_fish_options(const struct writing *writing, const char *argument)
{
    struct entry entries[ENTRIES_MAX];
    (void)argument;
    fish_write_options(writing->out, writing->program, entries,
                       entries_of_options(writing->tool, entries));
    return 0;
}

static int write_shell_keys(const struct writing *writing, const char *argument)
{
    struct entry entries[ENTRIES_MAX];
    size_t count = find_keys(argument, entries);
    shell_write_keys(writing->out, entries, count);
    return count != 0 ? 0 : -1;
}

/*
 * Writes the beginning of each listener's URL on a line, such as "udp://" and "pcap:". It ends
 * before the first placeholder, which is in capitals.
 */
static int write_listeners(const struct writing *writing, const char *argument)
{
    (void)argument;
    for (const struct source_ops *const *one = program_registry.sources; *one != NULL; one++)
        fprintf(writing->out, "%.*s\n", (int)strcspn((*one)->syntax, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                (*one)->syntax);
    return 0;
}

static int write_sinks(const struct writing *writing, const char *argument)
{
    (void)argument;
    for (size_t i = 0; program_registry.destinations[i] != NULL; i++)
        fprintf(writing->out, "%s:\n", program_registry.destinations[i]->scheme);
    return 0;
}

/* --- reported words --------------------------------------------------------------------------- */

/* Writes one part of the glossary. The argument is the name of the part in `kinds`. */
static int write_reported(const struct writing *writing, const char *argument)
{
    static const struct {
        const char *name;
        enum glossary_kind kind;
    } kinds[] = {
        {"listener-terms", GLOSSARY_LISTENER_TERM},  {"sink-terms", GLOSSARY_SINK_TERM},
        {"letter-terms", GLOSSARY_DEAD_LETTER_TERM}, {"datagram-reasons", GLOSSARY_DATAGRAM_REASON},
        {"refusals", GLOSSARY_RECORD_REFUSAL},       {"failures", GLOSSARY_RECORD_FAILURE},
        {"letter-drops", GLOSSARY_DEAD_LETTER_DROP}, {"metrics", GLOSSARY_METRIC},
        {"health-statuses", GLOSSARY_HEALTH_STATUS}, {"health-reasons", GLOSSARY_HEALTH_REASON},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, argument) != 0)
            continue;
        reported_write(writing->out, writing->glossary, kinds[i].kind);
        return 0;
    }
    return -1;
}

static int write_json_schema(const struct writing *writing, const char *argument)
{
    (void)argument;
    return json_schema_write(writing->out, &program_registry);
}

/* --- templates -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    /*
     * Writes the directive's text. Returns -1 if the argument is invalid, or if there is no text.
     */
    int (*write)(const struct writing *writing, const char *argument);
} directives[] = {
    {"title", write_title},
    {"usage", write_usage},
    {"summary", write_summary},
    {"notes", write_notes},
    {"options", write_options},
    {"fixed-options", write_fixed_options},
    {"keys", write_keys},
    {"exit-codes", write_exit_codes},
    {"reported", write_reported},
    {"bash-options", write_bash_options},
    {"zsh-options", write_zsh_options},
    {"fish-options", write_fish_options},
    {"shell-keys", write_shell_keys},
    {"listeners", write_listeners},
    {"json-schema", write_json_schema},
    {"sinks", write_sinks},
};

static int write_directive(const struct writing *writing, const char *line)
{
    size_t length = strcspn(line + 1, " ");
    const char *argument = line + 1 + length + strspn(line + 1 + length, " ");
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (strlen(directives[i].name) == length &&
            memcmp(directives[i].name, line + 1, length) == 0)
            return directives[i].write(writing, argument);
    return -1;
}

static void write_line(const struct writing *writing, const char *line)
{
    static const char mark[] = "%PROGRAM%";
    const char *at;
    for (; (at = strstr(line, mark)) != NULL; line = at + strlen(mark))
        fprintf(writing->out, "%.*s%s", (int)(at - line), line, writing->program);
    fputs(line, writing->out);
}

static int write_template(const struct writing *writing, FILE *template, const char *path)
{
    char line[1024];
    for (int number = 1; fgets(line, sizeof line, template) != NULL; number++) {
        if (line[0] != '@') {
            write_line(writing, line);
            continue;
        }
        line[strcspn(line, "\n")] = '\0';
        if (write_directive(writing, line) != 0) {
            fprintf(stderr, "%s:%d: %s: cannot be had\n", path, number, line);
            return -1;
        }
    }
    return 0;
}

static int write_page(struct writing *writing, const char *template_path, const char *page_path)
{
    FILE *template = fopen(template_path, "r");
    if (template == NULL) {
        perror(template_path);
        return -1;
    }
    int result = -1;
    writing->out = fopen(page_path, "w");
    if (writing->out != NULL) {
        result = write_template(writing, template, template_path);
        bool failed = ferror(writing->out) != 0;
        if (fclose(writing->out) != 0 || failed)
            result = -1;
    }
    if (result != 0)
        fprintf(stderr, "sluice-manual: cannot make %s\n", page_path);
    fclose(template);
    return result;
}

int program_main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: sluice-manual PROGRAM TEMPLATE PAGE\n", stderr);
        return EXIT_CODE_USAGE;
    }
    struct writing writing = {.program = argv[1]};
    for (size_t i = 0; tools[i] != NULL; i++)
        if (strcmp(tools[i]->name, argv[1]) == 0)
            writing.tool = tools[i];
    struct glossary *glossary = glossary_create(&program_registry);
    if (glossary == NULL) {
        fputs("sluice-manual: no memory\n", stderr);
        return EXIT_CODE_INTERNAL;
    }
    writing.glossary = glossary;
    int result = write_page(&writing, argv[2], argv[3]);
    glossary_destroy(glossary);
    return result == 0 ? EXIT_CODE_OK : EXIT_CODE_IO;
}
