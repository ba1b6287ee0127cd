/*
 * Runs a test: a pipeline of the configuration, with the one listener and all sinks, where what
 * comes and what is written are in memory. All in between is the collector's own: ingest, decoding,
 * batches, queues, sink threads and encoders, with the keys that the configuration has.
 *
 * Nothing is opened but schemas and captures. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RUN_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_RUN_H

#include "collector/config/config.h"
#include "collector/config_tests/config_test.h"
#include "collector/config_tests/growing_text.h"
#include "collector/ledger/ledger.h"

/*
 * Makes the message of `json` of a listener's schema in *bytes, to be freed. Returns 0, or -1 with
 * `error` filled.
 */
typedef int config_test_encoder(const struct schema_config *schema, const char *json,
                                uint8_t **bytes, size_t *size, struct error *error);

/* What a sink wrote. */
struct config_test_sink_outcome {
    const char *name;                         /* the configuration's */
    bool binary;                              /* then the lines are bytes in hexadecimal */
    struct growing_text lines;                /* each with its end */
    uint64_t filtered, failed[FAILURE_COUNT]; /* records */
};

struct config_test_outcome {
    uint64_t refused[REASON_COUNT]; /* datagrams */
    struct config_test_sink_outcome *sinks;
    size_t sink_count;
};

/* Bytes of a line of hexadecimal, where a datagram does not have one for itself. */
#define CONFIG_TEST_HEX_WIDTH 32

/*
 * Runs a test of `file`. Returns 0 with *outcome, to be freed, or -1 with `error` filled: what is
 * wrong with the test, with its place in the file, or with the configuration (EXIT_CODE_CONFIG);
 * EXIT_CODE_INTERNAL.
 */
int config_test_run(const struct config_test_file *file, const struct config_test *test,
                    const struct config *config, config_test_encoder *encode,
                    struct config_test_outcome *outcome, struct error *error);

/* Allowed on one that is all zero. */
void config_test_outcome_free(struct config_test_outcome *outcome);

/*
 * The sink of that name, with or without a colon at its end, or the only one where it is not given;
 * its place, or -1 with `error` filled.
 */
int config_test_find_sink(const struct config_test_file *file, const struct config *config,
                          const struct config_test_expectation *expectation, struct error *error);

#endif
