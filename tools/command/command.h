/*
 * The command line of a tool, from one table: parsing, --help and --version, errors and exit codes.
 *
 * A tool describes itself in a `struct command` and keeps its options' values in a settings struct:
 * each row names the field and its type, or has a function that sets it. Long options only, as
 * "--name value" or "--name=value"; the last of two wins; "--" ends the options. Every tool has
 * --help (-h) and --version (-V) too. One thread.
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

/* The type of an option's field, and so how its value is parsed. Texts live as long as argv. */
enum command_kept {
    KEPT_BY_ITSELF,   /* by the option's own function */
    KEPT_FLAG,        /* bool, set to true; the option takes no value */
    KEPT_EITHER,      /* bool: whether it is the second of the two words in `value`, "text|json" */
    KEPT_TEXT,        /* const char * */
    KEPT_COUNT,       /* uint64_t, `least` to `most` */
    KEPT_SIZE,        /* the same, bytes */
    KEPT_TIME,        /* the same, nanoseconds */
    KEPT_RATE,        /* uint64_t, 1 to `most`, or 0 for "max" */
    KEPT_DESTINATION, /* struct address, of "udp://HOST:PORT" */
};

struct command_option {
    const char *name;  /* without the dashes */
    const char *value; /* placeholder in --help; NULL: the option takes no value */
    const char *help;  /* may contain newlines */

    enum command_kept kept;
    size_t offset;        /* of the field in the settings */
    uint64_t least, most; /* both included */

    /*
     * KEPT_BY_ITSELF: stores the value (NULL for an option without one; it lives as long as argv).
     * Returns 0, or -1 with `error` filled; its text will follow "--name: ".
     */
    int (*set)(void *settings, const char *value, struct error *error);
};

/* The type and field of a row: COMMAND_KEEP(FLAG, struct settings, quick). */
#define COMMAND_KEEP(kind, type, field) .kept = KEPT_##kind, .offset = offsetof(type, field)

struct command {
    const char *name;
    const char *usage;                    /* follows the name in --help's first line */
    const char *summary;                  /* lines of --help before the options */
    const struct command_option *options; /* ends with a row whose name is NULL */
    const char *notes;                    /* lines of --help after the options, or NULL */

    /*
     * The name of choice `at` of an option that has a table of choices, else NULL. --help shows
     * them instead of the option's `value`. May be NULL.
     */
    const char *(*choice)(const char *option, size_t at);

    /* Stores an argument that is not an option; NULL: none is allowed. Returns as `set`. */
    int (*set_operand)(void *settings, const char *value, struct error *error);

    /* Checks combinations of options; may be NULL. */
    int (*check)(void *settings, struct error *error);
};

/* --help and --version, which every tool has; ends with a row whose name is NULL. */
extern const struct command_option command_common_options[];

/* 'h' of "-h" for a common option, else '\0'. */
char command_letter(const struct command_option *option);

enum command_wish {
    COMMAND_RUN,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_REFUSED, /* `error` is filled (EXIT_CODE_USAGE) */
};

/*
 * Reads argv into `settings`. --help and --version override everything after them. Does no I/O.
 */
enum command_wish command_parse(const struct command *command, int argc, char *const *argv,
                                void *settings, struct error *error);

/* Bytes of the longest syntax with its NUL. */
#define COMMAND_SYNTAX_SIZE 256

/* The syntax of an option's value: "FILE", "json|protobuf"; empty without a value. */
void command_syntax(const struct command *command, const struct command_option *option,
                    char syntax[COMMAND_SYNTAX_SIZE]);

/*
 * The beginning of a tool's program: prepares the standard streams, reads argv, and handles --help,
 * --version and errors. Returns true if the tool must do its work, else false with the exit code in
 * *code.
 */
bool command_begin(const struct command *command, int argc, char *const *argv, void *settings,
                   int *code);

/*
 * The end of a tool's program: flushes stdout, and, if `result` is not 0, writes the error to
 * stderr as "name: text". Returns the exit code: the error's, or EXIT_CODE_IO if stdout failed.
 */
int command_end(const struct command *command, int result, const struct error *error);

#endif
