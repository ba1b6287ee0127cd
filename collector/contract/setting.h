/*
 * A setting is an option or a key. One row of a table describes it completely.
 *
 * Config has tables of these rows (key_table.h, option_table.h), and a destination may have a table
 * of its own keys (own_keys in destination.h). Parsing, defaults, range checks, suggestions and the
 * help follow from the rows. Constant.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SETTING_H
#define SLUICE_COLLECTOR_CONTRACT_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/parse_error.h"

/* The syntax of a setting's value, and the type of the field that the value is stored in. */
enum setting_type {
    SETTING_NONE,        /* the setting has no value */
    SETTING_COUNT,       /* uint64_t */
    SETTING_SIZE,        /* uint64_t, bytes */
    SETTING_DURATION,    /* uint64_t, nanoseconds */
    SETTING_BOOL,        /* bool: the second of two choices is true */
    SETTING_ENUM,        /* an enum whose values are the indices of `choices` */
    SETTING_ENCODER,     /* const struct encoder_ops *: from config_registry */
    SETTING_COMPRESSION, /* const struct compression_ops *: from config_registry */
    SETTING_NOTIFIER,    /* const struct notifier_backend *: from config_registry; NULL: "auto" */
    SETTING_SCHEMA,      /* struct schema_config: its ops, source and from_file */
    SETTING_MATCH,       /* struct schema_match */
    SETTING_TEXT,        /* char *: a copy, freed with the struct */
    SETTING_LOCAL,       /* as SETTING_TEXT; a local address: config_registry's local_syntax */
    SETTING_PARSED,      /* the type that the setting's own parser fills */
};

/*
 * Parses all `length` bytes of the value of the setting called `name` into `field`. Returns false
 * as setting_parse does (collector/config/setting.h).
 */
typedef bool setting_parser(const char *name, const char *text, size_t length, void *field,
                            struct parse_error *fault);

/* Returns true if two fields that a setting_parser filled hold the same value. */
typedef bool setting_comparer(const void *a, const void *b);

struct setting {
    const char *name; /* NULL ends a table */
    enum setting_type type;
    unsigned scopes;            /* for a key: its scopes, as bits (enum key_scope) */
    size_t offset;              /* offset of its field in the struct that values are stored in */
    const char *default_text;   /* the default as a user would write it; NULL if the default is
                                 * zero */
    uint64_t minimum, maximum;  /* range of a number, both ends included */
    const char *const *choices; /* for SETTING_BOOL and SETTING_ENUM: all words, then NULL */
    setting_parser *parse;      /* for SETTING_PARSED */
    setting_comparer *equal;    /* for SETTING_PARSED; NULL if values are not compared */
    const char *syntax;         /* a name for the value in help texts ("FILE"), or NULL */
    const char *help;           /* one line, begins in lower case, no full stop */
    char letter;                /* 'h' for "-h", for an option without a value; '\0': none */
    bool open; /* for a key whose name ends in ".NAME": users replace NAME by any name and may
                  give the key several times; its parser gets "NAME=VALUE" */
    const char *others; /* its names in other programs, separated by spaces, or NULL */
    bool secret;        /* its value may contain a password, so clients must not see it */
    bool secret_file;   /* its value names a file that may contain a password or a private key */
};

#endif
