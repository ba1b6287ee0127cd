/*
 * One thing that can be set: a row of a table that says all there is to know about it.
 *
 * Config has tables of these rows (key_table.h, option_table.h), and a destination may have one of
 * its own keys (own_keys in destination.h). Reading values, defaults, range checks, suggestions and
 * the help all follow from the rows. Constant.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SETTING_H
#define SLUICE_COLLECTOR_CONTRACT_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/parse_error.h"

/* How the value is written, and the type of the field that it goes to. */
enum setting_type {
    SETTING_NONE,        /* has no value of its own */
    SETTING_COUNT,       /* uint64_t */
    SETTING_SIZE,        /* uint64_t, bytes */
    SETTING_DURATION,    /* uint64_t, nanoseconds */
    SETTING_BOOL,        /* bool: true is the second of two choices */
    SETTING_ENUM,        /* an enum whose values are the indices of `choices` */
    SETTING_ENCODER,     /* const struct encoder_ops *: one of config_registry's */
    SETTING_COMPRESSION, /* const struct compression_ops *: one of config_registry's */
    SETTING_NOTIFIER, /* const struct notifier_backend *: one of config_registry's; NULL: "auto" */
    SETTING_SCHEMA,   /* struct schema_config: its ops, source and from_file */
    SETTING_MATCH,    /* struct schema_match */
    SETTING_TEXT,     /* char *: a copy, freed with the struct */
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
    unsigned scopes;            /* of a key: its scopes, of enum key_scope */
    size_t offset;              /* of its field in the struct that it is read into */
    const char *default_text;   /* as a user would write it; NULL: the field stays zero */
    uint64_t minimum, maximum;  /* of a number, both included */
    const char *const *choices; /* of SETTING_BOOL and SETTING_ENUM, NULL at the end */
    setting_parser *parse;      /* of SETTING_PARSED */
    setting_comparer *equal;    /* of SETTING_PARSED; NULL: it is not compared */
    const char *syntax;         /* what stands for the value in a help text, where that is free */
    const char *help;           /* one line, begins in lower case, no full stop */
    char letter;                /* 'h' of "-h", of an option without a value; '\0': none */
    bool open; /* of a key: its name ends in ".NAME", which stands for any name that a user writes;
                  its parser gets "NAME=VALUE", and it may be given more than once */
    const char *others; /* other programs' names for it, separated by spaces; NULL: none */
    bool secret;        /* its value may hold a password: it is not shown to clients */
};

#endif
