/*
 * What comes to a listener in a test: a source that has it in memory, in the place of the
 * listener's own.
 *
 * Datagrams go the way of a capture's, from the listener's ingest on. What comes to a listener of
 * connections is received by the collector's own stream_connection, from a channel in memory.
 *
 * Lifecycle: a feed that is filled, config_test_feed_join before the pipeline is made, and after
 * that has finished whatever is left of the feed. In between it is the source's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FEED_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/contract/listener_config.h"

/* A datagram, what a connection sends, or a capture of datagrams. */
struct feed_item {
    const uint8_t *data;
    size_t size;
    const char *capture; /* the path of a file; NULL: `data` */
    struct address source;
    int64_t time_ns;
};

struct config_test_feed {
    char place[1]; /* empty, and first: the listener's place leads to the feed */
    const struct feed_item *items;
    size_t count;

    /* Set by config_test_feed_join. */
    const struct listener_config *listener; /* as it was configured */

    /* When it has finished. */
    bool damaged; /* not all of it could be had: `error` says why */
    struct error error;
};

/* Has the listener, which is a copy that nobody frees, take what the feed has. `original` stays. */
void config_test_feed_join(struct config_test_feed *feed, const struct listener_config *original,
                           struct listener_config *listener);

/* Whether the listener takes connections, so that an item is what one of them sends. */
bool config_test_feed_is_stream(const struct listener_config *listener);

#endif
