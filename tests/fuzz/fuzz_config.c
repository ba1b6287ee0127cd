/*
 * Fuzzes the reading of a command line and a configuration file.
 *
 * Fields of the envelope: 1 arguments; 2 the file, which --config then names.
 *
 * An error must be one line with a position. An accepted configuration is printed (--print-config),
 * and must be accepted again and printed in the same form. YAML cannot represent bytes that are not
 * UTF-8; with such bytes only errors are checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/options.h"
#include "collector/program/registry.h"
#include "collector/text/utf8.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"

enum { PART_ARGUMENT = 1, PART_FILE = 2 };

#define MOST_ARGUMENTS 24

static void check_error(const struct error *error)
{
    EXPECT(error->code == EXIT_CODE_USAGE || error->code == EXIT_CODE_CONFIG, "exit code %d: %s",
           (int)error->code, error->text);
    EXPECT(error->text[0] != '\0' && strlen(error->text) < sizeof error->text, "no error text");
    for (const char *c = error->text; *c != '\0'; c++)
        EXPECT((unsigned char)*c >= ' ' && *c != 0x7f, "a control character: %s", error->text);
}

/* Returns the configuration as --print-config prints it. The caller frees it. */
static char *printed(const struct config *config, size_t *size)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    if (to == NULL)
        abort();
    options_print_config(to, config, &program_registry);
    fclose(to);
    return text;
}

/* Removes the comment after each value that says where the value comes from. */
static void drop_origins(char *text, size_t *size)
{
    size_t to = 0;
    for (size_t at = 0; at < *size;) {
        char *end = memchr(text + at, '\n', *size - at);
        size_t next = end == NULL ? *size : (size_t)(end - text) + 1;
        size_t length = next - at;
        for (size_t i = at; i + 3 < next; i++) /* the last " # ", because a value may contain one */
            if (memcmp(text + i, " # ", 3) == 0)
                length = i - at;
        memmove(text + to, text + at, length);
        to += length;
        if (length != next - at)
            text[to++] = '\n';
        at = next;
    }
    *size = to;
}

/*
 * Checks that the printed configuration is read as the same one, or refused if it has masked
 * secrets.
 */
static void check_printed(const struct config *config)
{
    size_t size = 0, size_again = 0;
    char *text = printed(config, &size);
    struct memory_file file;
    struct config again;
    struct error error = {0};
    char program[] = "sluice", option[] = "--config";
    memory_file_make(&file, text, size);
    char *argv[] = {program, option, file.path, NULL};
    enum options_result result = options_parse(3, argv, &program_registry, &again, &error);
    bool masked = memmem(text, size, "***", 3) != NULL;
    EXPECT(result == OPTIONS_RUN || masked, "what was printed is refused: %s\n%s", error.text,
           text);
    if (result != OPTIONS_RUN) {
        memory_file_close(&file);
        free(text);
        return;
    }
    char *text_again = printed(&again, &size_again);
    drop_origins(text, &size);
    drop_origins(text_again, &size_again);
    EXPECT(size == size_again && memcmp(text, text_again, size) == 0,
           "it is printed otherwise:\n%.*s\n%.*s", (int)size, text, (int)size_again, text_again);
    config_free(&again);
    memory_file_close(&file);
    free(text_again);
    free(text);
}

/*
 * Returns true if the argument names a configuration file. Only the file of the envelope is
 * allowed.
 */
static bool names_a_file(const char *argument)
{
    return strncmp(argument, "--conf", 6) == 0;
}

static bool is_utf8(char *const *argv, int argc)
{
    for (int i = 1; i < argc; i++)
        if (!utf8_valid(argv[i], strlen(argv[i])))
            return false;
    return true;
}

static int take_arguments(const struct envelope *envelope, char **argv)
{
    int argc = 1;
    for (size_t i = 0; argc < MOST_ARGUMENTS - 3; i++) {
        char *argument = envelope_text(envelope, PART_ARGUMENT, i);
        if (argument == NULL)
            break;
        if (names_a_file(argument))
            free(argument);
        else
            argv[argc++] = argument;
    }
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    struct memory_file file;
    struct config config;
    struct error error = {0};
    char program[] = "sluice", option[] = "--config";
    char *argv[MOST_ARGUMENTS] = {program};
    envelope_read(&envelope, data, size);
    const struct envelope_part *text = envelope_bytes(&envelope, PART_FILE, 0);
    int own = take_arguments(&envelope, argv);
    int argc = own;
    if (text != NULL) {
        memory_file_make(&file, text->bytes, text->size);
        argv[argc++] = option;
        argv[argc++] = file.path;
    }
    enum options_result result = options_parse(argc, argv, &program_registry, &config, &error);
    if (result == OPTIONS_WRONG)
        check_error(&error);
    else if (result == OPTIONS_RUN && is_utf8(argv, argc))
        check_printed(&config);
    config_free(&config);
    if (text != NULL)
        memory_file_close(&file);
    for (int i = 1; i < own; i++)
        free(argv[i]);
    envelope_free(&envelope);
    return 0;
}
