#include "sinks/destinations/kafka_settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/input_file.h"
#include "collector/text/copy.h"
#include "sinks/destinations/kafka_reason.h"
#include "sinks/destinations/property_file.h"

/*
 * Properties on which the ledger depends. Idempotence keeps the order of messages and avoids
 * duplicates; it implies acks=all. The queue's limits are too high to be reached: the maximum
 * number of blocks in flight bounds the queue.
 */
static const char *const ours[][2] = {
    {"enable.idempotence", "true"},
    {"queue.buffering.max.messages", "10000000"},
    {"queue.buffering.max.kbytes", "1048576"},
};

/* Properties that the user cannot set, and why. */
static const struct {
    const char *name, *why;
} reserved[] = {
    {"bootstrap.servers", "the sink's URL names the brokers"},
    {"metadata.broker.list", "the sink's URL names the brokers"},
    {"enable.idempotence", "it is always on"},
    {"acks", "it is always \"all\""},
    {"request.required.acks", "it is always \"all\""},
    {"message.timeout.ms", "use timeout= of the sink"},
    {"delivery.timeout.ms", "use timeout= of the sink"},
    {"compression.type", "use compress= of the sink"},
    {"compression.codec", "use compress= of the sink"},
    {"delivery.report.only.error", "every message needs its report"},
    {"queue.buffering.max.messages", "the collector bounds what the library holds"},
    {"queue.buffering.max.kbytes", "the collector bounds what the library holds"},
    {"transactional.id", "there are no transactions"},
    {"enabled_events", "events are not used"},
    {"log.queue", "the sink reads the log"},
};

struct making {
    const struct kafka_library *library;
    rd_kafka_conf_t *conf;
};

static int set(const struct making *making, const char *name, const char *value,
               struct error *error)
{
    char why[256];
    if (making->library->conf_set(making->conf, name, value, why, sizeof why) == RD_KAFKA_CONF_OK)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "librdkafka does not accept %s: %s", name, why);
    return -1;
}

/*
 * Since version 2.5 the library sends its metrics to brokers that request them, and its end may
 * wait a second to send the last ones.
 */
static int leave_out_metrics(const struct making *making, struct error *error)
{
    static const char name[] = "enable.metrics.push";
    char why[256];
    if (making->library->conf_set(making->conf, name, "false", why, sizeof why) ==
        RD_KAFKA_CONF_UNKNOWN)
        return 0;
    return set(making, name, "false", error);
}

/* Returns true if the property's value is a file that the library opens. */
static bool names_file(const char *name)
{
    static const char end[] = ".location";
    size_t length = strlen(name);
    return (length >= sizeof end && strcmp(name + length - (sizeof end - 1), end) == 0) ||
           strcmp(name, "sasl.kerberos.keytab") == 0;
}

static int settings_check_file(const char *name, const char *path, struct error *error)
{
    bool live;
    struct error why;
    /*
     * Only an existing file is checked: opening a pipe would block. The library itself reports
     * folders, missing files, and values that are not paths (such as "probe").
     */
    if (!names_file(name) || input_file_look(path, &live, &why) != 0)
        return 0;
    return input_load_probe_key(name, path, error);
}

/*
 * Sets a property of the user. Errors do not contain the library's text, which may contain the
 * value.
 */
static int take_property(void *context, const char *name, const char *value, struct error *error)
{
    const struct making *making = context;
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(name, reserved[i].name) == 0) {
            error_set(error, EXIT_CODE_CONFIG, "%s cannot be set here: %s", name, reserved[i].why);
            return -1;
        }
    }
    if (settings_check_file(name, value, error) != 0)
        return -1;
    char why[256];
    switch (making->library->conf_set(making->conf, name, value, why, sizeof why)) {
    case RD_KAFKA_CONF_OK:
        return 0;
    case RD_KAFKA_CONF_UNKNOWN:
        error_set(error, EXIT_CODE_CONFIG, "librdkafka does not know the property %s", name);
        return -1;
    case RD_KAFKA_CONF_INVALID:
        break;
    }
    error_set(error, EXIT_CODE_CONFIG, "librdkafka does not accept this value of %s", name);
    return -1;
}

