#include "collector/receive/dead_letters.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/base/rate_window.h"
#include "collector/capture/pcapng_writer.h"
#include "collector/capture/udp_packet.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/deadline.h"
#include "collector/platform/output_file.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "collector/queue/byte_ring.h"

/* Room for three of the largest datagrams, or for many of the usual ones. */
#define RING_SIZE ((size_t)256 * 1024)

/* What a torn block that cannot be taken back waits before the next try. */
#define PAUSE_MS 100

/*
 * How often in a row the file may be ready and take nothing, as where another writer was quicker;
 * then it is left alone for so long each time.
 */
#define VAIN_MOST    10
#define VAIN_REST_MS 10

#define SCHEMA_TEXT_SIZE 64

/* What stands before a datagram's bytes in a ring. */
struct letter {
    const struct listener *listener;
    int64_t received_ns;
    struct address source;
    struct address destination;
    uint32_t size;      /* of the bytes after it */
    uint32_t sent_size; /* of the datagram */
    enum datagram_reason reason;
    struct decode_failure failure;
    char schema[SCHEMA_TEXT_SIZE];
};

/* A block at most, with a new section before it. */
#define BLOCK_MAX                                                                                  \
    (PCAPNG_SECTION_SIZE + PCAPNG_PACKET_HEAD + UDP_PACKET_HEADERS + DATAGRAM_MAX_SIZE +           \
     PCAPNG_PACKET_TAIL)

struct dead_letter_queue {
    struct dead_letter_queue *next;
    struct dead_letters *letters;
    struct letter_counters *counters;
    struct byte_ring *ring;
};

struct dead_letters {
    struct dead_letter_options options;
    struct rate_window rate;
    struct dead_letter_queue *_Atomic queues; /* the latest first: each stays where it is */
    struct thread *thread;
    struct wakeup *wakeup;

    /* The writing thread's own, once it runs. */
    struct output_file *file;
    uint64_t file_size; /* bytes of it */
    bool section_due;   /* before the next letter */
    bool full;          /* the file has reached max_size */
    bool ended;         /* its reader has gone */
    bool short_of_room; /* the disk has less free than the reserve, which was logged */
    struct disk_room room;
    struct log_limit log;
    uint8_t block[BLOCK_MAX];

