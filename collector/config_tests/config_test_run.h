/*
 * Runs a test in a pipeline of the configuration with one listener and all sinks, but with input
 * and output in memory. Everything in between is the collector's: ingest, decoding, batches,
 * queues, sink threads and encoders, with the configured keys.
 *
 * Only schemas and captures are opened. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RUN_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RUN_H

#include "collector/base/error.h"
#include "collector/config/config.h"
#include "collector/config_tests/config_test.h"
#include "collector/config_tests/growing_text.h"
#include "collector/ledger/ledger.h"

/*
 * Encodes `json` as a message of a listener's schema; the caller frees *bytes, the message. Returns
 * 0, or -1 with `error` filled.
 */
typedef int config_test_encoder(const struct schema_config *schema, const char *json,
                                uint8_t **bytes, size_t *size, struct error *error);

/* The output of a sink. */
struct config_test_sink_outcome {
    const char *name;                         /* borrowed from the configuration */
    bool binary;                              /* the lines are bytes in hexadecimal */
    struct growing_text lines;                /* with newlines */
    uint64_t filtered, failed[FAILURE_COUNT]; /* numbers of records */
};

struct config_test_outcome {
    uint64_t refused[REASON_COUNT]; /* numbers of datagrams */
    struct config_test_sink_outcome *sinks;
    size_t sink_count;
};

/* The number of bytes that a line of hexadecimal shows. A relay's line shows a whole datagram. */
#define CONFIG_TEST_HEX_WIDTH 32

/*
 * Runs a test of `file`. Returns 0 with *outcome, which the caller frees, or -1 with `error`
 * filled: EXIT_CODE_CONFIG for a fault in the test, with its position, or in the configuration; or
 * EXIT_CODE_INTERNAL.
 */
int config_test_run(const struct config_test_file *file, const struct config_test *test,
                    const struct config *config, config_test_encoder *encode,
                    struct config_test_outcome *outcome, struct error *error);

/* Frees the outcome, which may be a zeroed one. */
void config_test_outcome_free(struct config_test_outcome *outcome);

/*
 * Returns the index of the sink that the expectation names, with or without a colon at its end. If
 * it names no sink, returns the index of the only sink. Returns -1 with `error` filled if there is
 * no such sink.
 */
int config_test_find_sink(const struct config_test_file *file, const struct config *config,
                          const struct config_test_expectation *expectation, struct error *error);

#endif