/* Sets the properties from the URL, one on each line. */
static int take_lines(struct making *making, const char *lines, struct error *error)
{
    char *text = text_copy(lines, strlen(lines));
    if (text == NULL)
        return error_no_memory(error);
    int result = property_text_read("kafka.NAME", text, take_property, making, error);
    free(text);
    return result;
}

static int set_all(struct making *making, const struct kafka_settings *settings,
                   struct error *error)
{
    char timeout[24];
    /* The library accepts at most INT32_MAX milliseconds; 0 means no limit. */
    uint64_t ms = settings->timeout_ns / 1000000;
    if (settings->timeout_ns != 0 && ms == 0)
        ms = 1;
    snprintf(timeout, sizeof timeout, "%" PRIu64, ms > INT32_MAX ? 0 : ms);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (set(making, ours[i][0], ours[i][1], error) != 0)
            return -1;
    /* The user's properties may override these. An interval of 0 turns statistics off. */
    if (leave_out_metrics(making, error) != 0 ||
        set(making, "statistics.interval.ms", "5000", error) != 0 ||
        set(making, "log.queue", "true", error) != 0 ||
        set(making, "debug", KAFKA_REASON_DEBUG, error) != 0 ||
        set(making, "client.id", "sluice", error) != 0 ||
        set(making, "bootstrap.servers", settings->brokers, error) != 0 ||
        set(making, "message.timeout.ms", timeout, error) != 0 ||
        (settings->compression != NULL &&
         set(making, "compression.type", settings->compression, error) != 0))
        return -1;
    if (settings->properties != NULL &&
        property_file_read(settings->properties, take_property, making, error) != 0)
        return -1;
    return settings->lines == NULL ? 0 : take_lines(making, settings->lines, error);
}

/*
 * Writes why OpenSSL refused a certificate, for the library's log. Does not change the decision.
 * Called in the library's threads.
 */
static int explain_certificate(rd_kafka_t *client, const char *broker, int32_t id, int *code,
                               int depth, const char *certificate, size_t size, char *text,
                               size_t room, void *opaque)
{
    (void)client, (void)broker, (void)id, (void)depth, (void)opaque;
    if (*code != 0)
        kafka_reason_write_refused(*code, certificate, size, text, room);
    return *code == 0;
}

rd_kafka_conf_t *kafka_settings_make(const struct kafka_library *library,
                                     const struct kafka_settings *settings, struct error *error)
{
    struct making making = {library, library->conf_new()};
    library->conf_set_log_cb(making.conf, NULL); /* not to stderr */
    library->conf_set_ssl_cert_verify_cb(making.conf, explain_certificate);
    if (set_all(&making, settings, error) == 0)
        return making.conf;
    library->conf_destroy(making.conf);
    return NULL;
}

rd_kafka_t *kafka_settings_open(const struct kafka_library *library, rd_kafka_type_t type,
                                rd_kafka_conf_t *conf, struct error *error)
{
    char why[400];
    rd_kafka_t *client = library->new (type, conf, why, sizeof why);
    if (client != NULL)
        return client;
    library->conf_destroy(conf); /* the library takes over `conf` only if it makes a client */
    error_set(error, EXIT_CODE_CONFIG, "cannot create a Kafka %s: %s",
              type == RD_KAFKA_PRODUCER ? "producer" : "client", why);
    return NULL;
}

bool kafka_settings_takes(const char *name, const char *value, struct error *error)
{
    const struct kafka_library *library = kafka_library(error);
    if (library == NULL)
        return true;
    struct making making = {library, library->conf_new()};
    int result = take_property(&making, name, value, error);
    library->conf_destroy(making.conf);
    return result == 0;
}
