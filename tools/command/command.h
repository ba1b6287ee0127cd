/*
 * The command line of a tool, from one table: parsing, --help and --version, errors and exit codes.
 *
 * A tool describes itself in a `struct command` and keeps its options' values in a struct of its
 * own: each row says in which field and how, or has a function that does it. Long options only, as
 * "--name value" or "--name=value"; the last of two wins; "--" ends them. --help (-h) and --version
 * (-V) are added to every tool. One thread.
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

/* What the field of a value is, and how the value is read. Texts live as long as argv. */
enum command_kept {
    KEPT_BY_ITSELF,   /* by the option's own function */
    KEPT_FLAG,        /* bool, which becomes true: the option takes no value */
    KEPT_EITHER,      /* bool: whether it is the second of the two words in `value`, "text|json" */
    KEPT_TEXT,        /* const char * */
    KEPT_COUNT,       /* uint64_t, `least` to `most`, as of the next two */
    KEPT_SIZE,        /* bytes */
    KEPT_TIME,        /* nanoseconds */
    KEPT_RATE,        /* uint64_t, 1 to `most`, or 0 for "max" */
    KEPT_DESTINATION, /* struct address, of "udp://HOST:PORT" */
};

struct command_option {
    const char *name;  /* without the dashes */
    const char *value; /* what --help shows for its value; NULL: it takes none */
    const char *help;  /* may hold newlines */

    enum command_kept kept;
    size_t offset;        /* of the field in the settings */
    uint64_t least, most; /* both included */

    /*
     * KEPT_BY_ITSELF: keeps the value (NULL where the option takes none; it lives as long as argv).
     * Returns 0, or -1 with `error` filled, in words that follow "--name: ".
     */
    int (*set)(void *settings, const char *value, struct error *error);
};

/* What of a row says where its value is kept: COMMAND_KEEP(FLAG, struct settings, quick). */
#define COMMAND_KEEP(kind, type, field) .kept = KEPT_##kind, .offset = offsetof(type, field)

struct command {
    const char *name;
    const char *usage;                    /* what follows the name in --help's first line */
    const char *summary;                  /* lines that say what it does */
    const struct command_option *options; /* ended by one without a name */
    const char *notes;                    /* lines after the options, or NULL */

    /*
     * The name of choice `at` of an option whose value is one of a table's, or NULL where there are
     * no more, or never any; may be NULL. --help shows them instead of the option's `value`.
     */
    const char *(*choice)(const char *option, size_t at);

    /* Keeps what is no option; NULL: there must be none. Returns as `set` of an option does. */
    int (*set_operand)(void *settings, const char *value, struct error *error);

    /* Checks what only all options together show; may be NULL. */
    int (*check)(void *settings, struct error *error);
};

/* --help and --version, which every tool has; ended by one without a name. */
extern const struct command_option command_common_options[];

/* 'h' of "-h", of one of the common options; of any other '\0'. */
char command_letter(const struct command_option *option);

enum command_wish {
    COMMAND_RUN,
    COMMAND_HELP,
    COMMAND_VERSION,
    COMMAND_REFUSED, /* `error` is filled (EXIT_CODE_USAGE) */
};

/*
 * Reads argv into `settings`. --help and --version win over all that follows them. Does no I/O.
 */
enum command_wish command_parse(const struct command *command, int argc, char *const *argv,
                                void *settings, struct error *error);

/* Enough for how any option's value is written, and its NUL. */
#define COMMAND_SYNTAX_SIZE 256

/* How the value of an option is written: "FILE", "json|protobuf"; empty where it takes none. */
void command_syntax(const struct command *command, const struct command_option *option,
                    char syntax[COMMAND_SYNTAX_SIZE]);

/*
 * What a program begins with: sets up the standard streams, reads argv and does what --help,
 * --version or a mistake ask for. Returns true where the tool is to do its work, else false with
 * the exit code in *code.
 */
bool command_begin(const struct command *command, int argc, char *const *argv, void *settings,
                   int *code);

/*
 * What a program ends with: flushes stdout, writes to stderr, as "name: text", what `error` says
 * where `result` is not 0, and returns the exit code: the error's, or EXIT_CODE_IO where stdout
 * failed.
 */
int command_end(const struct command *command, int result, const struct error *error);

#endif
