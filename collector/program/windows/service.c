/* Implements collector/program/service.h on Windows: `sluice service install|remove|run`. */
#include "collector/program/service.h"

#include <stdio.h>
#include <string.h>

#include "collector/config/absolute.h"
#include "collector/log/log.h"
#include "collector/platform/windows/text.h"
#include "collector/program/windows/service_arguments.h"
#include "collector/program/windows/service_run.h"
#include "collector/program/windows/service_setup.h"

#define DEFAULT_NAME "sluice"

const char service_summary[] =
    "sluice service installs it as a Windows service: see sluice service --help.\n";

static const char help[] =
    "Usage: sluice service install [--name NAME] [--display-name TEXT] -- OPTION...\n"
    "       sluice service remove [--name NAME]\n"
    "Installs sluice as a Windows service with these OPTIONs of a command line (see sluice\n"
    "--help).\n"
    "\n"
    "install  checks the OPTIONs as --check does, makes their paths absolute, and creates a\n"
    "         service that starts with the system, as NT SERVICE\\NAME, in the folder of the\n"
    "         configuration file (--config). It has no standard output, so a sink must be\n"
    "         given. Its log goes to the event log (Application), with NAME as the source.\n"
    "remove   stops the service, waits for its end, and removes it.\n"
    "run      is started by the service manager.\n"
    "\n"
    "  --name NAME          the name of the service (default " DEFAULT_NAME ")\n"
    "  --display-name TEXT  the name in lists of services (default the name)\n"
    "\n"
    "sc.exe start NAME                starts it.\n"
    "sc.exe stop NAME                 stops it, after received records have been written.\n"
    "sc.exe control NAME paramchange  makes it reopen its files and reload its configuration\n"
    "                                 and schemas.\n"
    "sc.exe control NAME 128          makes it log the ledger.\n";

/* The arguments before `--`, and those after it. */
struct words {
    const char *name;
    const char *display_name; /* NULL: use `name` */
    int argc;                 /* number of `argv`, whose first is the `--`; 0 means no `--` */
    char **argv;
};

static bool service_usage_error(struct error *error, const char *text, const char *word)
{
    error_set(error, EXIT_CODE_USAGE, "service: %s%s; see sluice service --help", text, word);
    return false;
}

/* --- reading ---------------------------------------------------------------------------------- */

/*
 * Returns the value of "--name VALUE" or "--name=VALUE" at *at and moves *at past it. Returns NULL
 * for another option.
 */
static const char *service_value(const char *option, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    size_t length = strlen(option);
    if (strncmp(word, option, length) != 0)
        return NULL;
    if (word[length] == '=') {
        ++*at;
        return word + length + 1;
    }
    if (word[length] != '\0' || *at + 1 >= argc)
        return NULL;
    *at += 2;
    return argv[*at - 1];
}

static bool read_words(int argc, char **argv, struct words *words, struct error *error)
{
    *words = (struct words){.name = DEFAULT_NAME};
    int at = 0;
    while (at < argc && strcmp(argv[at], "--") != 0) {
        const char *value;
        if ((value = service_value("--name", argc, argv, &at)) != NULL)
            words->name = value;
        else if ((value = service_value("--display-name", argc, argv, &at)) != NULL)
            words->display_name = value;
        else
            return service_usage_error(error, "unknown argument: ", argv[at]);
    }
    words->argc = argc - at;
    words->argv = argv + at;
    return true;
}

/* Converts a service's name. The service manager allows at most 256 characters. */
static bool to_name(const char *text, wchar_t name[SERVICE_NAME_SIZE], struct error *error)
{
    if (*text != '\0' && strpbrk(text, "/\\") == NULL &&
        text_to_wide(text, name, SERVICE_NAME_SIZE))
        return true;
    return service_usage_error(
        error, "the name of a service has 1 to 256 characters, without / and \\: ", text);
}

