/*
 * A librdkafka for tests: a shared library of its name, with those of its functions that the
 * program uses, which sends nothing. A test decides what becomes of each message: whether it
 * arrives, and when its report comes, how often, and what it says. Time is the test's.
 *
 * A producer is used as the program uses it: all functions in one thread at a time, but for
 * rd_kafka_destroy. There are no threads: kafka_double_tick does what the library's threads do.
 *
 * While a lookup of a name lasts, the library's threads are busy with it: messages that they have
 * get no report, and rd_kafka_destroy waits, as does rd_kafka_purge without
 * RD_KAFKA_PURGE_F_NON_BLOCKING.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_KAFKA_DOUBLE_H
#define SLUICE_TESTS_SUPPORT_SINKS_KAFKA_DOUBLE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KAFKA_DOUBLE_NEVER INT64_MAX

/* How a message ends. All zero: it is acknowledged at once. */
struct kafka_report {
    int64_t after_ns; /* when its report comes, after it was handed over; KAFKA_DOUBLE_NEVER */
    rd_kafka_resp_err_t error;
    rd_kafka_msg_status_t status; /* of a report with an error */
    unsigned repeats;             /* how often the same report comes again */
    int64_t repeat_after_ns;      /* when, after the one before it */
};

struct kafka_double_message {
    const char *topic;
    const void *bytes;
    size_t size;
};

/* Functions of the test. All but `now_ns` and `wait` may be NULL. */
struct kafka_double_world {
    /* Nanoseconds. */
    int64_t (*now_ns)(void);

    /*
     * Waits up to that time, in the thread of the caller. `busy`: rd_kafka_destroy or a blocking
     * rd_kafka_purge waits for a lookup.
     */
    void (*wait)(int64_t until_ns, bool busy);

    /* Refuses a message (by the error), or decides its report. NULL: all are acknowledged. */
    rd_kafka_resp_err_t (*decide)(const struct kafka_double_message *message,
                                  struct kafka_report *report);

    /* The message gets this report for the first time, within rd_kafka_poll. */
    void (*reported)(const struct kafka_double_message *message, rd_kafka_resp_err_t error,
                     rd_kafka_msg_status_t status);

    /* The bytes of a message changed although the library had not reported it yet. */
    void (*changed)(const struct kafka_double_message *message);

    /* Whether no producer can be made. */
    bool (*refuses)(void);
};

/* From now on, for all producers. The world stays the caller's, and stays as it is. */
void kafka_double_begin(const struct kafka_double_world *world);

/* A lookup of a name lasts until then: in every producer that there is. */
void kafka_double_look_up(int64_t until_ns);

/* An idempotent producer meets a fatal error: every producer that there is. */
void kafka_double_fail_fatally(void);

/* Tells the program of reports that are due. Returns when the next one is; INT64_MAX: none. */
int64_t kafka_double_tick(void);

/* Producers that were made and have not ended. */
size_t kafka_double_producers(void);

#endif
