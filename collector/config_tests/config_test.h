/*
 * A test of a configuration: the input of a listener, and the expected output of each sink.
 *
 * Read from a file by config_test_file.h, run by config_test_run.h, compared by
 * config_test_check.h. Plain values, owned by the struct config_test_file that contains them.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/config/provenance.h"

/* The kinds of input. */
enum config_test_input_kind {
    CONFIG_TEST_INPUT_NONE,
    CONFIG_TEST_INPUT_JSON,    /* a message of one of the listener's schemas */
    CONFIG_TEST_INPUT_HEX,     /* a datagram, or the bytes of a connection */
    CONFIG_TEST_INPUT_BASE64,  /* as CONFIG_TEST_INPUT_HEX */
    CONFIG_TEST_INPUT_CAPTURE, /* a capture file */
};

/* A text from the file, NUL-terminated. */
struct config_test_text {
    char *data; /* NULL: not given */
    size_t size;
    struct provenance_mark mark;
};

/* The default arrival time of a datagram: 2026-01-01T00:00:00Z. */
#define CONFIG_TEST_TIME_NS INT64_C(1767225600000000000)

struct config_test_input {
    enum config_test_input_kind kind;
    struct provenance_mark mark;
    struct config_test_text text; /* the input in the form of `kind` */
    /* JSON only: the name of the schema (default: the listener's first). */
    struct config_test_text schema;
    struct address source; /* default 192.0.2.1:40000; not used for a capture */
    int64_t time_ns;       /* since 1970 UTC; not used for a capture */
};

/* How a sink's lines are compared. */
enum config_test_form {
    CONFIG_TEST_FORM_NONE,  /* the lines are not compared */
    CONFIG_TEST_FORM_LINES, /* exact lines */
    CONFIG_TEST_FORM_LIKE,  /* one glob for each line (collector/text/glob.h) */
    CONFIG_TEST_FORM_HEX,   /* bytes in hexadecimal, for binary formats and relays */
};

struct config_test_expectation {
    struct provenance_mark mark;
    struct config_test_text sink; /* the name of the sink; may be omitted if the configuration has
                                   * only one sink */
    enum config_test_form form;
    struct config_test_text *lines; /* the lines without their newlines */
    size_t line_count;
    struct config_test_text reason;  /* the name of a failure or loss: the test expects that `count`
                                      * records were not written for this reason */
    struct config_test_text refused; /* the name of a reason: the test expects that `count`
                                      * datagrams were not decoded for it. If it is given, `sink`,
                                      * `form` and `reason` are not. */
    bool has_count;
    uint64_t count; /* the number of records or datagrams of `reason` or `refused`; default 1 */
};

struct config_test {
    struct provenance_mark mark; /* position of its first key; the column is that of all its keys */
    bool in_braces;              /* `expect` is written as {...} in one line, which
                                  * config_test_record cannot rewrite */
    struct config_test_text name, listener, hostname;
    struct config_test_input *inputs;
    size_t input_count;
    bool has_expect;
    struct config_test_expectation *expectations;
    size_t expectation_count;

    /*
     * The first line of the key `expect` and the line after its end, counted from 1. If the test
     * has no `expect`, both are the line before which config_test_record inserts one.
     */
    size_t expect_line, expect_end;
    size_t expect_column;
};

/* A file of tests, after it was read. */
struct config_test_file {
    char *path;   /* the path as given */
    char *config; /* path of the tested configuration, which may be this file */
    char *text;   /* the whole file, with a newline at its end */
    size_t size;
    bool names_more; /* the configuration names further files, which may contain tests */
    struct config_test *tests;
    size_t count;
};

#endif
