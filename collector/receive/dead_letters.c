#include "collector/receive/dead_letters.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/base/rate_window.h"
#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/output_file.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "collector/queue/byte_ring.h"
#include "collector/receive/dead_letter_block.h"
#include "collector/receive/dead_letter_file.h"

/* Bytes of a ring: room for three of the largest datagrams, or for many usual ones. */
#define RING_SIZE ((size_t)256 * 1024)

struct dead_letter_queue {
    struct dead_letter_queue *next;
    struct dead_letters *dead_letters;
    struct dead_letter_counters *counters;
    struct byte_ring *ring;
};

struct dead_letters {
    struct dead_letter_options options;
    struct rate_window rate;
    struct dead_letter_queue *_Atomic queues; /* list of queues, newest first; a queue never
                                               * moves */
    struct thread *thread;
    struct wakeup *wakeup;

    struct dead_letter_file file; /* only the writing thread uses this while it runs */

    _Atomic bool sleeping;
    _Atomic bool finished;
    _Atomic bool reopen_wanted;
    struct deadline deadline;
};

size_t dead_letters_memory(void)
{
    return sizeof(struct dead_letters);
}

size_t dead_letter_queue_memory(void)
{
    return RING_SIZE + sizeof(struct dead_letter_queue);
}

/* --- producing threads ------------------------------------------------------------------------ */

static void wake_writer(struct dead_letters *dead_letters)
{
    if (atomic_load(&dead_letters->sleeping) && atomic_exchange(&dead_letters->sleeping, false))
        wakeup_signal(dead_letters->wakeup);
}

bool dead_letter_queue_has_room(const struct dead_letter_queue *queue, size_t size)
{
    return byte_ring_has_room(queue->ring,
                              sizeof(struct dead_letter) +
                                  (size < DATAGRAM_MAX_SIZE ? size : DATAGRAM_MAX_SIZE));
}

static bool put_letter(struct dead_letter_queue *queue, const struct dead_letter *letter,
                       const struct datagram_slot *datagram)
{
    size_t front = datagram_front_size(datagram);
    const struct byte_part parts[] = {
        {letter, sizeof *letter},
        {datagram->front, front},
        {datagram->rest, datagram->size - front},
    };
    return byte_ring_put(queue->ring, parts, sizeof parts / sizeof parts[0]);
}

void dead_letter_offer(struct dead_letter_queue *queue, const struct listener *listener,
                       const struct datagram_slot *whole, enum datagram_reason reason,
                       const struct decode_failure *failure, const char *schema)
{
    RULE(datagram_reason_has_letter[reason], "only reasons with dead letters are offered");
    struct datagram_slot part = *whole;
    /*
     * A frame of a stream can be longer than any datagram. Then one byte less than the length in
     * the packet's headers is kept, so that readers of the capture recognise that it is cut.
     */
    const size_t most = udp_packet_payload_most(&whole->source);
    const struct datagram_slot *datagram = whole->size <= most ? whole : &part;
    part.size = (uint32_t)most - 1;
    struct dead_letters *dead_letters = queue->dead_letters;
    struct dead_letter_counters *counters = queue->counters;
    counter_add(&counters->offered, 1);
    if (!rate_window_take(&dead_letters->rate, dead_letters->options.rate, clock_monotonic_ns())) {
        counter_add(&counters->dropped[DROPPED_RATE], 1);
        return;
    }
    struct dead_letter letter = {
        .listener = listener,
        .received_ns = datagram->received_ns,
        .source = datagram->source,
        .destination = *datagram->destination,
        .size = datagram->size,
        .sent_size = datagram->sent_size,
        .reason = reason,
        .failure = *failure,
    };
    snprintf(letter.schema, sizeof letter.schema, "%s", schema);
    if (put_letter(queue, &letter, datagram))
        wake_writer(dead_letters);
    else
        counter_add(&counters->dropped[DROPPED_RING_FULL], 1);
}

void dead_letter_queue_open_again(struct dead_letter_queue *queue)
{
    if (queue != NULL)
        byte_ring_open_again(queue->ring);
}

void dead_letter_queue_close(struct dead_letter_queue *queue)
{
    if (queue == NULL)
        return;
    byte_ring_close(queue->ring);
    wake_writer(queue->dead_letters);
}

/* --- the writing thread ----------------------------------------------------------------------- */

static void write_letter(struct dead_letters *dead_letters, struct byte_ring *ring)
{
    struct dead_letter_counters *counters = dead_letters->options.counters;
    struct dead_letter_file *file = &dead_letters->file;
    struct dead_letter letter;
    enum dead_letter_drop why;
    dead_letter_file_look(file);
    byte_ring_take(ring, &letter, sizeof letter);
    RULE(letter.size <= DATAGRAM_MAX_SIZE, "a letter in a ring has its own header");
    size_t size = dead_letter_block_make(file->block, file->section_due, ring, &letter);
    if (!dead_letter_file_append(file, size, &why)) {
        counter_add(&counters->dropped[why], 1);
        return;
    }
    counter_add(&counters->bytes, size);
    counter_add(&counters->kept, 1);
}

