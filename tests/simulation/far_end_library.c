/*
 * Implements far_end.h for the program's own `kafka:` destination, which uses a replacement of
 * librdkafka (kafka_double.h). Each message has its own outcome. By chance reports are late, out of
 * order, repeated or missing, messages are refused, name lookups take 15 seconds, and producers
 * fail fatally.
 */
#include <string.h>

#include "tests/simulation/check_source.h"
#include "tests/simulation/far_end.h"
#include "tests/simulation/history.h"
#include "tests/simulation/message.h"
#include "tests/simulation/moments.h"
#include "tests/simulation/world.h"
#include "tests/support/sinks/kafka_double.h"

#define LOOKUP (15 * SECONDS)

const bool far_end_says_maybe_sent = false;

enum weather { UP, AWAY, SILENT, FLAKY };

struct far_end {
    const struct far_end_options *options; /* NULL if the sink is not a delivery */
    unsigned sink;
    enum weather weather;
    bool takes_all; /* while SILENT: accepts all messages */
    int64_t changes_ns, slowest_ns;
    bool is_broken;    /* a message has failed; later ones fail as well until all are reported */
    size_t unreported; /* messages without a report */
    bool out[HISTORY_DATAGRAMS]; /* the library has the message, but has not reported it */
};

static struct far_end far_ends[HISTORY_SINKS];
static bool news;

static struct delivered *history_of(const struct far_end *far)
{
    return &history->delivered[far->sink];
}

static struct far_end *far_end_of(const struct kafka_double_message *message)
{
    return &far_ends[message->topic[strlen(message->topic) - 1] - '0'];
}

static uint32_t number_of(const struct far_end *far, const struct kafka_double_message *message)
{
    uint32_t number;
    if (!message_number_of_line(message->bytes, message->size, &number))
        world_fail("sink %u is given a message that is not a line: %.*s", far->sink,
                   (int)message->size, (const char *)message->bytes);
    if (!history_may_have(far->sink, number))
        world_fail("sink %u is given datagram %u, which the program cannot have", far->sink,
                   number);
    check_source(number, message->bytes, message->size);
    return number;
}

/* --- the library's decisions ------------------------------------------------------------------ */

/* Decides the report of a message. Returns true if the message arrives. */
static bool decide_report(const struct far_end *far, uint32_t number, struct kafka_report *report)
{
    bool fails = far->weather == AWAY || far->is_broken;
    bool is_silent = far->weather == SILENT || (far->weather == FLAKY && world_chance(100));
    report->after_ns = (int64_t)world_below((uint64_t)far->slowest_ns);
    if (fails || (far->weather == FLAKY && world_chance(100))) {
        report->error = RD_KAFKA_RESP_ERR__MSG_TIMED_OUT;
        report->status = RD_KAFKA_MSG_STATUS_NOT_PERSISTED;
        return false;
    }
    if (is_silent) {
        report->error = RD_KAFKA_RESP_ERR__TIMED_OUT;
        report->status = RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED;
        report->after_ns =
            world_chance(50) ? KAFKA_DOUBLE_NEVER : report->after_ns + 20 * MILLISECONDS;
        return far->takes_all || world_chance(500);
    }
    if (far_end_refuses(far->options, number)) {
        report->error = world_chance(500) ? RD_KAFKA_RESP_ERR_INVALID_MSG
                                          : RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
        report->status = RD_KAFKA_MSG_STATUS_NOT_PERSISTED;
        return false;
    }
    return true;
}

