#include "tools/send/load.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/progress.h"
#include "collector/platform/clock.h"
#include "tools/command/interrupt.h"
#include "tools/send/faults.h"
#include "tools/send/pacing.h"
#include "tools/sending/udp_sender.h"

#define ROUND_SIZE 64 /* number of datagrams that are made and sent together */

struct source {
    struct udp_sender *sender;
    struct message_template message;
    uint64_t number; /* number of the last good datagram */
    char name[SENDER_SIZE_MAX + 8];
};

struct load {
    const struct load_plan *plan;
    struct load_counts *counts;
    struct error *error; /* error of the last datagram that failed */
    struct pacing pacing;
    struct mix mix;
    struct faults faults;
    struct source *sources;
    uint8_t *slots; /* memory for a round's good datagrams */
    struct sealing sealing;
    uint8_t *sealed; /* memory for a round's sealed datagrams; NULL if not sealed */
    uint64_t done;
};

/* --- setting up ------------------------------------------------------------------------------- */

static uint64_t last_number(const struct load *load)
{
    uint64_t total = load->pacing.total / load->plan->sources + 1;
    return total < UINT32_MAX ? total : UINT32_MAX;
}

static int open_source(struct load *load, size_t index, uint64_t boot_id, struct error *error)
{
    struct source *source = &load->sources[index];
    int length =
        snprintf(source->name, sizeof source->name, "%s/%zu", load->plan->sender, index + 1);
    struct message_plan message = {
        .sender = {source->name, (size_t)length},
        .boot_id = boot_id + index,
        .samples = load->plan->samples,
        .given = load->plan->given,
        .size = load->plan->size,
        .reserved = load->plan->sealing.keys != NULL ? SEALED_OVERHEAD : 0,
    };
    if (message_template_init(&source->message, load->plan->shape, &message, last_number(load),
                              error) != 0)
        return -1;
    return udp_sender_open(&source->sender, &load->plan->destination, error);
}

static int allocate(struct load *load, struct error *error)
{
    size_t size = (size_t)ROUND_SIZE * UDP_PAYLOAD_MAX;
    bool seals = load->plan->sealing.keys != NULL;
    load->slots = malloc(size);
    load->sealed = seals ? malloc(size) : NULL;
    if (load->slots != NULL && (!seals || load->sealed != NULL))
        return 0;
    error_set(error, EXIT_CODE_INTERNAL, "no memory for datagrams");
    return -1;
}

static int set_up(struct load *load, struct error *error)
{
    const struct load_plan *plan = load->plan;
    load->pacing = pacing_make(plan->rate, plan->burst, plan->count != 0 ? plan->count : UINT64_MAX,
                               plan->duration_ns);
    if (!mix_init(&load->mix, plan->shares)) {
        error_set(error, EXIT_CODE_USAGE, "the shares of bad datagrams exceed the whole");
        return -1;
    }
    if (plan->sealing.keys != NULL && sealing_begin(&plan->sealing, &load->sealing, error) != 0)
        return -1;
    load->sources = calloc(plan->sources, sizeof *load->sources);
    if (load->sources == NULL || faults_init(&load->faults, plan->shape) != 0) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for %" PRIu64 " sources", plan->sources);
        return -1;
    }
    uint64_t boot_id = (uint64_t)clock_wall_ns();
    for (size_t i = 0; i < plan->sources; i++)
        if (open_source(load, i, boot_id, error) != 0)
            return -1;
    return allocate(load, error);
}

static void tear_down(struct load *load)
{
    for (size_t i = 0; load->sources != NULL && i < load->plan->sources; i++) {
        udp_sender_close(load->sources[i].sender);
        message_template_clear(&load->sources[i].message);
    }
    free(load->sources);
    free(load->slots);
    free(load->sealed);
    sealing_end(&load->sealing);
    faults_clear(&load->faults);
}

/* --- sending ---------------------------------------------------------------------------------- */

struct round {
    uint64_t time_ns; /* in the datagrams; nanoseconds since 1970 UTC */
    size_t count;
    enum datagram_kind kinds[ROUND_SIZE];
    size_t slots_used;  /* used bytes of the load's `slots` */
    size_t sealed_used; /* used bytes of the load's `sealed` */
};

/* The datagrams of one source in a round, in the order of sending. */
struct group {
    struct udp_payload payloads[ROUND_SIZE];
    enum datagram_kind kinds[ROUND_SIZE];
    size_t count;
};

static struct udp_payload make_good(struct load *load, struct source *source, struct round *round)
{
    uint8_t *slot = load->slots + round->slots_used;
    size_t size = message_template_stamp(&source->message, ++source->number, round->time_ns, slot);
    round->slots_used += size;
    return (struct udp_payload){.data = slot, .size = size};
}

static struct udp_payload make_content(struct load *load, struct source *source,
                                       struct round *round, enum datagram_kind kind)
{
    switch (kind) {
    case DATAGRAM_MALFORMED:
        return faults_malformed(&load->faults, &source->message);
    case DATAGRAM_OVERSIZED:
        return faults_oversized(&load->faults);
    case DATAGRAM_EMPTY:
        return (struct udp_payload){.data = load->slots, .size = 0};
    default:
        return make_good(load, source, round);
    }
}

