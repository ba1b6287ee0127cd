/*
 * The world of kafka_double.h for a program that loads the double in the place of librdkafka.
 * KAFKA_DOUBLE is "WAY N": what becomes of the Nth message. Lines are appended to the file
 * KAFKA_DOUBLE_FILE: "arrived VALUE" for each message that the broker has, "acknowledged VALUE" for
 * each success that was reported, and "changed VALUE" for bytes that changed before their report.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/sinks/kafka_double.h"

#define MILLISECONDS INT64_C(1000000)

static char way[32];
static unsigned wanted;
static unsigned messages, producers;
static int file = -1;

static int64_t program_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void program_wait(int64_t until_ns, bool busy)
{
    (void)busy;
    int64_t left_ns = until_ns - program_now();
    if (left_ns <= 0)
        return;
    if (left_ns > MILLISECONDS)
        left_ns = MILLISECONDS;
    const struct timespec left = {.tv_nsec = left_ns};
    nanosleep(&left, NULL);
}

/* One write, so that lines of several threads are whole. */
static void note(const char *what, const struct kafka_double_message *message)
{
    char line[4096];
    int size = snprintf(line, sizeof line, "%s %.*s\n", what, (int)message->size,
                        (const char *)message->bytes);
    if (write(file, line, (size_t)size) != size)
        abort();
}

static bool is(const char *name)
{
    return strcmp(way, name) == 0;
}

static struct kafka_report report_of(rd_kafka_resp_err_t error, rd_kafka_msg_status_t status)
{
    return (struct kafka_report){.error = error, .status = status};
}

static rd_kafka_resp_err_t program_decide(const struct kafka_double_message *message,
                                          struct kafka_report *report)
{
    bool arrives = true;
    if (++messages == wanted) {
        if (is("refused"))
            return RD_KAFKA_RESP_ERR__QUEUE_FULL;
        if (is("unanswered") || is("lost") || is("late"))
            *report = report_of(RD_KAFKA_RESP_ERR__TIMED_OUT,
                                RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED);
        if (is("unanswered") || is("lost"))
            report->after_ns = KAFKA_DOUBLE_NEVER;
        if (is("late"))
            *report = (struct kafka_report){.after_ns = 5000 * MILLISECONDS};
        if (is("reordered"))
            report->after_ns = 100 * MILLISECONDS;
        if (is("twice") || is("again"))
            report->repeats = 2;
        if (is("again"))
            report->repeat_after_ns = 20 * MILLISECONDS;
        if (is("failed"))
            *report = report_of(RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
                                RD_KAFKA_MSG_STATUS_NOT_PERSISTED);
        if (is("rejected"))
            *report = report_of(RD_KAFKA_RESP_ERR_INVALID_MSG, RD_KAFKA_MSG_STATUS_NOT_PERSISTED);
        if (is("doubtful"))
            *report = report_of(RD_KAFKA_RESP_ERR__TIMED_OUT,
                                RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED);
        if (is("lookup"))
            kafka_double_look_up(program_now() + 15000 * MILLISECONDS);
        if (is("fatal") || is("no_producer"))
            kafka_double_fail_fatally();
        arrives = !is("lost") && !is("failed") && !is("rejected");
    }
    if (arrives)
        note("arrived", message);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static void program_reported(const struct kafka_double_message *message, rd_kafka_resp_err_t error,
                             rd_kafka_msg_status_t status)
{
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR && status == RD_KAFKA_MSG_STATUS_PERSISTED)
        note("acknowledged", message);
}

static void program_changed(const struct kafka_double_message *message)
{
    note("changed", message);
}

static bool program_refuses(void)
{
    return ++producers == 2 && is("no_producer");
}

static const struct kafka_double_world program_world = {.now_ns = program_now,
                                                        .wait = program_wait,
                                                        .decide = program_decide,
                                                        .reported = program_reported,
                                                        .changed = program_changed,
                                                        .refuses = program_refuses};

static void *run_ticks(void *unused)
{
    const struct timespec pause = {.tv_nsec = 2 * MILLISECONDS};
    for (;;) {
        kafka_double_tick();
        nanosleep(&pause, NULL);
    }
    return unused;
}

__attribute__((constructor)) static void begin_program(void)
{
    const char *plan = getenv("KAFKA_DOUBLE"), *path = getenv("KAFKA_DOUBLE_FILE");
    pthread_t thread;
    kafka_double_begin(&program_world);
    if (plan != NULL)
        sscanf(plan, "%31s %u", way, &wanted);
    file = open(path != NULL ? path : "/dev/null", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || pthread_create(&thread, NULL, run_ticks, NULL) != 0)
        abort();
    pthread_detach(thread);
}
