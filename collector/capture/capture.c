#include "collector/capture/capture.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collector/base/progress.h"
#include "collector/base/rule.h"
#include "collector/capture/capture_file.h"
#include "collector/capture/frame.h"
#include "collector/capture/reassembly.h"

struct capture {
    struct capture_file *file;
    struct reassembly *reassembly;
    uint16_t port;
    struct capture_counts counts;
    enum capture_result last; /* CAPTURE_DATAGRAM until the end or damage */
    struct error error; /* the reason for CAPTURE_DAMAGED; every later call returns it again */
};

int capture_open(const char *path, uint16_t port, struct capture **out, struct error *error)
{
    struct capture *capture = calloc(1, sizeof *capture);
    if (capture == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: out of memory", path);
        return -1;
    }
    capture->port = port;
    capture->last = CAPTURE_DATAGRAM;
    if (capture_file_open(path, &capture->file, error) != 0)
        goto fail;
    capture->reassembly = reassembly_create(&capture->counts);
    if (capture->reassembly == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: out of memory", path);
        goto fail;
    }
    *out = capture;
    return 0;
fail:
    capture_close(capture);
    return -1;
}

int capture_check(const char *path, struct error *error)
{
    return capture_file_check(path, error);
}

void capture_on_wait(struct capture *capture, void (*waiting)(void *context), void *context)
{
    capture_file_on_wait(capture->file, waiting, context);
}

static bool add_fragment(struct capture *capture, const struct frame_fragment *fragment,
                         int64_t time_ns, struct capture_datagram *datagram)
{
    struct reassembled whole;
    if (!reassembly_add(capture->reassembly, fragment, time_ns, &whole))
        return false;
    switch (frame_parse_reassembled(&whole.hosts, whole.next_header, whole.data, whole.size,
                                    capture->port, datagram)) {
    case FRAME_DATAGRAM:
        capture->counts.fragments += whole.fragments;
        capture->counts.reassembled++;
        return true;
    case FRAME_CUT:
        capture->counts.fragments += whole.fragments;
        capture->counts.incomplete++;
        return false;
    case FRAME_FRAGMENT:
    case FRAME_OTHER:
    default:
        capture->counts.other += whole.fragments;
        return false;
    }
}

static bool take_frame(struct capture *capture, const struct capture_frame *frame,
                       struct capture_datagram *datagram)
{
    struct frame_fragment fragment;
    capture->counts.frames++;
    datagram->time_ns = frame->time_ns;
    switch (frame_parse(frame, capture->port, datagram, &fragment)) {
    case FRAME_DATAGRAM:
        capture->counts.whole++;
        break;
    case FRAME_FRAGMENT:
        if (!add_fragment(capture, &fragment, frame->time_ns, datagram))
            return false;
        break;
    case FRAME_CUT:
        capture->counts.cut++;
        return false;
    case FRAME_OTHER:
    default:
        capture->counts.other++;
        return false;
    }
    return true;
}

/* Each frame must have one outcome. True only while no datagram is under reassembly. */
static bool counts_balance(const struct capture_counts *counts)
{
    return counts->frames == counts->whole + counts->fragments + counts->other + counts->cut;
}

enum capture_result capture_next(struct capture *capture, struct capture_datagram *datagram,
                                 struct error *error)
{
    while (capture->last == CAPTURE_DATAGRAM) {
        struct capture_frame frame;
        enum capture_file_result result = capture_file_next(capture->file, &frame, &capture->error);
        if (result == CAPTURE_FILE_FRAME) {
            if (take_frame(capture, &frame, datagram))
                return CAPTURE_DATAGRAM;
            continue;
        }
        reassembly_flush(capture->reassembly);
        capture->last = result == CAPTURE_FILE_END ? CAPTURE_END : CAPTURE_DAMAGED;
        RULE(counts_balance(&capture->counts), "each frame of a capture has one outcome");
    }
    if (capture->last == CAPTURE_DAMAGED)
        error_set(error, capture->error.code, "%s", capture->error.text);
    return capture->last;
}

void capture_report_progress(const struct capture *capture, const char *doing, const char *name)
{
    if (!progress_is_watched())
        return;
    struct capture_position position = capture_file_position(capture->file);
    progress_report(&(struct progress){
        .doing = doing,
        .name = name,
        .done = position.done,
        .total = position.total,
        .unit = PROGRESS_BYTES,
        .datagrams = capture->counts.whole + capture->counts.reassembled,
    });
}

void capture_end(struct capture *capture)
{
    if (capture->last != CAPTURE_DATAGRAM)
        return;
    reassembly_flush(capture->reassembly);
    RULE(counts_balance(&capture->counts), "each frame of an ended capture has one outcome");
    capture->last = CAPTURE_END;
}

void capture_cancel(struct capture *capture)
{
    capture_file_cancel(capture->file);
}

const struct capture_counts *capture_counts(const struct capture *capture)
{
    return &capture->counts;
}

void capture_close(struct capture *capture)
{
    if (capture == NULL)
        return;
    reassembly_destroy(capture->reassembly);
    capture_file_close(capture->file);
    free(capture);
}