static bool to_display_name(const char *text, wchar_t name[SERVICE_NAME_SIZE], struct error *error)
{
    if (*text != '\0' && text_to_wide(text, name, SERVICE_NAME_SIZE))
        return true;
    return service_usage_error(error,
                               "the display name of a service has 1 to 256 characters: ", text);
}

/* --- commands --------------------------------------------------------------------------------- */

/*
 * Returns the service's arguments with absolute paths, or NULL with `error` filled. Makes the
 * configuration file's folder the current one, as the service does, because paths in the file are
 * relative to it. Only arguments without a configuration file are checked here; the others are
 * checked later by is_right.
 */
static char **checked_arguments(const struct service_program *program, const struct words *words,
                                struct error *error)
{
    struct config config;
    char **absolute = NULL;
    if (!service_arguments_read(words->argc, words->argv, program->registry, &config, error))
        return NULL;
    if (config.file != NULL || program->check(&config, error) == 0)
        absolute = service_arguments_absolute(words->argc, words->argv, program->registry, error);
    if (absolute != NULL && !service_enter_folder(&config, error)) {
        absolute_arguments_free(absolute);
        absolute = NULL;
    }
    config_free(&config);
    return absolute;
}

/*
 * Checks the arguments after their paths were made absolute, because two relative paths may have
 * become the same path. Also checks the configuration file, if there is one.
 */
static bool is_right(const struct service_program *program, int argc, char **argv,
                     struct error *error)
{
    struct config config;
    if (!service_arguments_read(argc, argv, program->registry, &config, error))
        return false;
    bool right = config.file == NULL || program->check(&config, error) == 0;
    config_free(&config);
    return right;
}

static int install(const struct service_program *program, const struct words *words,
                   struct error *error)
{
    wchar_t name[SERVICE_NAME_SIZE];
    wchar_t display_name[SERVICE_NAME_SIZE];
    if (!to_name(words->name, name, error) ||
        !to_display_name(words->display_name != NULL ? words->display_name : words->name,
                         display_name, error))
        return -1;
    char **arguments = checked_arguments(program, words, error);
    int result = -1;
    if (arguments != NULL && is_right(program, words->argc, arguments, error))
        result = service_create(name, display_name, arguments + 1, error);
    absolute_arguments_free(arguments);
    if (result == 0)
        log_line(
            LOG_INFO,
            "the service %s is installed, and runs as NT SERVICE\\%s, which must be allowed to "
            "write its files; start it with sc.exe start %s",
            words->name, words->name, words->name);
    return result;
}

static int remove_service(const struct words *words, struct error *error)
{
    wchar_t name[SERVICE_NAME_SIZE];
    if (!to_name(words->name, name, error) || service_delete(name, error) != 0)
        return -1;
    log_line(LOG_INFO, "the service %s is removed", words->name);
    return 0;
}

static int install_or_remove(const struct service_program *program, int argc, char **argv,
                             struct error *error)
{
    struct words words;
    bool install_it = argc > 1 && strcmp(argv[1], "install") == 0;
    bool remove_it = argc > 1 && strcmp(argv[1], "remove") == 0;
    bool read = false;
    if (install_it || remove_it)
        read = read_words(argc - 2, argv + 2, &words, error);
    else
        service_usage_error(error, "install, remove or run is missing", "");
    if (read && remove_it && words.argc != 0)
        read = service_usage_error(error, "remove does not accept OPTIONs", "");
    if (!read)
        return -1;
    return install_it ? install(program, &words, error) : remove_service(&words, error);
}

enum exit_code service_command(const struct service_program *program, int argc, char **argv)
{
    struct error error;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return EXIT_CODE_OK;
    }
    if (argc > 2 && strcmp(argv[1], "run") == 0 && strcmp(argv[2], "--") == 0)
        return service_run(program, argc - 2, argv + 2);
    if (install_or_remove(program, argc, argv, &error) == 0)
        return EXIT_CODE_OK;
    log_line(LOG_ERROR, "%s", error.text);
    return error.code;
}
