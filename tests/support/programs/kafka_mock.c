/*
 * A Kafka cluster for tests of the program: librdkafka's own mock. The argument is the number of
 * brokers, 1 by default. The program writes "HOST:PORT" of the first broker. Then it carries out
 * commands, one on each line of standard input, and writes "done" after each:
 *
 *   create TOPIC PARTITIONS     creates a topic; the first broker is its leader
 *   down / up           refuses connections, and accepts them again
 *   rtt MILLISECONDS    delays answers by this time
 *   deny COUNT          refuses this number of produce requests
 *   short COUNT         answers this number of produce requests that not enough replicas are in
 *                       sync
 *   read TOPIC          writes each message of partition 0: "KEY VALUE", both in hexadecimal
 *
 * It ends with its standard input.
 */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRODUCE_KEY 0 /* produce request, in Kafka's protocol */

static rd_kafka_t *make(rd_kafka_type_t type, const char *brokers)
{
    char why[256];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    if (brokers != NULL)
        rd_kafka_conf_set(conf, "bootstrap.servers", brokers, why, sizeof why);
    rd_kafka_conf_set(conf, "group.id", "test", why, sizeof why);
    rd_kafka_conf_set(conf, "enable.partition.eof", "true", why, sizeof why);
    rd_kafka_conf_set(conf, "log_level", "0", why, sizeof why);
    rd_kafka_t *made = rd_kafka_new(type, conf, why, sizeof why);
    if (made == NULL) {
        fprintf(stderr, "kafka_mock: %s\n", why);
        exit(1);
    }
    return made;
}

static void print_hex(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        printf("%02x", at[i]);
}

/* Writes all messages of the topic up to its end. */
static void read_topic(const char *brokers, const char *topic)
{
    rd_kafka_t *consumer = make(RD_KAFKA_CONSUMER, brokers);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, 0)->offset = 0;
    rd_kafka_assign(consumer, list);
    rd_kafka_topic_partition_list_destroy(list);
    for (int idle = 0; idle < 300;) { /* at most 30 s without a message */
        rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, 100);
        if (message == NULL) {
            idle++;
            continue;
        }
        rd_kafka_resp_err_t error = message->err;
        if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
            print_hex(message->key, message->key_len);
            putchar(' ');
            print_hex(message->payload, message->len);
            putchar('\n');
        }
        rd_kafka_message_destroy(message);
        if (error == RD_KAFKA_RESP_ERR__PARTITION_EOF)
            break;
    }
    rd_kafka_destroy(consumer);
}

static void refuse(rd_kafka_mock_cluster_t *cluster, int count, rd_kafka_resp_err_t error)
{
    for (int i = 0; i < count; i++)
        rd_kafka_mock_push_request_errors(cluster, PRODUCE_KEY, 1, error);
}

static void create_topic(rd_kafka_mock_cluster_t *cluster, const char *name, int partitions)
{
    rd_kafka_mock_topic_create(cluster, name, partitions, 1);
    for (int i = 0; i < partitions; i++)
        rd_kafka_mock_partition_set_leader(cluster, name, i, 1);
}

static void obey(rd_kafka_mock_cluster_t *cluster, char *line)
{
    const char *brokers = rd_kafka_mock_cluster_bootstraps(cluster);
    const char *word = strtok(line, " \n");
    const char *first = strtok(NULL, " \n");
    const char *second = strtok(NULL, " \n");
    if (word == NULL)
        return;
    if (strcmp(word, "create") == 0)
        create_topic(cluster, first, atoi(second));
    else if (strcmp(word, "down") == 0)
        rd_kafka_mock_broker_set_down(cluster, 1);
    else if (strcmp(word, "up") == 0)
        rd_kafka_mock_broker_set_up(cluster, 1);
    else if (strcmp(word, "rtt") == 0)
        rd_kafka_mock_broker_set_rtt(cluster, 1, atoi(first));
    else if (strcmp(word, "deny") == 0)
        refuse(cluster, atoi(first), RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    else if (strcmp(word, "short") == 0)
        refuse(cluster, atoi(first), RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS);
    else if (strcmp(word, "read") == 0)
        read_topic(brokers, first);
    puts("done");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    rd_kafka_t *host = make(RD_KAFKA_PRODUCER, NULL);
    rd_kafka_mock_cluster_t *cluster =
        rd_kafka_mock_cluster_new(host, argc > 1 ? atoi(argv[1]) : 1);
    const char *brokers = rd_kafka_mock_cluster_bootstraps(cluster);
    printf("%.*s\n", (int)strcspn(brokers, ","), brokers);
    fflush(stdout);
    char line[512];
    while (fgets(line, sizeof line, stdin) != NULL)
        obey(cluster, line);
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(host);
    return 0;
}
