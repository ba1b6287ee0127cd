/*
 * Feeds the input of a test to a listener: a source in memory replaces the listener's own source.
 *
 * Datagrams are passed to the listener's ingest, like the datagrams of a capture. The bytes of
 * connections are received by the collector's stream_connection from a channel in memory.
 *
 * Lifecycle: fill a feed, call config_test_feed_join before the pipeline is created, read the
 * results and free the feed after the pipeline has finished. While the pipeline exists, the
 * source's thread owns the feed.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FEED_H
#define SLUICE_COLLECTOR_CONFIG_TESTS_CONFIG_TEST_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/contract/listener_config.h"

/* A datagram, the bytes of a connection, or a capture. */
struct feed_item {
    const uint8_t *data;
    size_t size;
    const char *capture; /* path of a capture; if NULL, `data` is used */
    struct address source;
    int64_t time_ns;
};

struct config_test_feed {
    char place[1]; /* an empty text. It must be the first member, because the listener's place
                    * points to it. */
    const struct feed_item *items;
    size_t count;

    /* Set by config_test_feed_join. */
    const struct listener_config *listener; /* the configured listener */

    /* Valid after the source has finished. */
    bool damaged; /* some input could not be read; see `error` */
    struct error error;
};

/* Makes `listener` a copy of `original` with the feed as its source; the copy must not be freed. */
void config_test_feed_join(struct config_test_feed *feed, const struct listener_config *original,
                           struct listener_config *listener);

/*
 * Returns true if the listener accepts connections. Each item is then the bytes of one connection.
 */
bool config_test_feed_is_stream(const struct listener_config *listener);

#endif
