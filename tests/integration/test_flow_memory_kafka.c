/*
 * Tests that our code does not allocate memory for records that a running collector sends to Kafka.
 */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>

#include "tests/support/pipeline/flow.h"
#include "tests/support/platform/counted_memory.h"
#include "tests/support/test.h"

static void deliver(struct flow *flow, const char *keys)
{
    char why[256], arguments[400];
    rd_kafka_t *host = rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), why, sizeof why);
    assert_non_null(host);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(host, 1);
    rd_kafka_mock_topic_create(cluster, "t", 1, 1);
    snprintf(arguments, sizeof arguments,
             "--listen udp://127.0.0.1:0?schema=riemann "
             "--sink kafka://%s/t?format=json&flush_interval=10ms%s",
             rd_kafka_mock_cluster_bootstraps(cluster), keys);
    flow_open(flow, arguments);
    flow_send(flow, 0, 0, 100); /* after this the sink is connected and has the topic's metadata */
    flow_await_written(flow, 0, 100);
    counted_memory_begin();
    for (uint64_t i = 1; i < 50; i++) {
        flow_send(flow, 0, i * 100, 100);
        flow_await_written(flow, 0, (i + 1) * 100);
    }
    size_t calls = counted_memory_end();
    flow_finish(flow, 5000);
    assert_int_equal(flow->final->sinks[0].written, 5000);
    assert_int_equal(calls, 0);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(host);
}

TEST_WITH(no_record_causes_an_allocation_of_ours, flow_set_up, flow_tear_down)
{
    deliver(*state, "&key=series");
}

TEST_WITH(nor_does_a_block, flow_set_up, flow_tear_down)
{
    deliver(*state, "&per=block");
}