static struct dead_letter_queue *next_with_letter(const struct dead_letters *dead_letters)
{
    for (struct dead_letter_queue *queue = atomic_load(&dead_letters->queues); queue != NULL;
         queue = queue->next)
        if (!byte_ring_is_empty(queue->ring))
            return queue;
    return NULL;
}

static bool all_finished(const struct dead_letters *dead_letters)
{
    for (struct dead_letter_queue *queue = atomic_load(&dead_letters->queues); queue != NULL;
         queue = queue->next)
        if (!byte_ring_is_finished(queue->ring))
            return false;
    return true;
}

/*
 * Sleeps until there is work. This thread sets `sleeping` before it checks for work, and other
 * threads add work before they read `sleeping`. So either this thread finds the work, or the other
 * thread wakes it.
 */
static void sleep_until_woken(struct dead_letters *dead_letters)
{
    atomic_store(&dead_letters->sleeping, true);
    if (next_with_letter(dead_letters) == NULL && !all_finished(dead_letters) &&
        !atomic_load(&dead_letters->reopen_wanted))
        wakeup_wait(dead_letters->wakeup, NO_HANDLE, false, -1);
    atomic_store(&dead_letters->sleeping, false);
}

static void write_letters(void *argument)
{
    struct dead_letters *dead_letters = argument;
    for (;;) {
        if (atomic_exchange(&dead_letters->reopen_wanted, false))
            dead_letter_file_reopen(&dead_letters->file);
        struct dead_letter_queue *queue = next_with_letter(dead_letters);
        if (queue != NULL)
            write_letter(dead_letters, queue->ring);
        else if (all_finished(dead_letters))
            break;
        else
            sleep_until_woken(dead_letters);
    }
    atomic_store(&dead_letters->finished, true);
    if (dead_letters->options.finished != NULL)
        dead_letters->options.finished(dead_letters->options.context);
}

/* --- functions for other threads -------------------------------------------------------------- */

int dead_letters_create(struct dead_letters **out, const struct dead_letter_options *options,
                        struct error *error)
{
    struct dead_letters *dead_letters = calloc(1, sizeof *dead_letters);
    if (dead_letters == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for dead letters");
        return -1;
    }
    dead_letters->options = *options;
    deadline_init(&dead_letters->deadline);
    if (wakeup_create(&dead_letters->wakeup, error) != 0) {
        dead_letters_destroy(dead_letters);
        return -1;
    }
    dead_letters->file.options = &dead_letters->options;
    dead_letters->file.wakeup = dead_letters->wakeup;
    dead_letters->file.deadline = &dead_letters->deadline;
    *out = dead_letters;
    return 0;
}

int dead_letters_open(struct dead_letters *dead_letters, struct error *error)
{
    return dead_letter_file_open(&dead_letters->file, error);
}

struct dead_letter_queue *dead_letters_add_queue(struct dead_letters *dead_letters,
                                                 struct dead_letter_counters *counters)
{
    struct dead_letter_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->ring = byte_ring_create(RING_SIZE);
    if (queue->ring == NULL) {
        free(queue);
        return NULL;
    }
    queue->dead_letters = dead_letters;
    queue->counters = counters;
    queue->next = atomic_load(&dead_letters->queues);
    atomic_store(&dead_letters->queues, queue);
    return queue;
}

int dead_letters_start(struct dead_letters *dead_letters, struct error *error)
{
    RULE(dead_letters->thread == NULL, "dead letters start once");
    return thread_start(&dead_letters->thread, "dead letters", write_letters, dead_letters, error);
}

void dead_letters_reopen(struct dead_letters *dead_letters)
{
    atomic_store(&dead_letters->reopen_wanted, true);
    wakeup_signal(dead_letters->wakeup);
}

void dead_letters_stop(struct dead_letters *dead_letters, int64_t deadline_ns)
{
    deadline_bring_forward(&dead_letters->deadline, deadline_ns);
    wakeup_signal(dead_letters->wakeup);
}

bool dead_letters_have_finished(const struct dead_letters *dead_letters)
{
    return atomic_load(&dead_letters->finished);
}

void dead_letters_join(struct dead_letters *dead_letters)
{
    thread_join(dead_letters->thread);
    dead_letters->thread = NULL;
}

void dead_letters_destroy(struct dead_letters *dead_letters)
{
    if (dead_letters == NULL)
        return;
    RULE(dead_letters->thread == NULL, "dead letters are joined before they are destroyed");
    for (struct dead_letter_queue *queue = atomic_load(&dead_letters->queues), *next; queue != NULL;
         queue = next) {
        next = queue->next;
        byte_ring_destroy(queue->ring);
        free(queue);
    }
    output_file_close(dead_letters->file.output);
    wakeup_destroy(dead_letters->wakeup);
    free(dead_letters);
}
