#include "sinks/destinations/kafka_probe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/contract/destination.h"
#include "collector/platform/clock.h"
#include "sinks/destinations/end_within.h"

#define MS_NS INT64_C(1000000)

/* How long one question waits, before it is looked whether the library has reported anything. */
#define SLICE_MS 200

/* After a refusal: another broker may answer all the same. */
#define GRACE_NS (1000 * MS_NS)

#define END_MS 500

/* From this rank on an error is a refusal of what the options say. */
#define REFUSAL 4

struct probe {
    const struct kafka_library *library;
    rd_kafka_t *client;
    rd_kafka_topic_t *topic; /* NULL: none is asked for */

    /* What the library reported that says most about the reason. */
    unsigned rank; /* 0: nothing */
    char reported[400];
};

static unsigned rank_of(int code)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
        return REFUSAL + 1;
    case RD_KAFKA_RESP_ERR__SSL:
        return REFUSAL;
    case RD_KAFKA_RESP_ERR__RESOLVE:
        return 3;
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        return 1;
    default:
        return 2;
    }
}

static void probe_on_error(rd_kafka_t *client, int code, const char *reason, void *opaque)
{
    (void)client;
    struct probe *probe = opaque;
    unsigned rank = rank_of(code);
    if (rank <= probe->rank)
        return;
    probe->rank = rank;
    copy_printable(probe->reported, sizeof probe->reported, reason, strlen(reason));
}

static void destroy_client(void *client)
{
    kafka_library(NULL)->destroy(client);
}

/* Returns NULL where no broker answered in time. */
static const struct rd_kafka_metadata *ask(struct probe *probe, int64_t timeout_ns,
                                           rd_kafka_resp_err_t *why)
{
    const struct rd_kafka_metadata *answer = NULL;
    int64_t until = clock_monotonic_ns() + timeout_ns;
    for (int64_t now; (now = clock_monotonic_ns()) < until;) {
        int64_t left = (until - now) / MS_NS + 1;
        *why = probe->library->metadata(probe->client, 0, probe->topic, &answer,
                                        left < SLICE_MS ? (int)left : SLICE_MS);
        if (*why == RD_KAFKA_RESP_ERR_NO_ERROR)
            return answer;
        bool was_refused = probe->rank >= REFUSAL;
        probe->library->poll(probe->client, SLICE_MS / 4);
        if (!was_refused && probe->rank >= REFUSAL && now + GRACE_NS < until)
            until = now + GRACE_NS;
    }
    return NULL;
}

/* What is wrong with a topic of that answer, in `error`. Returns whether something is. */
static bool topic_is_wrong(const struct probe *probe, const struct rd_kafka_metadata_topic *topic,
                           struct error *error)
{
    int led = 0;
    for (int i = 0; i < topic->partition_cnt; i++)
        led += topic->partitions[i].leader >= 0;
    switch (topic->err) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
        if (led != topic->partition_cnt)
            error_set(error, EXIT_CODE_NOT_REACHED,
                      "the brokers answer, but %d of the %d partitions of the topic \"%s\" have no "
                      "leader",
                      topic->partition_cnt - led, topic->partition_cnt, topic->topic);
        return led != topic->partition_cnt;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
        error_set(error, EXIT_CODE_CONFIG,
                  "the brokers answer, but have no topic \"%s\"; make it, unless they make topics "
                  "by themselves (auto.create.topics.enable)",
                  topic->topic);
        return true;
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        error_set(error, EXIT_CODE_CONFIG,
                  "the brokers answer, but we may not write to the topic \"%s\", or see it",
                  topic->topic);
        return true;
    default:
        error_set(error, EXIT_CODE_NOT_REACHED, "the brokers answer, but of the topic \"%s\": %s",
                  topic->topic, probe->library->err2str(topic->err));
        return true;
    }
}

static int probe_classify(const struct probe *probe, const struct rd_kafka_metadata *answer,
                          char *reached, struct error *error)
{
    const struct rd_kafka_metadata_topic *topic = answer->topics;
    const char *brokers = answer->broker_cnt == 1 ? "broker" : "brokers";
    if (probe->topic == NULL || answer->topic_cnt != 1) {
        snprintf(reached, DESTINATION_REACHED_SIZE,
                 "reached %d %s; which topics there must be depends on the records",
                 answer->broker_cnt, brokers);
        return 0;
    }
    if (topic_is_wrong(probe, topic, error))
        return -1;
    snprintf(reached, DESTINATION_REACHED_SIZE, "reached %d %s; the topic has %d partition%s",
             answer->broker_cnt, brokers, topic->partition_cnt,
             topic->partition_cnt == 1 ? "" : "s");
    return 0;
}

static int probe_run(struct probe *probe, int64_t timeout_ns, char *reached, struct error *error)
{
    rd_kafka_resp_err_t why = RD_KAFKA_RESP_ERR__TIMED_OUT;
    const struct rd_kafka_metadata *answer = ask(probe, timeout_ns, &why);
    if (answer == NULL) {
        error_set(error, probe->rank >= REFUSAL ? EXIT_CODE_CONFIG : EXIT_CODE_NOT_REACHED,
                  "no broker answers: %s",
                  probe->rank != 0 ? probe->reported : probe->library->err2str(why));
        return -1;
    }
    int result = probe_classify(probe, answer, reached, error);
    probe->library->metadata_destroy(answer);
    return result;
}

int kafka_probe_run(const struct kafka_library *library, const struct kafka_settings *settings,
                    const char *topic, int64_t timeout_ns, char *reached, struct error *error)
{
    struct probe probe = {.library = library};
    char why[400];
    rd_kafka_conf_t *conf = kafka_settings_make(library, settings, error);
    if (conf == NULL)
        return -1;
    library->conf_set_opaque(conf, &probe);
    library->conf_set_error_cb(conf, probe_on_error);
    library->conf_set_log_cb(conf, NULL);
    probe.client = library->new (RD_KAFKA_CONSUMER, conf, why, sizeof why);
    if (probe.client == NULL) {
        library->conf_destroy(conf);
        error_set(error, EXIT_CODE_CONFIG, "librdkafka makes no client: %s", why);
        return -1;
    }
    if (topic != NULL)
        probe.topic = library->topic_new(probe.client, topic, NULL);
    int result = topic == NULL || probe.topic != NULL
                     ? probe_run(&probe, timeout_ns, reached, error)
                     : error_no_memory(error);
    if (probe.topic != NULL)
        library->topic_destroy(probe.topic);
    end_within(destroy_client, probe.client, END_MS);
    return result;
}
