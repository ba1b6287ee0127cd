/*
 * Stores the output of a sink in a test: a destination in memory replaces the sink's own
 * destination.
 *
 * The sink's thread, writer and encoder are those of the collector. A stream replaces stdout:,
 * file: and command:; a file set is used for formats with `arrange`; a relay stores each datagram
 * as a line of hexadecimal.
 *
 * Lifecycle: zero an output, call config_test_output_join before the pipeline is created, read and
 * free `kept` after the pipeline has finished. While the pipeline exists, the sink's thread owns
 * the output.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_OUTPUT_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_OUTPUT_H

#include "collector/config/config.h"
#include "collector/config_tests/growing_text.h"

struct config_test_output {
    char place[1]; /* an empty text. It must be the first member, because the sink's path points to
                    * it. */
    struct growing_text kept;
};

/* Makes `sink`, a copy that must not be freed, write into the output. */
void config_test_output_join(struct config_test_output *output, struct sink_config *sink);

#endif
