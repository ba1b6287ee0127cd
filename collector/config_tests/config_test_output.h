/*
 * What a sink writes in a test: a destination that keeps it, in the place of the sink's own.
 *
 * The sink's thread, its writer and its encoder are those of the collector. A stream keeps the
 * bytes of a stdout:, a file: or a command; a file set those of a format that is arranged; a relay
 * the datagrams, as a line of hexadecimal each.
 *
 * Lifecycle: an output that is all zero but for its place, config_test_output_join before the
 * pipeline is made, read what it holds when the pipeline has finished, free. In between it is the
 * sink's thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_OUTPUT_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_OUTPUT_H

#include "collector/config/config.h"
#include "collector/config_tests/growing_text.h"

struct config_test_output {
    char place[1]; /* empty, and first: the sink's path leads to the output */
    struct growing_text kept;
};

/* Has the sink, which is a copy that nobody frees, write into the output. */
void config_test_output_join(struct config_test_output *output, struct sink_config *sink);

#endif