static struct udp_payload make(struct load *load, struct source *source, struct round *round,
                               enum datagram_kind kind)
{
    struct udp_payload content = make_content(load, source, round, kind);
    if (load->sealed == NULL)
        return content;
    uint8_t *datagram = load->sealed + round->sealed_used;
    size_t size =
        sealing_seal(&load->sealing, content.data, content.size, (int64_t)round->time_ns, datagram);
    round->sealed_used += size;
    return (struct udp_payload){.data = datagram, .size = size};
}

static void count_sent(struct load *load, const struct group *group, size_t first, size_t sent)
{
    struct load_counts *counts = load->counts;
    for (size_t i = first; i < first + sent; i++) {
        counts->sent[group->kinds[i]]++;
        counts->bytes += group->payloads[i].size;
        if (group->kinds[i] == DATAGRAM_GOOD)
            counts->samples += load->plan->samples;
    }
}

static void send_group(struct load *load, struct source *source, const struct group *group)
{
    size_t at = 0;
    while (at < group->count) {
        size_t sent =
            udp_sender_send(source->sender, group->payloads + at, group->count - at, load->error);
        count_sent(load, group, at, sent);
        at += sent;
        if (at == group->count)
            return;
        load->counts->failed++;
        at++;
    }
}

/* Makes and sends the next `count` datagrams, those of each source in one call. */
static void send_round(struct load *load, size_t count)
{
    struct round round = {.time_ns = (uint64_t)clock_wall_ns(), .count = count};
    for (size_t i = 0; i < count; i++)
        round.kinds[i] = mix_next(&load->mix);

    size_t sources = load->plan->sources;
    for (size_t first = 0; first < count && first < sources; first++) {
        struct source *source = &load->sources[(load->done + first) % sources];
        struct group group = {.count = 0};
        for (size_t i = first; i < count; i += sources) {
            group.kinds[group.count] = round.kinds[i];
            group.payloads[group.count++] = make(load, source, &round, round.kinds[i]);
        }
        send_group(load, source, &group);
    }
    load->done += count;
}

static bool is_over(const struct load *load, int64_t elapsed_ns)
{
    const struct load_plan *plan = load->plan;
    return plan->rate == 0 && plan->duration_ns != 0 && (uint64_t)elapsed_ns >= plan->duration_ns;
}

/* Reports the progress: the number of sent datagrams or, if this has no limit, the time. */
static void report_progress(const struct load *load, int64_t elapsed_ns)
{
    struct progress now = {.doing = "sending", .unit = PROGRESS_DATAGRAMS, .done = load->done};
    if (load->pacing.total != UINT64_MAX) {
        now.total = load->pacing.total;
    } else {
        now.unit = PROGRESS_STEPS;
        now.done = (uint64_t)elapsed_ns;
        now.total = load->plan->duration_ns;
        now.datagrams = load->done;
    }
    progress_report(&now);
}

static void send_all(struct load *load)
{
    int64_t start = clock_monotonic_ns();
    int64_t elapsed = 0;
    while (load->done < load->pacing.total && !interrupt_seen()) {
        elapsed = clock_monotonic_ns() - start;
        if (is_over(load, elapsed))
            break;
        report_progress(load, elapsed);
        uint64_t due = pacing_due(&load->pacing, (uint64_t)elapsed);
        if (due <= load->done) {
            wait_until(start + (int64_t)pacing_time(&load->pacing, load->done));
            continue;
        }
        send_round(load, due - load->done < ROUND_SIZE ? due - load->done : ROUND_SIZE);
    }
    load->counts->elapsed_ns = clock_monotonic_ns() - start;
    progress_end();
}

/*
 * Waits for late reports, with one time limit for all senders together. Adds the counts of all
 * senders.
 */
static void add_reports(struct load *load)
{
    int64_t until = clock_monotonic_ns() + UDP_SENDER_REPORTS_NS;
    for (size_t i = 0; i < load->plan->sources; i++) {
        struct udp_sender *sender = load->sources[i].sender;
        udp_sender_await_reports(sender, until);
        load->counts->retried += udp_sender_retries(sender);
        load->counts->refused += udp_sender_refused(sender);
    }
}

static int outcome(const struct load *load)
{
    const struct load_counts *counts = load->counts;
    if (counts->failed != 0)
        return -1;
    return udp_sender_check_refused(&load->plan->destination, load_sent(counts), counts->refused,
                                    load->error);
}

uint64_t load_sent(const struct load_counts *counts)
{
    uint64_t sent = 0;
    for (int kind = 0; kind < DATAGRAM_KINDS; kind++)
        sent += counts->sent[kind];
    return sent;
}

int load_run(const struct load_plan *plan, struct load_counts *counts, struct error *error)
{
    struct load load = {.plan = plan, .counts = counts, .error = error};
    *counts = (struct load_counts){0};
    int result = set_up(&load, error);
    if (result == 0) {
        send_all(&load);
        add_reports(&load);
        result = outcome(&load);
    }
    tear_down(&load);
    return result;
}
