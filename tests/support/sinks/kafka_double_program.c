/*
 * Functions of kafka_double.h for a program that loads the double in place of librdkafka. The
 * environment variable KAFKA_DOUBLE is "WAY N": message number N has the fault WAY of the table
 * `ways`. With any other text the program aborts. The double appends lines to the file that
 * KAFKA_DOUBLE_FILE names: "arrived VALUE" for each message that reaches the broker, "acknowledged
 * VALUE" for each reported success, and "changed VALUE" if the bytes changed before the report.
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

struct way {
    const char *name;
    struct kafka_report report;
    bool is_lost;                /* the message does not arrive */
    rd_kafka_resp_err_t refusal; /* error that the call returns; then there is no report */
    bool looks_up;               /* a name lookup begins */
    bool is_fatal;
    bool has_no_second_producer;
};

/* The faults of the chosen message. The first one, "none", is also used for all other messages. */
static const struct way ways[] = {
    {.name = "none"},
    {.name = "refused", .refusal = RD_KAFKA_RESP_ERR__QUEUE_FULL},
    {.name = "unanswered", .report = {.after_ns = KAFKA_DOUBLE_NEVER}},
    {.name = "lost", .report = {.after_ns = KAFKA_DOUBLE_NEVER}, .is_lost = true},
    {.name = "late", .report = {.after_ns = 5000 * MILLISECONDS}},
    {.name = "reordered", .report = {.after_ns = 100 * MILLISECONDS}},
    {.name = "twice", .report = {.repeats = 2}},
    {.name = "again", .report = {.repeats = 2, .repeat_after_ns = 20 * MILLISECONDS}},
    {.name = "failed",
     .report = {.error = RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
                .status = RD_KAFKA_MSG_STATUS_NOT_PERSISTED},
     .is_lost = true},
    {.name = "rejected",
     .report = {.error = RD_KAFKA_RESP_ERR_INVALID_MSG,
                .status = RD_KAFKA_MSG_STATUS_NOT_PERSISTED},
     .is_lost = true},
    {.name = "doubtful",
     .report = {.error = RD_KAFKA_RESP_ERR__TIMED_OUT,
                .status = RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED}},
    {.name = "lookup", .looks_up = true},
    {.name = "fatal", .is_fatal = true},
    {.name = "no_producer", .is_fatal = true, .has_no_second_producer = true},
};

static const struct way *way;
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

/* Writes a line with one call, so that lines of different threads do not mix. */
static void note(const char *what, const struct kafka_double_message *message)
{
    char line[4096];
    int size = snprintf(line, sizeof line, "%s %.*s\n", what, (int)message->size,
                        (const char *)message->bytes);
    if (write(file, line, (size_t)size) != size)
        abort();
}

static rd_kafka_resp_err_t program_decide(const struct kafka_double_message *message,
                                          struct kafka_report *report)
{
    const struct way *its = ++messages == wanted ? way : &ways[0];
    if (its->refusal != RD_KAFKA_RESP_ERR_NO_ERROR)
        return its->refusal;
    *report = its->report;
    if (its->looks_up)
        kafka_double_look_up(program_now() + 15000 * MILLISECONDS);
    if (its->is_fatal)
        kafka_double_fail_fatally();
    if (!its->is_lost)
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
    return ++producers == 2 && way->has_no_second_producer;
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

/* Aborts if the plan is not "WAY N", where WAY is in the table. */
static void read_plan(const char *plan)
{
    char name[32];
    if (plan == NULL || sscanf(plan, "%31s %u", name, &wanted) != 2)
        abort();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcmp(ways[i].name, name) == 0)
            way = &ways[i];
    if (way == NULL)
        abort();
}

__attribute__((constructor)) static void begin_program(void)
{
    const char *path = getenv("KAFKA_DOUBLE_FILE");
    pthread_t thread;
    read_plan(getenv("KAFKA_DOUBLE"));
    kafka_double_begin(&program_world);
    file = open(path != NULL ? path : "/dev/null", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || pthread_create(&thread, NULL, run_ticks, NULL) != 0)
        abort();
    pthread_detach(thread);
}
