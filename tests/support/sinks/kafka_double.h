/*
 * Replaces librdkafka in tests: a shared library of the same name with the functions that the
 * program uses. It sends no data. The test decides for each message whether it arrives, when and
 * how often it is reported, and with which error. The test also provides the time.
 *
 * As in the program, only one thread at a time calls the functions of a producer, except
 * rd_kafka_destroy. The double has no threads of its own: kafka_double_tick does the work of the
 * library's threads.
 *
 * During a name lookup the library's threads are busy: their messages get no report.
 * rd_kafka_destroy waits for the end of the lookup, and so does rd_kafka_purge without
 * RD_KAFKA_PURGE_F_NON_BLOCKING.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_KAFKA_DOUBLE_H
#define SLUICE_TESTS_SUPPORT_SINKS_KAFKA_DOUBLE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KAFKA_DOUBLE_NEVER INT64_MAX

/* The report of a message. If all fields are 0, the message is acknowledged at once. */
struct kafka_report {
    int64_t after_ns; /* time from the call that hands over the message to its report, or
                         KAFKA_DOUBLE_NEVER */
    rd_kafka_resp_err_t error;
    rd_kafka_msg_status_t status; /* used if `error` is set */
    unsigned repeats;             /* number of times that the report is repeated */
    int64_t repeat_after_ns;      /* time from each report to the next one */
};

struct kafka_double_message {
    const char *topic;
    const void *bytes;
    size_t size;
};

/* Functions of the test. Each except `now_ns` and `wait` may be NULL. */
struct kafka_double_world {
    /* Nanoseconds. */
    int64_t (*now_ns)(void);

    /*
     * Waits in the calling thread until this time. `busy` is true if rd_kafka_destroy or a blocking
     * rd_kafka_purge waits for a lookup.
     */
    void (*wait)(int64_t until_ns, bool busy);

    /*
     * Decides the report of a message, or refuses the message by returning an error. If it is NULL,
     * all messages are acknowledged.
     */
    rd_kafka_resp_err_t (*decide)(const struct kafka_double_message *message,
                                  struct kafka_report *report);

    /* Called from rd_kafka_poll when a message is reported for the first time. */
    void (*reported)(const struct kafka_double_message *message, rd_kafka_resp_err_t error,
                     rd_kafka_msg_status_t status);

    /* Called if the program changed the bytes of a message before its first report. */
    void (*changed)(const struct kafka_double_message *message);

    /* Returns true if no producer can be created at this time. */
    bool (*refuses)(void);
};

/* Sets the functions for all producers. `world` must not change while the double is used. */
void kafka_double_begin(const struct kafka_double_world *world);

/* Begins a name lookup in every existing producer. It ends at `until_ns`. */
void kafka_double_look_up(int64_t until_ns);

/* Causes a fatal error of an idempotent producer in every existing producer. */
void kafka_double_fail_fatally(void);

/*
 * Notifies the program that reports are due. Returns the time of the next report, or INT64_MAX if
 * there is none.
 */
int64_t kafka_double_tick(void);

/* Returns the number of producers that exist. */
size_t kafka_double_producers(void);

#endif
