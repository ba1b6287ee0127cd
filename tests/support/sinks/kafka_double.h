/*
 * A librdkafka for tests: a shared library of its name, with those of its functions that the
 * program uses, which sends nothing. A test decides the outcome of each message: whether it
 * arrives, and when, how often and with what error it is reported. The test also provides the time.
 *
 * As in the program, all functions of a producer except rd_kafka_destroy are called by one thread
 * at a time. There are no threads: kafka_double_tick does what the library's threads do.
 *
 * While a lookup of a name lasts, the library's threads are busy with it: messages that they have
 * get no report, and rd_kafka_destroy waits, as does rd_kafka_purge without
 * RD_KAFKA_PURGE_F_NON_BLOCKING.
 *
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_KAFKA_DOUBLE_H
#define SLUICE_TESTS_SUPPORT_SINKS_KAFKA_DOUBLE_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KAFKA_DOUBLE_NEVER INT64_MAX

/* The report of a message. All zero: it is acknowledged at once. */
struct kafka_report {
    int64_t after_ns; /* from the handing over to the report; or KAFKA_DOUBLE_NEVER */
    rd_kafka_resp_err_t error;
    rd_kafka_msg_status_t status; /* of a report with an error */
    unsigned repeats;             /* how often the same report comes again */
    int64_t repeat_after_ns;      /* from each report to the next one */
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
     * Waits until that time, in the calling thread. `busy`: rd_kafka_destroy or a blocking
     * rd_kafka_purge waits for a lookup.
     */
    void (*wait)(int64_t until_ns, bool busy);

    /*
     * Decides the report of a message; or refuses the message by returning an error. NULL: all are
     * acknowledged.
     */
    rd_kafka_resp_err_t (*decide)(const struct kafka_double_message *message,
                                  struct kafka_report *report);

    /* Called within rd_kafka_poll when a message is reported for the first time. */
    void (*reported)(const struct kafka_double_message *message, rd_kafka_resp_err_t error,
                     rd_kafka_msg_status_t status);

    /* Called if the bytes of a message changed before the library had reported it. */
    void (*changed)(const struct kafka_double_message *message);

    /* Whether producers cannot be made at this time. */
    bool (*refuses)(void);
};

/*
 * Sets the world for all producers from now on. The caller keeps it unchanged as long as the double
 * is used.
 */
void kafka_double_begin(const struct kafka_double_world *world);

/* In every present producer a lookup of a name begins, and lasts until then. */
void kafka_double_look_up(int64_t until_ns);

/* Every present producer, which is idempotent, fails fatally. */
void kafka_double_fail_fatally(void);

/*
 * Tells the program that reports are due. Returns the time of the next report; INT64_MAX: there is
 * none.
 */
int64_t kafka_double_tick(void);

/* The number of producers that were made and not destroyed. */
size_t kafka_double_producers(void);

#endif
