/*
 * A test of a configuration, as it was written: what comes to a listener, and what each sink is to
 * write.
 *
 * Made from a file by config_test_file.h, run by config_test_run.h, compared by
 * config_test_check.h. Plain values, owned by the struct config_test_file that they were read into.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/config/provenance.h"

/* How an input is written. */
enum config_test_input_kind {
    CONFIG_TEST_INPUT_NONE,
    CONFIG_TEST_INPUT_JSON,    /* a message of one of the listener's schemas */
    CONFIG_TEST_INPUT_HEX,     /* a datagram, or what comes over a connection */
    CONFIG_TEST_INPUT_BASE64,  /* the same */
    CONFIG_TEST_INPUT_CAPTURE, /* a file with datagrams */
};

/* A text of the file, with a NUL at its end. */
struct config_test_text {
    char *data; /* NULL: it is not given */
    size_t size;
    struct provenance_mark mark;
};

/* When a datagram arrives where its test does not say so: 2026-01-01T00:00:00Z. */
#define CONFIG_TEST_TIME_NS INT64_C(1767225600000000000)

struct config_test_input {
    enum config_test_input_kind kind;
    struct provenance_mark mark;
    struct config_test_text text; /* of `kind` */
    struct config_test_text
        schema;            /* of JSON: the schema's name; not given: the listener's first */
    struct address source; /* 192.0.2.1:40000 where it is not given; a capture has its own */
    int64_t time_ns;       /* since 1970 UTC; a capture has its own */
};

/* What a sink's lines are compared with. */
enum config_test_form {
    CONFIG_TEST_FORM_NONE,  /* nothing: they may be any */
    CONFIG_TEST_FORM_LINES, /* lines, exactly */
    CONFIG_TEST_FORM_LIKE,  /* globs (collector/text/glob.h), one for each line */
    CONFIG_TEST_FORM_HEX,   /* bytes in hexadecimal: of a format without lines, of a relay */
};

struct config_test_expectation {
    struct provenance_mark mark;
    struct config_test_text sink; /* its name; not given: the only one */
    enum config_test_form form;
    struct config_test_text *lines; /* without their ends */
    size_t line_count;
    struct config_test_text reason;  /* of records of the sink that were not written */
    struct config_test_text refused; /* a reason of datagrams; then there is nothing about a sink */
    bool has_count;
    uint64_t count; /* of `reason` or `refused`; 1 where it is not given */
};

struct config_test {
    struct provenance_mark mark; /* of its first key, below which its other keys stand */
    bool in_braces;              /* it is no block of lines, and nothing can be written to it */
    struct config_test_text name, listener, hostname;
    struct config_test_input *inputs;
    size_t input_count;
    bool has_expect;
    struct config_test_expectation *expectations;
    size_t expectation_count;

    /* Lines of the file, from 1, that `expect` takes; where it has none, both are where it would
     * stand. */
    size_t expect_line, expect_end;
    size_t expect_column;
};

/* A file of tests. */
struct config_test_file {
    char *path;   /* as it was given */
    char *config; /* the path of the configuration that is tested; the file's own, perhaps */
    char *text;   /* all of it, a newline at its end */
    size_t size;
    bool names_more; /* the configuration has more files, whose tests are its own, too */
    struct config_test *tests;
    size_t count;
};

#endif