static rd_kafka_resp_err_t decide(const struct kafka_double_message *message,
                                  struct kafka_report *report)
{
    struct far_end *far = far_end_of(message);
    world_step();
    uint32_t number = number_of(far, message);
    if (far->weather == FLAKY && world_chance(20))
        return RD_KAFKA_RESP_ERR__QUEUE_FULL;
    if (far->unreported == 0)
        far->is_broken = false;
    bool arrives = decide_report(far, number, report);
    if (!far->options->is_steady && world_chance(20)) {
        report->repeats = 1;
        report->repeat_after_ns = (int64_t)world_below((uint64_t)SECONDS);
    }
    far->is_broken |= far->options->in_order && report->error != RD_KAFKA_RESP_ERR_NO_ERROR;
    far->unreported++;
    far->out[number] = true;
    history_of(far)->handed_ns[number] = world_now_ns();
    if (arrives)
        history_note_arrival(far->sink, number, far->options->once);
    news = true;
    moment_comes(MOMENT_BLOCK_IS_SENT);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static void reported(const struct kafka_double_message *message, rd_kafka_resp_err_t error,
                     rd_kafka_msg_status_t status)
{
    struct far_end *far = far_end_of(message);
    struct delivered *delivered = history_of(far);
    uint32_t number = number_of(far, message);
    far->unreported--;
    far->out[number] = false;
    delivered->handed_ns[number] = 0;
    if (status == RD_KAFKA_MSG_STATUS_PERSISTED)
        history_note_acknowledged(far->sink, number);
    else if (status == RD_KAFKA_MSG_STATUS_POSSIBLY_PERSISTED)
        delivered->maybe_sent[number] = true;
    else if (error == RD_KAFKA_RESP_ERR_INVALID_MSG)
        history_note_refused(far->sink, number, DELIVERY_REJECTED);
    else if (error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED)
        history_note_refused(far->sink, number, DELIVERY_DENIED);
    moment_comes(MOMENT_BLOCK_IS_ANSWERED);
}

static void changed(const struct kafka_double_message *message)
{
    world_fail("sink %u has changed a message that the library may still send",
               far_end_of(message)->sink);
}

static bool never(const void *context)
{
    (void)context;
    return false;
}

static void library_wait(int64_t until_ns, bool busy)
{
    (void)busy;
    world_wait(never, NULL, until_ns);
}

static const struct kafka_double_world library = {.now_ns = world_now_ns,
                                                  .wait = library_wait,
                                                  .decide = decide,
                                                  .reported = reported,
                                                  .changed = changed};

/* --- actions of the far ends ------------------------------------------------------------------ */

static void change(struct far_end *far)
{
    static const enum weather weathers[] = {UP, UP, UP, UP, AWAY, AWAY, SILENT, FLAKY, FLAKY};
    far->weather =
        far->options->is_steady ? UP : weathers[world_below(sizeof weathers / sizeof weathers[0])];
    far->changes_ns = world_now_ns() + (int64_t)world_below(1500) * MILLISECONDS + 1;
    far->slowest_ns = world_chance(200) ? 400 * MILLISECONDS : 4 * MILLISECONDS;
    if (!far->options->is_steady && world_chance(30))
        kafka_double_look_up(world_now_ns() + LOOKUP);
    if (!far->options->is_steady && world_chance(20))
        kafka_double_fail_fatally();
    world_trace("the far end of sink %u is now %s", far->sink,
                (const char *const[]){"up", "away", "silent", "flaky"}[far->weather]);
}

void far_end_break_off(bool silently, bool for_good)
{
    for (size_t i = 0; i < HISTORY_SINKS; i++) {
        if (far_ends[i].options == NULL || far_ends[i].options->is_steady)
            continue;
        far_ends[i].weather = silently ? SILENT : AWAY;
        far_ends[i].changes_ns = WORLD_NEVER;
        far_ends[i].takes_all = world_chance(700);
        if (for_good)
            far_ends[i].slowest_ns = 3000 * SECONDS;
    }
}

void far_end_begin(unsigned sink, const struct far_end_options *options)
{
    struct far_end *far = &far_ends[sink];
    kafka_double_begin(&library); /* here, because the program may run before far_end_run */
    *far = (struct far_end){.options = options, .sink = sink};
    change(far);
}

/* Messages without a report may have arrived. */
void far_end_process_ends(void)
{
    for (size_t i = 0; i < HISTORY_SINKS; i++)
        for (uint32_t number = 0; far_ends[i].options != NULL && number < history->sent_count;
             number++)
            if (far_ends[i].out[number])
                history->delivered[i].maybe_sent[number] = true;
}

static bool has_news(const void *context)
{
    (void)context;
    return news;
}

void far_end_run(void *argument)
{
    (void)argument;
    kafka_double_begin(&library); /* needed even if no sink is a delivery */
    for (;;) {
        news = false;
        int64_t next = WORLD_NEVER;
        for (size_t i = 0; i < HISTORY_SINKS; i++) {
            struct far_end *far = &far_ends[i];
            if (far->options == NULL)
                continue;
            if (far->changes_ns <= world_now_ns())
                change(far);
            next = far->changes_ns < next ? far->changes_ns : next;
        }
        int64_t report_ns = kafka_double_tick();
        next = report_ns < next ? report_ns : next;
        if (kafka_double_producers() == 0)
            next = world_now_ns() + MILLISECONDS;
        world_wait(has_news, NULL, next);
    }
}