    /* Said across threads. */
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

/* The most bytes of a frame of a stream that are kept: what a datagram can have (IPv4). */
#define LETTER_MOST ((size_t)65507)

/* --- producing threads ------------------------------------------------------------------------ */

static void notify(struct dead_letters *letters)
{
    if (atomic_load(&letters->sleeping) && atomic_exchange(&letters->sleeping, false))
        wakeup_signal(letters->wakeup);
}

bool dead_letter_queue_has_room(const struct dead_letter_queue *queue, size_t size)
{
    return byte_ring_has_room(queue->ring,
                              sizeof(struct letter) + (size < LETTER_MOST ? size : LETTER_MOST));
}

static bool put(struct dead_letter_queue *queue, const struct letter *letter,
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
    struct datagram_slot part = *whole;
    const struct datagram_slot *datagram = whole->size <= LETTER_MOST ? whole : &part;
    part.size = part.sent_size = LETTER_MOST;
    struct dead_letters *letters = queue->letters;
    struct letter_counters *counters = queue->counters;
    counter_add(&counters->offered, 1);
    if (!rate_window_take(&letters->rate, letters->options.rate, clock_monotonic_ns())) {
        counter_add(&counters->dropped[DROPPED_RATE], 1);
        return;
    }
    struct letter letter = {
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
    if (put(queue, &letter, datagram))
        notify(letters);
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
    notify(queue->letters);
}

/* --- the file --------------------------------------------------------------------------------- */

static const struct output_file_format format = {.name = "dead letters", .whole = pcapng_whole};

static int open_file(struct dead_letters *letters, struct output_file **out, struct error *error)
{
    const struct dead_letter_options *options = &letters->options;
    struct output_file_start start;
    if (output_file_open_append(options->path, &format, out, &start, error) != 0)
        return -1;
    if (output_file_is_terminal(*out)) {
        output_file_close(*out);
        *out = NULL;
        error_set(error, EXIT_CODE_CONFIG, "dead letters are binary and %s is a terminal",
                  options->path);
        return -1;
    }
    if (start.torn == TORN_LINE_CUT)
        log_about(LOG_WARNING, LOG_OF_DEAD_LETTERS, options->name,
                  "cut off the %" PRIu64 " bytes of a dead letter that an earlier run left torn",
                  start.torn_size);
    return 0;
}

static void look_at_size(struct dead_letters *letters)
{
    letters->file_size = output_file_size(letters->file);
    letters->full = false;
}

int dead_letters_open(struct dead_letters *letters, struct error *error)
{
    if (open_file(letters, &letters->file, error) != 0)
        return -1;
    look_at_size(letters);
    letters->section_due = true;
    return 0;
}

/* The file stands at the end of a block. One that was emptied in its place begins anew as well. */
static void reopen(struct dead_letters *letters)
{
    const struct dead_letter_options *options = &letters->options;
    struct output_file *fresh;
    struct error error;
    atomic_store(&letters->reopen_wanted, false);
    enum output_file_state state = output_file_look(letters->file, options->path, &error);
    if (state == OUTPUT_FILE_IN_PLACE || state == OUTPUT_FILE_CUT) {
        letters->section_due = letters->section_due || output_file_at_beginning(letters->file);
        look_at_size(letters);
        return;
    }
    if (state == OUTPUT_FILE_UNSEEN || open_file(letters, &fresh, &error) != 0) {
        log_about(LOG_ERROR, LOG_OF_DEAD_LETTERS, options->name,
                  "cannot reopen, going on with the old file: %s", error.text);
        return;
    }
    output_file_close(letters->file);
    letters->file = fresh;
    letters->ended = false;
    letters->section_due = true;
    look_at_size(letters);
    log_about(LOG_INFO, LOG_OF_DEAD_LETTERS, options->name, "reopened");
}

/* --- writing ---------------------------------------------------------------------------------- */

static void drop(struct dead_letters *letters, enum letter_drop why)
{
    counter_add(&letters->options.counters->dropped[why], 1);
}

static void log_failure(struct dead_letters *letters, const char *what)
{
    uint64_t held;
    if (log_allowed(&letters->log, &held))
        log_about(LOG_ERROR, LOG_OF_DEAD_LETTERS, letters->options.name,
                  "%s; dead letters are lost", what);
}

/* After a failed write; `sent` of its bytes are out. Returns whether the rest has to follow. */
static bool must_go_on(struct dead_letters *letters, size_t sent, const struct error *error)
{
    log_failure(letters, error->text);
    if (sent == 0 || output_file_roll_back(letters->file, sent))
        return false;
    wakeup_wait(letters->wakeup, NO_HANDLE, false, deadline_wait_ms(&letters->deadline, PAUSE_MS));
    return true;
}

/* Waits for room. `vain`: how often that found room, and the file took nothing. */
static void wait_for_room(struct dead_letters *letters, unsigned *vain)
{
    bool rests = *vain >= VAIN_MOST;
    wait_handle handle = rests ? NO_HANDLE : output_file_handle(letters->file);
    int most = deadline_wait_ms(&letters->deadline, rests ? VAIN_REST_MS : -1);
    enum wakeup_reason reason = wakeup_wait(letters->wakeup, handle, true, most);
    if (reason == WAKEUP_WRITABLE || reason == WAKEUP_BROKEN)
        (*vain)++;
}

/*
 * Writes the block, whole or not at all; or, to a pipe whose reader stands still, a part of it when
 * the deadline is over. Returns false with *why.
 */
static bool write_block(struct dead_letters *letters, size_t size, enum letter_drop *why)
{
    struct output_file *file = letters->file;
    size_t sent = 0;
    unsigned vain = 0;
    *why = DROPPED_IO_ERROR;
    while (sent < size && !letters->ended) {
        struct error error;
        size_t written = 0;
        switch (output_file_write(file, letters->block + sent, size - sent, &written, &error)) {
        case WRITE_OK:
            sent += written;
            vain = 0;
            continue;
        case WRITE_WOULD_BLOCK:
            wait_for_room(letters, &vain);
            break;
        case WRITE_FAILED:
            if (!must_go_on(letters, sent, &error))
                return false;
            break;
        case WRITE_CLOSED:
            log_failure(letters, "the reader has gone");
            letters->ended = true;
            break;
        }
        if (deadline_is_over(&letters->deadline)) {
            *why = DROPPED_STOP_TIMEOUT;
            sent += output_file_cancel(file);
            return sent == size;
        }
    }
    return sent == size;
}

/* The comment, never a part of a UTF-8 character at its end. Returns its bytes. */
static size_t make_comment(char *text, size_t size, const struct letter *letter)
{
    char why[DECODE_FAILURE_TEXT_SIZE];
    decode_failure_text(&letter->failure, why);
    int wanted =
        snprintf(text, size, "%s: %s (schema=%s)%s%s", datagram_reason_names[letter->reason],
                 letter->listener->name, letter->schema, why[0] != '\0' ? ", " : "", why);
    size_t used = wanted < 0 ? 0 : (size_t)wanted;
    if (used < size)
        return used;
    used = size - 1;
    while (used != 0 && ((unsigned char)text[used - 1] & 0xc0) == 0x80)
        used--;
    return used != 0 && ((unsigned char)text[used - 1] & 0x80) != 0 ? used - 1 : used;
}

/*
 * Takes the next letter's bytes from the ring to their place in the block and makes the block of
 * them, with a section before it where one is due. Returns its bytes.
 */
static size_t make_block(struct dead_letters *letters, struct byte_ring *ring,
                         const struct letter *letter)
{
    char comment[PCAPNG_COMMENT_MAX];
    size_t section = letters->section_due ? PCAPNG_SECTION_SIZE : 0;
    uint8_t *block = letters->block + section;
    struct udp_packet packet = {.source = &letter->source,
                                .destination = &letter->destination,
                                .size = letter->size,
                                .length = letter->sent_size};
    size_t headers = udp_packet_headers_size(&packet);
    uint8_t *payload = block + PCAPNG_PACKET_HEAD + headers;
    byte_ring_take(ring, payload, letter->size);
    packet.payload = payload;
    if (headers != 0)
        udp_packet_write_headers(&packet, block + PCAPNG_PACKET_HEAD);
    if (section != 0)
        pcapng_write_section(letters->block, LINKTYPE_RAW);
    const struct pcapng_packet facts = {
        .time_ns = letter->received_ns,
        .captured = headers + letter->size,
        .length = headers + letter->sent_size,
        .comment = comment,
        .comment_size = make_comment(comment, sizeof comment, letter),
    };
    return section + pcapng_write_packet(block, &facts);
}

/* Says once that the file is full. */
static bool fits(struct dead_letters *letters, size_t size)
{
    const struct dead_letter_options *options = &letters->options;
    if (!letters->full && letters->file_size + size > options->max_size) {
        letters->full = true;
        log_about(LOG_WARNING, LOG_OF_DEAD_LETTERS, options->name,
                  "it has reached its max_size; dead letters are counted and no longer kept, "
                  "until the file is moved away and SIGHUP begins a new one");
    }
    return !letters->full;
}

/* Says once that the disk has too little free, and that it has enough again. */
static bool disk_has_room(struct dead_letters *letters)
{
    const struct dead_letter_options *options = &letters->options;
    struct error error;
    bool has = !output_file_is_regular(letters->file) ||
               disk_room_has(&letters->room, &options->reserve, options->path, &error);
    if (!has && !letters->short_of_room)
        log_about(LOG_WARNING, LOG_OF_DEAD_LETTERS, options->name,
                  "%s; until then dead letters are counted and not kept", error.text);
    if (has && letters->short_of_room)
        log_about(LOG_INFO, LOG_OF_DEAD_LETTERS, options->name, "kept again");
    letters->short_of_room = !has;
    return has;
}

/*
 * A file that somebody has emptied or cut begins a section where it now ends. A full one stays full
 * until it is opened anew.
 */
static void look_for_cut(struct dead_letters *letters)
{
    const struct dead_letter_options *options = &letters->options;
    struct output_file_start start;
    struct error error;
    if (letters->full || !output_file_is_cut(letters->file))
        return;
    if (output_file_mend(letters->file, options->path, &format, &start, &error) != 0)
        log_about(LOG_ERROR, LOG_OF_DEAD_LETTERS, options->name,
                  "it was cut, and its end cannot be put right: %s", error.text);
    letters->section_due = true;
    look_at_size(letters);
}

static void keep(struct dead_letters *letters, struct byte_ring *ring)
{
    struct letter letter;
    enum letter_drop why;
    look_for_cut(letters);
    byte_ring_take(ring, &letter, sizeof letter);
    size_t size = make_block(letters, ring, &letter);
    if (deadline_is_over(&letters->deadline)) {
        drop(letters, DROPPED_STOP_TIMEOUT);
    } else if (!fits(letters, size)) {
        drop(letters, DROPPED_FILE_FULL);
    } else if (!disk_has_room(letters)) {
        drop(letters, DROPPED_MIN_FREE);
    } else if (!write_block(letters, size, &why)) {
        drop(letters, why);
    } else {
        letters->section_due = false;
        letters->file_size += size;
        counter_add(&letters->options.counters->bytes, size);
        counter_add(&letters->options.counters->kept, 1);
    }
}

/* --- the writing thread ----------------------------------------------------------------------- */

static struct dead_letter_queue *next_with_letter(const struct dead_letters *letters)
{
    for (struct dead_letter_queue *queue = atomic_load(&letters->queues); queue != NULL;
         queue = queue->next)
        if (!byte_ring_is_empty(queue->ring))
            return queue;
    return NULL;
}

static bool all_finished(const struct dead_letters *letters)
{
    for (struct dead_letter_queue *queue = atomic_load(&letters->queues); queue != NULL;
         queue = queue->next)
        if (!byte_ring_is_finished(queue->ring))
            return false;
    return true;
}

/* Sleeps until there is work. Whoever gives work sees `sleeping`, or this sees the work. */
static void sleep_until_woken(struct dead_letters *letters)
{
    atomic_store(&letters->sleeping, true);
    if (next_with_letter(letters) == NULL && !all_finished(letters) &&
        !atomic_load(&letters->reopen_wanted))
        wakeup_wait(letters->wakeup, NO_HANDLE, false, -1);
    atomic_store(&letters->sleeping, false);
}

static void run(void *argument)
{
    struct dead_letters *letters = argument;
    for (;;) {
        if (atomic_load(&letters->reopen_wanted))
            reopen(letters);
        struct dead_letter_queue *queue = next_with_letter(letters);
        if (queue != NULL)
            keep(letters, queue->ring);
        else if (all_finished(letters))
            break;
        else
            sleep_until_woken(letters);
    }
    atomic_store(&letters->finished, true);
    if (letters->options.finished != NULL)
        letters->options.finished(letters->options.context);
}

/* --- from other threads ----------------------------------------------------------------------- */

int dead_letters_create(struct dead_letters **out, const struct dead_letter_options *options,
                        struct error *error)
{
    struct dead_letters *letters = calloc(1, sizeof *letters);
    if (letters == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for dead letters");
        return -1;
    }
    letters->options = *options;
    deadline_init(&letters->deadline);
    if (wakeup_create(&letters->wakeup, error) != 0) {
        dead_letters_destroy(letters);
        return -1;
    }
    *out = letters;
    return 0;
}

struct dead_letter_queue *dead_letters_add_queue(struct dead_letters *letters,
                                                 struct letter_counters *counters)
{
    struct dead_letter_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->ring = byte_ring_create(RING_SIZE);
    if (queue->ring == NULL) {
        free(queue);
        return NULL;
    }
    queue->letters = letters;
    queue->counters = counters;
    queue->next = atomic_load(&letters->queues);
    atomic_store(&letters->queues, queue);
    return queue;
}

int dead_letters_start(struct dead_letters *letters, struct error *error)
{
    return thread_start(&letters->thread, "dead letters", run, letters, error);
}

void dead_letters_reopen(struct dead_letters *letters)
{
    atomic_store(&letters->reopen_wanted, true);
    wakeup_signal(letters->wakeup);
}

void dead_letters_stop(struct dead_letters *letters, int64_t deadline_ns)
{
    deadline_bring_forward(&letters->deadline, deadline_ns);
    wakeup_signal(letters->wakeup);
}

bool dead_letters_have_finished(const struct dead_letters *letters)
{
    return atomic_load(&letters->finished);
}

void dead_letters_join(struct dead_letters *letters)
{
    thread_join(letters->thread);
    letters->thread = NULL;
}

void dead_letters_destroy(struct dead_letters *letters)
{
    if (letters == NULL)
        return;
    for (struct dead_letter_queue *queue = atomic_load(&letters->queues), *next; queue != NULL;
         queue = next) {
        next = queue->next;
        byte_ring_destroy(queue->ring);
        free(queue);
    }
    output_file_close(letters->file);
    wakeup_destroy(letters->wakeup);
    free(letters);
}
