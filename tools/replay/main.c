/* sluice-replay: sends the UDP payloads of a capture again, unchanged. */
#include <inttypes.h>

#include "collector/base/progress.h"
#include "collector/capture/capture.h"
#include "collector/log/progress_line.h"
#include "collector/platform/clock.h"
#include "collector/platform/process.h"
#include "tools/command/interrupt.h"
#include "tools/replay/options.h"
#include "tools/replay/timing.h"
#include "tools/sending/sealing.h"
#include "tools/sending/udp_sender.h"

struct replay {
    const char *name; /* for reports of progress */
    struct capture *capture;
    struct udp_sender *sender;
    struct timing timing;
    int64_t start_ns;
    int64_t elapsed_ns;
    uint64_t sent, bytes, failed;
    struct error send_error; /* of the last datagram that failed */
    bool seals;
    struct sealing sealing;
    uint8_t sealed[UDP_PAYLOAD_MAX];
};

static bool wait_for(const struct replay *replay, int64_t due_ns)
{
    while (!interrupt_seen()) {
        if (clock_monotonic_ns() - replay->start_ns >= due_ns)
            return true;
        wait_until(replay->start_ns + due_ns);
    }
    return false;
}

/* Seals the payload. Returns false with send_error filled if the payload is too large. */
static bool seal(struct replay *replay, struct udp_payload *payload)
{
    if (payload->size > UDP_PAYLOAD_MAX - SEALED_OVERHEAD) {
        error_set(&replay->send_error, EXIT_CODE_IO,
                  "a datagram of %zu bytes is too large to be sealed", payload->size);
        return false;
    }
    payload->size = sealing_seal(&replay->sealing, payload->data, payload->size, clock_wall_ns(),
                                 replay->sealed);
    payload->data = replay->sealed;
    return true;
}

static void send_one(struct replay *replay, const struct capture_datagram *datagram)
{
    struct udp_payload payload = {.data = datagram->data, .size = datagram->size};
    if ((!replay->seals || seal(replay, &payload)) &&
        udp_sender_send(replay->sender, &payload, 1, &replay->send_error) == 1) {
        replay->sent++;
        replay->bytes += payload.size;
    } else {
        replay->failed++;
    }
}

/*
 * Ends a read from a pipe that could wait without an end. interrupt_call has this function called
 * when the program must stop.
 */
static void end_waiting(void *context)
{
    struct replay *replay = context;
    capture_cancel(replay->capture);
}

static int send_all(struct replay *replay, struct error *error)
{
    struct capture_datagram datagram;
    enum capture_result result;
    replay->start_ns = clock_monotonic_ns();
    while ((result = capture_next(replay->capture, &datagram, error)) == CAPTURE_DATAGRAM) {
        if (replay->sent + replay->failed == 0)
            replay->start_ns = clock_monotonic_ns(); /* the first read may have waited for a pipe */
        if (!wait_for(replay, timing_due(&replay->timing, datagram.time_ns)))
            return 0;
        send_one(replay, &datagram);
        capture_report_progress(replay->capture, "sending", replay->name);
    }
    return result == CAPTURE_DAMAGED ? -1 : 0;
}

static void report(const struct replay *replay)
{
    const struct capture_counts *counts = capture_counts(replay->capture);
    double seconds = (double)replay->elapsed_ns / 1e9;
    fprintf(stderr,
            "%s: sent %" PRIu64 " datagram%s (%" PRIu64 " bytes) in %.3f s; failed %" PRIu64
            ", retried %" PRIu64 ", refused %" PRIu64 "; of %" PRIu64 " frames: cut %" PRIu64
            ", other %" PRIu64 "; incomplete datagrams %" PRIu64 "\n",
            replay_command.name, replay->sent, replay->sent == 1 ? "" : "s", replay->bytes, seconds,
            replay->failed, udp_sender_retries(replay->sender), udp_sender_refused(replay->sender),
            counts->frames, counts->cut, counts->other, counts->incomplete);
}

static int outcome(const struct replay *replay, const struct address *to, struct error *error)
{
    if (replay->failed == 0)
        return udp_sender_check_refused(to, replay->sent, udp_sender_refused(replay->sender),
                                        error);
    *error = replay->send_error;
    return -1;
}

static int send_capture(struct replay *replay, const struct replay_settings *settings,
                        struct error *error)
{
    if (udp_sender_open(&replay->sender, &settings->destination, error) != 0)
        return -1;
    interrupt_call(end_waiting, replay);
    interrupt_catch();
    int result = send_all(replay, error);
    progress_end();
    interrupt_call(NULL, NULL);
    replay->elapsed_ns = clock_monotonic_ns() - replay->start_ns;
    udp_sender_await_reports(replay->sender, clock_monotonic_ns() + UDP_SENDER_REPORTS_NS);
    report(replay);
    return result == 0 ? outcome(replay, &settings->destination, error) : result;
}

static int run(const struct replay_settings *settings, struct error *error)
{
    struct replay replay = {.name = settings->path,
                            .timing = {.speed = settings->speed},
                            .seals = settings->sealing.keys != NULL};
    if (replay.seals && sealing_begin(&settings->sealing, &replay.sealing, error) != 0)
        return -1;
    int result = capture_open(settings->path, (uint16_t)settings->port, &replay.capture, error);
    if (result == 0)
        result = send_capture(&replay, settings, error);
    udp_sender_close(replay.sender);
    capture_close(replay.capture);
    sealing_end(&replay.sealing);
    return result;
}

int program_main(int argc, char **argv)
{
    struct replay_settings settings = {.speed = 1};
    struct error error;
    int code;
    if (!command_begin(&replay_command, argc, argv, &settings, &code))
        return code;
    if (!settings.quiet)
        progress_line_begin();
    int result = run(&settings, &error);
    progress_line_end();
    return command_end(&replay_command, result, &error);
}
