/*
 * Implements the command line of a tool, which one table describes: parsing, --help and --version,
 * errors and exit codes.
 *
 * A tool has a `struct command` and a settings struct for the values of its options. Each row of
 * the table of options names a field of the settings struct and its type, or has a function that
 * stores the value. Options are long: "--name value" or "--name=value". If an option is given
 * twice, the last value counts. "--" ends the options. Every tool also has --help (-h) and
 * --version (-V). One thread.
 *
 *     int program_main(int argc, char **argv)
 *     {
 *         struct settings settings = defaults;
 *         struct error error;
 *         int code;
 *         if (!command_begin(&command, argc, argv, &settings, &code))
 *             return code;
 *         return command_end(&command, run(&settings, &error), &error);
 *     }
 */
#ifndef SLUICE_TOOLS_COMMAND_COMMAND_H
#define SLUICE_TOOLS_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "collector/base/error.h"

/*
 * The type of an option's field, which determines how the value is parsed. Texts live as long as
 * argv.
 */
enum command_kept {
    KEPT_BY_ITSELF,   /* the option's own function stores the value */
    KEPT_FLAG,        /* bool, set to true; the option has no value */
    KEPT_EITHER,      /* bool; `value` is two words, "text|json": true for the second */
    KEPT_TEXT,        /* const char * */
    KEPT_COUNT,       /* uint64_t from `least` to `most` */
    KEPT_SIZE,        /* uint64_t from `least` to `most`, in bytes */
    KEPT_TIME,        /* uint64_t from `least` to `most`, in nanoseconds */
    KEPT_RATE,        /* uint64_t from 1 to `most`, or 0 for "max" */
    KEPT_DESTINATION, /* struct address, given as "udp://HOST:PORT" */
};

struct command_option {
    const char *name;  /* without the dashes */
    const char *value; /* placeholder in --help; NULL if the option has no value */
    const char *help;  /* may contain newlines */

    enum command_kept kept;
    size_t offset;        /* of the field in the settings struct */
    uint64_t least, most; /* both values are allowed */

    /*
     * Only for KEPT_BY_ITSELF. Stores the value, which lives as long as argv and is NULL if the
     * option has none. Returns 0, or -1 with `error` filled. The caller puts "--name: " before the
     * error's text.
     */
    int (*set)(void *settings, const char *value, struct error *error);
};

/* Sets the type and the field of an option: COMMAND_KEEP(FLAG, struct settings, quick). */
#define COMMAND_KEEP(kind, type, field) .kept = KEPT_##kind, .offset = offsetof(type, field)

struct command {
    const char *name;
    const char *usage;                    /* follows the name in --help's first line */
    const char *summary;                  /* lines of --help before the options */
    const struct command_option *options; /* the last row has the name NULL */
    const char *notes;                    /* lines of --help after the options, or NULL */

    /*
     * Returns choice number `at` of the option, or NULL if it has no such choice. If an option has
     * choices, --help shows them instead of its `value`. May be NULL.
     */
    const char *(*choice)(const char *option, size_t at);

    /*
     * Stores an argument that is not an option, and returns as `set` does. NULL if the command
     * allows no such arguments.
     */
    int (*set_operand)(void *settings, const char *value, struct error *error);

    /* Checks the combination of all options. Returns as `set` does. May be NULL. */
    int (*check)(void *settings, struct error *error);
};

/* The options --help and --version, which every tool has. The last row has the name NULL. */
extern const struct command_option command_common_options[];

/* Returns the letter of a common option, such as 'h' for "-h", or '\0' for other options. */
char command_letter(const struct command_option *option);

enum command_wish {
    COMMAND_RUN,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_REFUSED, /* `error` is filled (EXIT_CODE_USAGE) */
};

/*
 * Reads argv into `settings`. After --help or --version the other arguments are ignored. Does no
 * I/O.
 */
enum command_wish command_parse(const struct command *command, int argc, char *const *argv,
                                void *settings, struct error *error);

/* The maximum number of bytes of a value's syntax, with its NUL. */
#define COMMAND_SYNTAX_SIZE 256

/*
 * Writes the syntax of an option's value, such as "FILE" or "json|protobuf", or "" if it has no
 * value.
 */
void command_syntax(const struct command *command, const struct command_option *option,
                    char syntax[COMMAND_SYNTAX_SIZE]);

/*
 * Begins a tool's program: prepares the standard streams, reads argv, and handles --help, --version
 * and errors. Returns true if the tool must do its work. Otherwise it must end with the exit code
 * *code.
 */
bool command_begin(const struct command *command, int argc, char *const *argv, void *settings,
                   int *code);

/*
 * Ends a tool's program: flushes stdout, and, if `result` is not 0, writes the error to stderr as
 * "name: text". Returns the exit code: 0, the error's code, or EXIT_CODE_IO if stdout failed.
 */
int command_end(const struct command *command, int result, const struct error *error);

#endif
