/*
 * One thing that can be set: a row of a table that says all there is to know about it.
 *
 * The tables of keys (key_table.h) and of options (option_table.h) are made of these rows; reading
 * values, defaults, range checks, suggestions and the help text all come from them. Rows are
 * constant, and the functions are pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_SETTING_H
#define SLUICE_COLLECTOR_CONFIG_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/parse_error.h"
#include "collector/config/config.h"

/* How the value is written, and the type of the field that it goes to. */
enum setting_type {
    SETTING_NONE,        /* has no value of its own */
    SETTING_COUNT,       /* uint64_t */
    SETTING_SIZE,        /* uint64_t, bytes */
    SETTING_DURATION,    /* uint64_t, nanoseconds */
    SETTING_BOOL,        /* bool: true is the second of two choices */
    SETTING_ENUM,        /* an enum whose values are the places in `choices` */
    SETTING_ENCODER,     /* const struct encoder_ops *: one of config_registry's */
    SETTING_COMPRESSION, /* const struct compression_ops *: one of config_registry's */
    SETTING_NOTIFIER, /* const struct notifier_backend *: one of config_registry's; NULL: "auto" */
    SETTING_SCHEMA,   /* struct schema_config: its ops, source and from_file */
    SETTING_MATCH,    /* struct schema_match */
    SETTING_TEXT,     /* char *: a copy, to be freed by whoever frees the struct */
    SETTING_LOCAL,    /* the same, of a local address: config_registry's local_syntax */
    SETTING_PARSED,   /* whatever its own parser makes of it */
};

/*
 * Reads all `length` bytes of the value of the setting called `name` into `field`. Returns false as
 * setting_parse does.
 */
typedef bool setting_parser(const char *name, const char *text, size_t length, void *field,
                            struct parse_error *fault);

/* Whether two fields that such a parser filled in hold the same value. */
typedef bool setting_comparer(const void *a, const void *b);

struct setting {
    const char *name; /* NULL ends a table */
    enum setting_type type;
    unsigned scopes;            /* of a key: where it may stand, of enum key_scope */
    size_t offset;              /* of its field in the struct that it is read into */
    const char *default_text;   /* as a user would write it; NULL: the field stays zero */
    uint64_t minimum, maximum;  /* of a number, both included */
    const char *const *choices; /* of SETTING_BOOL and SETTING_ENUM, NULL at the end */
    setting_parser *parse;      /* of SETTING_PARSED */
    setting_comparer *equal;    /* of SETTING_PARSED; NULL: nobody compares it */
    const char *syntax;         /* what stands for the value in a help text, where that is free */
    const char *help;           /* one line, begins in lower case, no full stop */
    char letter;                /* 'h' of "-h", of an option without a value; '\0': none */
    bool open; /* of a key: its name ends in ".NAME", which stands for any name that a user writes;
                  its parser gets "NAME=VALUE", and it may stand more than once */
    const char *others; /* other programs' names for it, separated by spaces; NULL: none */
    bool secret;        /* its value may hold a password: it is not shown to clients */
};

/*
 * Reads all `length` bytes of `text` and stores the value in its field of `target`. Returns false
 * with `fault` filled (its `at` counted from the beginning of `text`) where the value is not
 * allowed; the fault's text begins with the setting's name.
 */
bool setting_parse(const struct setting *setting, const struct config_registry *registry,
                   const char *text, size_t length, void *target, struct parse_error *fault);

/*
 * Whether two structs that the setting was read into hold the same value. Of a number, an enum, a
 * notifier, a text, or what has a comparer; others are never equal.
 */
bool setting_equal(const struct setting *setting, const void *a, const void *b);

/*
 * How many bytes of a value that was accepted stand before the path that it ends in: all `length`
 * of them where there is none.
 */
size_t setting_path(const struct setting *setting, const struct config_registry *registry,
                    const char *text, size_t length);

/* The name of choice `at`, or NULL where there are no more, or never any. */
const char *setting_choice(const struct setting *setting, const struct config_registry *registry,
                           size_t at);

#endif
