#include "sinks/destinations/kafka_probe.h"

#include <stdbool.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/platform/clock.h"
#include "sinks/destinations/end_within.h"
#include "sinks/destinations/kafka_reason.h"

#define MS_NS INT64_C(1000000)

/*
 * A query waits for its answer in slices of this number of milliseconds. Between slices the errors
 * that the library reports are handled.
 */
#define SLICE_MS 200

/* Time in which another broker may answer after one has refused. */
#define GRACE_NS (1000 * MS_NS)

#define END_MS 500

/* Errors of at least this rank mean that the broker refuses the settings. */
#define REFUSAL 4

struct probe {
    const struct kafka_library *library;
    rd_kafka_t *client;
    rd_kafka_topic_t *topic; /* NULL: only the brokers are checked */

    /* The reported error with the highest rank. */
    unsigned rank; /* 0: no error */
    char reported[400];
    char certificate[KAFKA_REASON_SIZE]; /* why the server's certificate was refused; or "" */
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
    if (kafka_reason_is_certificate(reason) && probe->certificate[0] != '\0')
        reason = probe->certificate;
    copy_printable(probe->reported, sizeof probe->reported, reason, strlen(reason));
}

static void probe_on_log(const rd_kafka_t *client, int level, const char *facility,
                         const char *text)
{
    (void)level;
    struct probe *probe = kafka_library(NULL)->opaque(client);
    kafka_reason_read_refused(facility, text, probe->certificate);
}

static void destroy_client(void *client)
{
    kafka_library(NULL)->destroy(client);
}

static const struct rd_kafka_metadata *kafka_probe_ask(struct probe *probe, int64_t timeout_ns,
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

static void classify_topic(const struct probe *probe, const struct rd_kafka_metadata *answer,
                           struct error *said)
{
    const struct rd_kafka_metadata_topic *topic = answer->topics;
    int led = 0;
    for (int i = 0; i < topic->partition_cnt; i++)
        led += topic->partitions[i].leader >= 0;
    switch (topic->err) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
        if (led == topic->partition_cnt)
            error_set(said, EXIT_CODE_OK, "reached %d broker%s; the topic has %d partition%s",
                      answer->broker_cnt, answer->broker_cnt == 1 ? "" : "s", led,
                      led == 1 ? "" : "s");
        else
            error_set(said, EXIT_CODE_NOT_REACHED,
                      "the brokers answer, but %d of the %d partitions of the topic \"%s\" have no "
                      "leader",
                      topic->partition_cnt - led, topic->partition_cnt, topic->topic);
        break;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
        error_set(said, EXIT_CODE_CONFIG,
                  "the brokers answer, but have no topic \"%s\"; create it, unless they create "
                  "topics themselves (auto.create.topics.enable)",
                  topic->topic);
        break;
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        error_set(said, EXIT_CODE_CONFIG,
                  "the brokers answer, but do not permit us to write to the topic \"%s\"",
                  topic->topic);
        break;
    default:
        error_set(said, EXIT_CODE_NOT_REACHED,
                  "the brokers answer, but not for the topic \"%s\": %s", topic->topic,
                  probe->library->err2str(topic->err));
    }
}

static void probe_run(struct probe *probe, int64_t timeout_ns, struct error *said)
{
    rd_kafka_resp_err_t why = RD_KAFKA_RESP_ERR__TIMED_OUT;
    const struct rd_kafka_metadata *answer = kafka_probe_ask(probe, timeout_ns, &why);
    if (answer == NULL) {
        error_set(said, probe->rank >= REFUSAL ? EXIT_CODE_CONFIG : EXIT_CODE_NOT_REACHED,
                  "no broker answers: %s",
                  probe->rank != 0 ? probe->reported : probe->library->err2str(why));
        return;
    }
    if (probe->topic != NULL && answer->topic_cnt == 1)
        classify_topic(probe, answer, said);
    else
        error_set(said, EXIT_CODE_OK,
                  "reached %d broker%s; the topics depend on the records and were not checked",
                  answer->broker_cnt, answer->broker_cnt == 1 ? "" : "s");
    probe->library->metadata_destroy(answer);
}

void kafka_probe_run(const struct kafka_library *library, const struct kafka_settings *settings,
                     const char *topic, int64_t timeout_ns, struct error *said)
{
    struct probe probe = {.library = library};
    rd_kafka_conf_t *conf = kafka_settings_make(library, settings, said);
    if (conf == NULL)
        return;
    library->conf_set_opaque(conf, &probe);
    library->conf_set_error_cb(conf, probe_on_error);
    library->conf_set_log_cb(conf, probe_on_log);
    probe.client = kafka_settings_open(library, RD_KAFKA_CONSUMER, conf, said);
    if (probe.client == NULL)
        return;
    library->set_log_queue(probe.client, NULL); /* poll delivers log lines as well as errors */
    if (topic != NULL)
        probe.topic = library->topic_new(probe.client, topic, NULL);
    if (topic != NULL && probe.topic == NULL)
        error_no_memory(said);
    else
        probe_run(&probe, timeout_ns, said);
    if (probe.topic != NULL)
        library->topic_destroy(probe.topic);
    end_within(destroy_client, probe.client, END_MS);
}
